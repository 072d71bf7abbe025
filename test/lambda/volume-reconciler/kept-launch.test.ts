import type { Ports } from '../../../lambda/volume-reconciler/ports';
import { drive, Process } from './drive';
import { row, SETTINGS, SILENT, World } from './world';

const FOR_EVER = Array<number>(20_000).fill(1);

async function deployed(): Promise<World> {
  const world = new World();
  expect((await drive(world, undefined, 'deployment')).outcome).toBe('served');
  return world;
}

async function lost(world: World, slot = 'oss-00'): Promise<World> {
  world.kill(world.ownerOf(slot)!);
  world.advance(1);
  return world;
}

const abandoned = (world: World) => world.completed.filter((each) => each.endsWith('ABANDON'));

/** Ports whose last metrics are kept. */
function watched(
  world: World,
  more: Partial<Ports> = {},
): { process: Process; metrics: () => Record<string, number> } {
  const last: Record<string, number> = {};
  const log = {
    ...SILENT,
    metrics: (_tier: string, values: Record<string, number>) => Object.assign(last, values),
  };
  return { process: new Process({ ...world.ports(), log, ...more }), metrics: () => last };
}

test('after three launches that failed the fourth is kept, is told again, and serves when the cause is mended', async () => {
  const world = await lost(await deployed());
  world.failures.push(...FOR_EVER);
  const { process, metrics } = watched(world);
  for (const execution of ['one', 'two', 'three']) {
    expect((await drive(world, process, execution, SETTINGS, 3600)).outcome).toBe('out-of-time');
  }
  const kept = world.ownerOf('oss-00')!;
  expect(abandoned(world)).toHaveLength(3);
  expect(world.lifecycle.get(kept)).toBe('Pending:Wait');
  expect(world.map.slots.get('oss-00')).toMatchObject({ phase: 'blocked', failedLaunches: { count: 3 } });
  const { reason } = world.map.slots.get('oss-00')!;
  expect(reason).toBe(
    `host ${kept} failed to serve 3 times: as told; ${kept} is kept for inspection, since 3 launches before it failed`,
  );
  expect(metrics()).toMatchObject({ FailingLaunchesKept: 1, UnreachableLaunchesKept: 0, EndedLaunches: 0 });

  world.failures.length = 0;
  expect((await drive(world, process, 'four')).outcome).toBe('served');
  expect(world.ownerOf('oss-00')).toBe(kept);
  expect(world.map.slots.get('oss-00')!.failedLaunches).toBeUndefined();
  expect(metrics()).toMatchObject({ FailingLaunchesKept: 0 });
  expect(world.violations).toEqual([]);
});

test('a launch that Systems Manager never reaches is kept too, and says so', async () => {
  const world = await lost(await deployed());
  const hosts = { ...world.ports().hosts, tell: async () => ({ code: 'InvalidInstanceId' }) };
  const { process, metrics } = watched(world, { hosts });
  for (let hour = 0; hour < 6; hour++) await drive(world, process, `hour-${hour}`, SETTINGS, 3600);
  expect(abandoned(world)).toHaveLength(3);
  expect(metrics()).toMatchObject({ UnreachableLaunchesKept: 1, FailingLaunchesKept: 0 });
  // It is reached, an hour and a half after its deadline.
  expect((await drive(world, undefined, 'mended')).outcome).toBe('served');
  expect(world.violations).toEqual([]);
});

test('a person may terminate the one that is kept: the next one is tried, and kept as well if it fails', async () => {
  const world = await lost(await deployed());
  world.failures.push(...FOR_EVER);
  for (const execution of ['one', 'two']) await drive(world, undefined, execution);
  const kept = world.ownerOf('oss-00')!;
  await lost(world);
  const { process, metrics } = watched(world);
  await drive(world, process, 'three');
  // Nothing is there to be looked at, and launches go on failing: whoever did not do it himself hears of it.
  expect(metrics()).toMatchObject({ EndedLaunches: 1 });
  expect(world.ownerOf('oss-00')).not.toBe(kept);
  expect(abandoned(world)).toHaveLength(3);
  expect(world.map.slots.get('oss-00')!.failedLaunches).toMatchObject({ count: 4 });
  await lost(world);
  world.failures.length = 0;
  expect((await drive(world, process, 'four')).outcome).toBe('served');
  expect(metrics()).toMatchObject({ EndedLaunches: 0 });
});

test('a tier none of whose slots comes up gives three launches up, not three for each slot', async () => {
  const world = new World(6);
  world.failures.push(...FOR_EVER);
  const settings = { ...SETTINGS, slots: [...world.map.slots.keys()] };
  for (const execution of ['one', 'two']) await drive(world, undefined, execution, settings);
  // All of one pass are given up before any of them is counted.
  expect(abandoned(world).length).toBeLessThanOrEqual(6);
  const before = abandoned(world).length;
  await drive(world, undefined, 'three', settings);
  expect(abandoned(world)).toHaveLength(before);
  expect(world.violations).toEqual([]);
});

