import type { SlotRow } from '../../../lambda/shared/map';
import type { Instance, Member, Ports } from '../../../lambda/volume-reconciler/ports';
import { nameServers } from '../../../lambda/volume-reconciler/server-names';
import { SETTINGS } from './settings';

const settings = { ...SETTINGS, tier: 'oss', tierTag: 'mine-storage/Lustre/ObjectStorageServers' };

const server = (id: string, name = 'mine-storage-oss', state = 'running'): Instance => ({
  id,
  name,
  state,
  zone: 'a',
  launchedAt: 0,
});
const member = (instanceId: string, lifecycle = 'InService'): Member => ({
  instanceId,
  lifecycle,
  healthy: true,
});
const slot = (name: string, owner?: string) => ({ slot: name, owner }) as SlotRow;

/** What is named; a call takes so long, and the one for `refused` fails. */
async function named(
  instances: Instance[],
  {
    refused = '',
    seconds = 0,
    members = [] as Member[],
    slots = [slot('oss-00', 'i-1'), slot('oss-01', 'i-2')],
  } = {},
) {
  const calls: string[] = [];
  const told: string[] = [];
  let now = 0;
  const ports = {
    clock: { now: () => now },
    log: { info: (text: string) => told.push(text) },
    compute: {
      nameInstance: async (id: string, name: string) => {
        now += seconds * 1000;
        if (id === refused) throw new Error('UnauthorizedOperation');
        calls.push(`${id} ${name}`);
        return { done: true };
      },
    },
  } as unknown as Ports;
  await nameServers({ instances, members, rows: { slots, owners: [], broken: [] } }, ports, settings);
  return { calls, told };
}

test('a server carries its slot in its name, a spare that it is one', async () => {
  const members = [member('i-1'), member('i-2'), member('i-3'), member('i-4', 'Pending:Wait')];
  const { calls } = await named([server('i-1'), server('i-2'), server('i-3'), server('i-4')], { members });
  expect(calls).toEqual([
    'i-1 mine-storage-oss-00',
    'i-2 mine-storage-oss-01',
    // What is being launched may get a slot in a moment.
    'i-3 mine-storage-oss-spare',
  ]);
});

test('one that has its name, or is ending, is left alone; one that was a spare is named again', async () => {
  const { calls } = await named([
    server('i-1', 'mine-storage-oss-00'),
    server('i-2', 'mine-storage-oss-spare'),
    server('i-9', 'mine-storage-oss', 'shutting-down'),
  ]);
  expect(calls).toEqual(['i-2 mine-storage-oss-01']);
  expect((await named([server('i-1', '', 'shutting-down')])).calls).toEqual([]);
});

test('a right that is missing fails nothing, and is told once', async () => {
  const { calls, told } = await named([server('i-1'), server('i-2')], { refused: 'i-1' });
  expect(calls).toEqual([]);
  expect(told).toEqual(['a server could not be named']);
});

test('a pass that has named for long leaves the rest to the next one', async () => {
  const slots = Array.from({ length: 9 }, (_, index) => slot(`oss-0${index}`, `i-${index}`));
  const { calls } = await named(
    slots.map(({ owner }) => server(owner!)),
    { slots, seconds: 4 },
  );
  expect(calls).toHaveLength(3);
});
