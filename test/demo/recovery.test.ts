import { type Look, Recovery, recordedPhases, stepsOf } from '../../proof/kit/recovery';
import { goodEstate, slot } from './samples';

const BEFORE = slot({ owner: 'i-old', epoch: 1, servedEpoch: 1 });

function look(seconds: number, change: Partial<Look> = {}): Look {
  const { instances, volumes, interfaces, groups } = goodEstate();
  return {
    seconds,
    row: slot(),
    members: groups['group-oss']!,
    instances,
    volumes,
    networkInterface: interfaces[0],
    ...change,
  };
}

const oldServer = (state: string) => [{ ...goodEstate().instances[0]!, id: 'i-old', state }];
const member = (instanceId: string, lifecycleState: string) => ({
  instanceId,
  lifecycleState,
  health: 'Healthy',
});
const volumesAt = (instanceId: string, state = 'attached') =>
  goodEstate().volumes.map((volume) => ({ ...volume, attachments: [{ instanceId, state }] }));

/** The looks of a whole recovery, a second apart. */
function recovery() {
  const it = new Recovery(BEFORE, 'i-old', ['i-old']);
  const vacant = slot({ owner: undefined, epoch: 1, servedEpoch: 1, phase: 'vacant' });
  const claimed = slot({ servedEpoch: 1, phase: 'attaching' });
  const pending = [member('i-new', 'Pending:Wait')];
  const interfaceAt = (instanceId: string) => ({
    ...goodEstate().interfaces[0]!,
    attachment: { instanceId, state: 'attached' },
  });
  const atOld = { volumes: volumesAt('i-old'), networkInterface: interfaceAt('i-old') };
  const free = {
    volumes: volumesAt('').map((v) => ({ ...v, attachments: [] })),
    networkInterface: { id: 'eni-0', address: '' },
  };
  const lines = [
    look(0, {
      ...atOld,
      row: BEFORE,
      members: [member('i-old', 'InService')],
      instances: oldServer('running'),
    }),
    look(1, { ...atOld, row: BEFORE, members: [], instances: oldServer('shutting-down') }),
    look(2, { ...free, row: vacant, members: pending, instances: oldServer('terminated') }),
    look(3, { ...free, row: vacant, members: pending }),
    look(4, {
      row: claimed,
      members: pending,
      volumes: volumesAt('i-new', 'attaching'),
      networkInterface: free.networkInterface,
    }),
    look(5, { row: claimed, members: pending }),
    look(6, { members: pending }),
    look(7),
  ].map((each) => it.observe(each));
  return { it, lines };
}

test('moments are noted when they are first seen', () => {
  const { it } = recovery();
  expect(it.finished).toBe(true);
  expect(it.moments).toEqual({
    terminated: 2,
    replacementSeen: 2,
    replacementRunning: 3,
    claimed: 4,
    volumesAttached: 5,
    interfaceAttached: 5,
    served: 6,
    inService: 7,
  });
});

test('each change is one line that a person understands', () => {
  const { lines } = recovery();
  expect(lines[0]).toEqual([]);
  expect(lines[1]).toEqual(['old server i-old is shutting-down']);
  expect(lines[2]).toEqual([
    'old server i-old is terminated',
    'Auto Scaling: replacement i-new is Pending:Wait',
    '2 of 2 volumes are free',
    'interface eni-0 (172.16.4.20) is free',
    'map: oss-00 is vacant, its old server can no longer write',
  ]);
  expect(lines[4]).toEqual([
    '2 of 2 volumes are attaching to replacement i-new',
    'map: oss-00 belongs to replacement i-new, epoch 2',
    'map: oss-00 is attaching',
  ]);
});

test('a recovery without an owner of a later epoch is not finished', () => {
  const it = new Recovery(BEFORE, 'i-old', ['i-old']);
  it.observe(look(1, { row: slot({ epoch: 1, servedEpoch: 1 }) }));
  expect(it.finished).toBe(false);
});

test('steps join the moments without a negative length, and leave out what was not reached', () => {
  const steps = stepsOf({ terminated: 2, replacementSeen: 1, replacementRunning: 3, claimed: 2.5 });
  expect(steps).toEqual([
    { name: 'Old server shuts down', start: 0, end: 2, seconds: 2 },
    { name: 'Auto Scaling launches a replacement', start: 0, end: 1, seconds: 1 },
    { name: 'Replacement boots', start: 1, end: 3, seconds: 2 },
    { name: 'Replacement claims the slot', start: 2.5, end: 2.5, seconds: 0 },
  ]);
});

test('a spare takes over: nobody waited for the server that is launched meanwhile', () => {
  const it = new Recovery(BEFORE, 'i-old', ['i-old', 'i-new']);
  const vacant = slot({ owner: undefined, epoch: 1, servedEpoch: 1, phase: 'vacant' });
  const members = [member('i-new', 'InService'), member('i-later', 'Pending')];
  const later = [
    ...goodEstate().instances,
    { ...goodEstate().instances[0]!, id: 'i-later', state: 'running' },
  ];
  it.observe(look(1, { row: vacant, members, instances: [...later, ...oldServer('terminated')] }));
  const lines = it.observe(look(3, { members, instances: later }));
  expect(it.finished).toBe(true);
  expect(lines.join()).toContain('belongs to spare i-new');
  const names = stepsOf(it.moments).map(({ name }) => name);
  expect(names).not.toContain('Auto Scaling launches a replacement');
  expect(names).not.toContain('Replacement boots');
  const claim = stepsOf(it.moments).find(({ name }) => name === 'Replacement claims the slot');
  expect(claim).toMatchObject({ start: 1, end: 3 });
});

test('the phases that the map recorded count from the failure', () => {
  const at = (seconds: number) => new Date(1000 * seconds).toISOString();
  const timeline = {
    failed: at(100),
    detected: at(101),
    launched: at(102),
    fenced: at(110),
    vacated: at(110),
    claimed: at(130),
    attached: at(133),
    served: at(138),
    completed: at(140),
  };
  expect(
    recordedPhases(slot({ timeline })).map(({ name, start, end }) => [name.split(':')[0], start, end]),
  ).toEqual([
    ['detect', 0, 1],
    ['launch', 1, 2],
    ['fence', 1, 10],
    ['wait', 10, 30],
    ['attach', 30, 33],
    ['serve', 33, 38],
    ['complete', 38, 40],
  ]);
  expect(recordedPhases(slot({ timeline: { claimed: at(1), completed: at(2) } }))).toEqual([]);
  expect(recordedPhases(slot())).toEqual([]);
});