test('a slot that is served in between shows that servers can serve: launches are given up again', async () => {
  const world = await deployed();
  const failed = { count: 2, since: new Date(world.now).toISOString() };
  for (const slot of ['oss-00', 'oss-01']) {
    world.map.slots.set(slot, { ...world.map.slots.get(slot)!, failedLaunches: failed });
  }
  await lost(world);
  world.failures.push(1, 1, 1);
  // oss-01 was served before these launches failed.
  const early = { ...world.map.slots.get('oss-01')!, timeline: { served: '2025-12-31T00:00:00Z' } };
  world.map.slots.set('oss-01', early);
  await drive(world, undefined, 'one', SETTINGS, 300);
  expect(abandoned(world)).toEqual([]);

  const late = { ...early, timeline: { served: new Date(world.now).toISOString() } };
  world.map.slots.set('oss-01', late);
  world.failures.push(1, 1, 1);
  await drive(world, undefined, 'two');
  expect(abandoned(world)).toHaveLength(1);
});

test('launches that failed for a slot whose update was undone keep no launch for another slot', async () => {
  const world = await deployed();
  const since = new Date(world.now + 1000).toISOString();
  const undone = { ...row('oss-02', 'eni-2', [{ volumeId: 'vol-20', device: '/dev/sdf' }]), released: true };
  world.map.slots.set('oss-02', { ...undone, failedLaunches: { count: 3, since } });
  await lost(world);
  world.failures.push(1, 1, 1);
  expect((await drive(world, undefined, 'one')).outcome).toBe('served');
  expect(abandoned(world)).toHaveLength(1);
});

test('a crash before or after any call counts no launch twice and keeps none too early', async () => {
  const start = async () => {
    const world = await lost(await deployed());
    world.failures.push(1, 1, 1, 1, 1, 1);
    return world;
  };
  const count = new Process((await start()).ports());
  await drive(await start(), count);
  const counting = await start();
  const process = new Process(counting.ports());
  await drive(counting, process);
  for (let call = 1; call <= process.calls; call += 7) {
    for (const when of ['before', 'after'] as const) {
      const world = await start();
      await drive(world, new Process(world.ports(), call, when));
      const row = world.map.slots.get('oss-00')!;
      expect({ call, when, bad: world.violations, left: row.failedLaunches, phase: row.phase }).toEqual({
        call,
        when,
        bad: [],
        left: undefined,
        phase: 'served',
      });
      expect(row.epoch).toBeLessThanOrEqual(4);
    }
  }
});

describe.each(['shutting-down', 'stopped'] as const)('a launch that is %s while it waits', (state) => {
  test('is abandoned when it is to serve a slot, which goes to the next one', async () => {
    const world = await lost(await deployed());
    // "Not yet": it has the slot, and waits.
    world.failures.push(...Array<number>(100).fill(75));
    await drive(world, undefined, 'one', SETTINGS, 60);
    world.failures.length = 0;
    const owner = world.ownerOf('oss-00')!;
    expect(world.lifecycle.get(owner)).toBe('Pending:Wait');
    world.lose(owner, state);
    expect((await drive(world, undefined, 'two', SETTINGS, 300)).outcome).toBe('served');
    expect(world.completed).toContain(`${owner} ABANDON`);
    expect(world.ownerOf('oss-00')).not.toBe(owner);
    expect(world.violations).toEqual([]);
  });

  test('is abandoned when it waits for a slot, and the next one serves', async () => {
    const world = await deployed();
    const old = world.ownerOf('oss-00')!;
    world.kill(old);
    world.machines.get(old)!.since = world.now + 60_000;
    world.advance(10);
    const waiting = [...world.lifecycle].find(([, lifecycle]) => lifecycle === 'Pending:Wait')![0];
    world.lose(waiting, state);
    expect((await drive(world, undefined, 'one', SETTINGS, 300)).outcome).toBe('served');
    expect(world.completed).toContain(`${waiting} ABANDON`);
    expect(world.violations).toEqual([]);
  });

  test('is abandoned also when it was kept for inspection: the next one is tried', async () => {
    const world = await lost(await deployed());
    world.failures.push(...FOR_EVER);
    for (const execution of ['one', 'two']) await drive(world, undefined, execution);
    const kept = world.ownerOf('oss-00')!;
    world.failures.length = 0;
    world.lose(kept, state);
    expect((await drive(world, undefined, 'three', SETTINGS, 300)).outcome).toBe('served');
    expect(world.ownerOf('oss-00')).not.toBe(kept);
  });
});

test('a launch that waits and is called unhealthy is abandoned unless it has a slot', async () => {
  const world = await deployed();
  const old = world.ownerOf('oss-00')!;
  world.kill(old);
  world.machines.get(old)!.since = world.now + 60_000;
  world.advance(10);
  const waiting = [...world.lifecycle].find(([, lifecycle]) => lifecycle === 'Pending:Wait')![0];
  const { group } = world.ports();
  const members = async () =>
    (await group.members())!.map((each) => ({ ...each, healthy: each.instanceId !== waiting }));
  const { process } = watched(world, { group: { ...group, members } });
  expect((await drive(world, process, 'one', SETTINGS, 300)).outcome).toBe('served');
  expect(abandoned(world)).toEqual([`${waiting} ABANDON`]);
});

test('a launch that waits for a slot is not given up, and serves when the slot becomes free', async () => {
  const world = await deployed();
  const old = world.ownerOf('oss-00')!;
  world.kill(old);
  // EC2 takes its time: the instance hangs while it shuts down.
  world.machines.get(old)!.since = world.now + 2 * 3_600_000;
  world.advance(1);
  await drive(world, undefined, 'one');
  await drive(world, undefined, 'two');
  expect(abandoned(world)).toEqual([]);
  world.machines.get(old)!.since = 0;
  expect((await drive(world, undefined, 'three')).outcome).toBe('served');
  expect(abandoned(world)).toEqual([]);
  expect(world.violations).toEqual([]);
});
