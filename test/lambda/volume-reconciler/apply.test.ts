import type { Action } from '../../../lambda/volume-reconciler/actions';
import { applyAll, WORK_MS } from '../../../lambda/volume-reconciler/apply';
import type { Ports } from '../../../lambda/volume-reconciler/ports';
import { SILENT } from './settings';

const claim = { slot: 'oss-00', owner: 'i-001', epoch: 1 };
const note = { phase: 'serving', timeline: {} };
const order = { slot: 'oss-00', epoch: 1, address: '10.0.0.1', volumeIds: ['vol-00'], mayFormat: true };
const tell: Action = { kind: 'tell', claim, order, attempts: 1, failures: 0, note };
const served: Action = {
  kind: 'mark-served',
  claim,
  commandId: 'c-1',
  untagged: ['vol-00'],
  servings: ['now'],
  note,
};

/** Ports that write down what is called; answers by method, true or done unless told otherwise. */
function recording(answers: { [method: string]: unknown } = {}) {
  const calls: string[] = [];
  const port = (yes: unknown) =>
    new Proxy(
      {},
      {
        get: (_, name) => async () => {
          calls.push(String(name));
          const answer = String(name) in answers ? answers[String(name)] : yes;
          if (answer instanceof Error) throw answer;
          return answer;
        },
      },
    ) as never;
  const ports: Ports = {
    clock: { now: () => Date.parse('2026-01-01T00:00:00Z') },
    log: SILENT,
    map: port(true),
    compute: port({ done: true }),
    group: port({ done: true }),
    hosts: port({ id: 'c-1' }),
  };
  return { calls, ports };
}

test('the intent is recorded before the host is told, its id after', async () => {
  const { calls, ports } = recording();
  await applyAll([tell], 'run', ports);
  expect(calls).toEqual(['beginCommand', 'tell', 'recordCommand']);
});

test('a host whose slot has moved on meanwhile is not told', async () => {
  const { calls, ports } = recording({ beginCommand: false });
  const [applied] = await applyAll([tell], 'run', ports);
  expect(calls).toEqual(['beginCommand']);
  expect(applied).toMatchObject({ done: false, text: expect.stringContaining('has changed') });
});

test('volumes are tagged before the row says that they are served', async () => {
  const { calls, ports } = recording();
  await applyAll([served], 'run', ports);
  expect(calls).toEqual(['markFormatted', 'markServed']);
});

test('a row is not served while its volumes could not be tagged', async () => {
  const { calls, ports } = recording({ markFormatted: new Error('throttled') });
  const [applied] = await applyAll([served], 'run', ports);
  expect(calls).toEqual(['markFormatted']);
  expect(applied).toMatchObject({ done: false, text: expect.stringContaining('throttled') });
});

test('a launch is completed as soon as the row says that its server serves, and not before', async () => {
  const complete = { kind: 'complete', instanceId: 'i-001', hook: 'h', result: 'CONTINUE', why: '' } as const;
  const well = recording();
  const applied = await applyAll([{ ...served, afterwards: complete } as Action], 'run', well.ports);
  expect(well.calls).toEqual(['markFormatted', 'markServed', 'complete']);
  expect(applied.map(({ action }) => action.kind)).toEqual(['mark-served', 'complete']);
  const changed = recording({ markServed: false });
  await applyAll([{ ...served, afterwards: complete } as Action], 'run', changed.ports);
  expect(changed.calls).toEqual(['markFormatted', 'markServed']);
});

test('a step that fails stops no other', async () => {
  const { ports } = recording({ attachVolume: new Error('no permission') });
  const attach = (volumeId: string): Action => ({
    kind: 'attach-volume',
    slot: 'oss-00',
    volumeId,
    instanceId: 'i-001',
    device: '/dev/sdf',
  });
  const applied = await applyAll(
    [attach('vol-00'), { kind: 'release', keepsOwnerRow: false, claim, timeline: {} }],
    'run',
    ports,
  );
  expect(applied.map((each) => each.done).sort()).toEqual([false, true]);
});

test('heartbeats are left to the execution that holds the lease', async () => {
  const { calls, ports } = recording({ noteBeat: false });
  await applyAll([{ kind: 'heartbeat', instanceIds: ['i-001'], hook: 'serve-slot' }], 'run', ports);
  expect(calls).toEqual(['noteBeat']);
});

describe('launches that wait', () => {
  const beat = async (now: number, refused: string, seconds = 0): Promise<string[]> => {
    const { ports } = recording();
    const kept: string[] = [];
    let time = now;
    const heartbeat = async (instanceId: string) => {
      time += seconds * 1000;
      if (instanceId === refused) throw new Error('Throttling');
      kept.push(instanceId);
      return { done: true };
    };
    const group = { ...ports.group, heartbeat };
    const instanceIds = ['i-001', 'i-002', 'i-003'];
    const steps = [{ kind: 'heartbeat', instanceIds, hook: 'serve-slot' }] as const;
    const [applied] = await applyAll([...steps], 'run', { ...ports, group, clock: { now: () => time } });
    expect(applied).toMatchObject({ done: refused === '' });
    return kept;
  };

  test('are all kept alive, whatever becomes of the heartbeat of one', async () => {
    expect((await beat(0, 'i-001')).sort()).toEqual(['i-002', 'i-003']);
  });

  test('take turns when there is no time for all', async () => {
    const slow = WORK_MS / 1000;
    const kept = [await beat(0, '', slow), await beat(61_000, '', slow), await beat(122_000, '', slow)];
    expect(kept.flat().sort()).toEqual(['i-001', 'i-002', 'i-003']);
  });
});

describe('a pass with more to do than there is time for', () => {
  const attach = (number: number): Action => ({
    kind: 'attach-volume',
    slot: 'oss-00',
    volumeId: `vol-${number}`,
    instanceId: 'i-001',
    device: '/dev/sdf',
  });
  const beat: Action = { kind: 'heartbeat', instanceIds: ['i-001'], hook: 'serve-slot' };
  const many = [...Array.from({ length: 1152 }, (_, number) => attach(number)), tell, served, beat];

  /** Each attach takes as long as EC2's bucket makes it. */
  function slow(millisecondsEach: number) {
    let now = 0;
    const { calls, ports } = recording();
    const attachVolume = async () => {
      calls.push('attachVolume');
      now += millisecondsEach;
      return { done: true };
    };
    const get = (own: Ports['compute'], name: keyof Ports['compute']) =>
      name === 'attachVolume' ? attachVolume : own[name];
    const compute = new Proxy(ports.compute, { get } as never);
    return { calls, now: () => now, ports: { ...ports, clock: { now: () => now }, compute } };
  }

  test('begins no attach after its time, and leaves the rest to the next pass', async () => {
    const { calls, ports, now } = slow(200);
    const applied = await applyAll(many, 'run', ports);
    expect(now()).toBeLessThan(WORK_MS + 10_000);
    expect(calls.filter((call) => call === 'attachVolume')).toHaveLength(WORK_MS / 200);
    expect(applied).toHaveLength(many.length);
    const left = applied.filter((each) => !each.done);
    expect(left).toHaveLength(1152 - WORK_MS / 200);
    expect(left[0]!.text).toMatch(/^attach vol-\d+ to i-001: left for the next pass$/);
    expect(left.every((each) => !each.advanced)).toBe(true);
  });

  test('does what is quick first: no launch misses its heartbeat, no host waits for the disks of another', async () => {
    const { calls, ports } = slow(200);
    await applyAll(many, 'run', ports);
    const first = calls.indexOf('attachVolume');
    for (const call of ['noteBeat', 'markFormatted', 'beginCommand'])
      expect(calls.indexOf(call)).toBeLessThan(first);
    expect(calls.indexOf('noteBeat')).toBeGreaterThanOrEqual(0);
  });

  test('tells no host after its time either', async () => {
    const { calls, ports } = slow(0);
    let looks = 0;
    const clock = { now: () => (looks++ === 0 ? 0 : WORK_MS) };
    const applied = await applyAll([tell, served], 'run', { ...ports, clock });
    expect(calls).not.toContain('beginCommand');
    expect(calls).toContain('markServed');
    expect(applied.find(({ action }) => action === tell)).toMatchObject({ done: false });
  });
});
