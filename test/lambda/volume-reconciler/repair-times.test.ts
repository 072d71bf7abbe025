import { parseRecovery, recoveryItem } from '../../../lambda/shared/recoveries';
import { MOMENTS, phasesOf, recoveryMetrics, recoveryOf } from '../../../lambda/shared/timeline';
import { drive, Process } from './drive';
import { SETTINGS, World } from './world';

async function deployed(boot?: number): Promise<World> {
  const world = new World(2, 0, boot);
  await drive(world, undefined, 'deployment');
  world.advance(2);
  return world;
}

const secondsAfter = (world: World, from: number, moment: string): number =>
  (Date.parse(world.map.slots.get('oss-00')!.timeline[moment] ?? '') - from) / 1000;

test('a recovery has every moment, in order, and its phases make up the whole', async () => {
  const world = await deployed(60);
  const from = world.now;
  world.kill(world.ownerOf('oss-00')!);
  world.advance(4);
  await drive(world);
  const { timeline } = world.map.slots.get('oss-00')!;
  const order = MOMENTS.filter((moment) => !['launched', 'detached'].includes(moment));
  const times = order.map((moment) => Date.parse(timeline[moment]!));
  expect(times).toEqual([...times].sort((a, b) => a - b));
  expect(Object.keys(timeline).sort()).toEqual([...MOMENTS].sort());
  expect(secondsAfter(world, from, 'failed')).toBe(0);
  expect(secondsAfter(world, from, 'detected')).toBe(4);
  expect(secondsAfter(world, from, 'launched')).toBeLessThanOrEqual(2);
  // The world shuts down in 20 s, and a pass comes at most 5 s later.
  expect(secondsAfter(world, from, 'fenced')).toBeGreaterThanOrEqual(20);
  expect(secondsAfter(world, from, 'fenced')).toBeLessThanOrEqual(25);
  expect(secondsAfter(world, from, 'claimed')).toBeGreaterThanOrEqual(60);

  const [recorded] = world.map.recoveries;
  expect(world.map.recoveries).toHaveLength(1);
  const seconds = Object.fromEntries(recorded!.recovery.phases.map((phase) => [phase.name, phase.seconds]));
  const oneAfterTheOther = ['detect', 'fence', 'wait', 'attach', 'serve', 'complete'];
  const sum = oneAfterTheOther.reduce((total, name) => total + seconds[name]!, 0);
  expect(sum).toBeCloseTo(recorded!.recovery.seconds, 3);
  expect(recorded!.recovery.bySpare).toBe(false);
});

test('a first deployment is no recovery', async () => {
  const world = await deployed();
  expect(world.map.recoveries).toEqual([]);
  expect(world.map.slots.get('oss-00')!.timeline).toHaveProperty('completed');
});

test('the first time counts, also when the process died in between', async () => {
  const start = async () => {
    const world = await deployed(30);
    world.kill(world.ownerOf('oss-00')!);
    world.advance(1);
    return world;
  };
  const counting = await start();
  const count = new Process(counting.ports());
  await drive(counting, count);
  for (let call = 1; call <= count.calls; call++) {
    const world = await start();
    await drive(world, new Process(world.ports(), call, 'after'));
    expect(world.map.recoveries).toHaveLength(1);
    const { timeline } = world.map.recoveries[0]!;
    // What a pass saw before it died, the next one sees two seconds later at most.
    const detected = (Date.parse(timeline.detected!) - Date.parse(timeline.failed!)) / 1000;
    expect({ call, detected }).toEqual({ call, detected: expect.any(Number) });
    expect(detected).toBeLessThanOrEqual(3);
    expect(MOMENTS.filter((moment) => timeline[moment] === undefined)).toEqual([]);
  }
});

test('a replacement that fails itself does not make the repair look shorter', async () => {
  const world = await deployed();
  const from = world.now;
  world.kill(world.ownerOf('oss-00')!);
  world.failures.push(1, 1, 1);
  world.advance(1);
  await drive(world);
  expect(world.map.slots.get('oss-00')!.epoch).toBe(3);
  expect(secondsAfter(world, from, 'detected')).toBe(1);
  expect(secondsAfter(world, from, 'fenced')).toBeLessThan(30);
  expect(secondsAfter(world, from, 'claimed')).toBeGreaterThan(secondsAfter(world, from, 'fenced') + 20);
  expect(secondsAfter(world, from, 'launched')).toBeGreaterThan(secondsAfter(world, from, 'fenced'));
  expect(world.map.recoveries).toHaveLength(1);
});

test('a failure that EC2 names no time for does not get that of a later one', async () => {
  const world = await deployed();
  const lost = world.ownerOf('oss-00')!;
  world.kill(lost);
  world.machines.get(lost)!.endedAt = undefined;
  world.failures.push(1, 1, 1);
  world.advance(1);
  await drive(world);
  expect(world.map.slots.get('oss-00')!.epoch).toBe(3);
  expect(world.map.slots.get('oss-00')!.timeline).not.toHaveProperty('failed');
});

test('the next failure begins a timeline of its own', async () => {
  const world = await deployed();
  for (const count of [1, 2]) {
    const from = world.now;
    world.kill(world.ownerOf('oss-00')!);
    world.advance(1);
    await drive(world, undefined, `recovery ${count}`);
    expect(secondsAfter(world, from, 'failed')).toBe(0);
    expect(world.map.recoveries).toHaveLength(count);
    world.advance(600);
  }
});

describe('a timeline', () => {
  const at = (seconds: number) => new Date(Date.parse('2026-01-01T00:00:00Z') + seconds * 1000).toISOString();
  const whole = {
    failed: at(0),
    detected: at(10),
    launched: at(-5000),
    spare: at(41),
    fenced: at(40),
    detached: at(39),
    vacated: at(40.1),
    claimed: at(41),
    attached: at(45),
    commandSent: at(45),
    served: at(50),
    completed: at(51),
  };

  test('of a spare has no launch to wait for', () => {
    const recovery = recoveryOf(whole)!;
    expect(recovery).toMatchObject({ seconds: 51, bySpare: true });
    const seconds = Object.fromEntries(recovery.phases.map((phase) => [phase.name, phase.seconds]));
    expect(seconds).toEqual({
      detect: 10,
      launch: 0,
      fence: 30,
      detach: 0,
      wait: 1,
      attach: 4,
      serve: 5,
      complete: 1,
    });
  });

  test('is a metric for each phase', () => {
    expect(recoveryMetrics(recoveryOf(whole)!)).toEqual({
      RecoverySeconds: 51,
      DetectSeconds: 10,
      LaunchSeconds: 0,
      FenceSeconds: 30,
      DetachSeconds: 0,
      WaitSeconds: 1,
      AttachSeconds: 4,
      ServeSeconds: 5,
      CompleteSeconds: 1,
    });
  });

  test('that EC2 names no time for begins when the failure was detected', () => {
    const { failed: _, ...unknown } = whole;
    expect(recoveryOf(unknown)).toMatchObject({ seconds: 41 });
    expect(phasesOf(unknown).map(({ name }) => name)).not.toContain('detect');
  });

  test('of a replacement that was launched before anybody noticed is not one of a spare', () => {
    const { failed: _failed, spare: _spare, ...early } = { ...whole, launched: at(3) };
    const recovery = recoveryOf(early)!;
    expect(recovery.bySpare).toBe(false);
    expect(recovery.phases.find(({ name }) => name === 'launch')?.seconds).toBe(0);
  });

  test('that somebody edited is no recovery', () => {
    expect(recoveryOf({ ...whole, completed: 'yesterday' })).toBeUndefined();
    expect(recoveryOf({})).toBeUndefined();
    expect(phasesOf({ ...whole, claimed: '' }).map(({ name }) => name)).not.toContain('attach');
  });

  test('goes into the table and comes back', () => {
    const row = { slot: 'oss-00', epoch: 2, owner: 'i-2', timeline: whole };
    const item = recoveryItem(SETTINGS.tier, row, recoveryOf(whole)!);
    expect(item).toMatchObject({ tier: 'oss#recoveries', item: `${at(51)}#oss-00#2` });
    // Kept for more than a year, and not for ever.
    const days = (Number(item.deleteAfter) - Date.parse(at(51)) / 1000) / 86_400;
    expect(days).toBeCloseTo(400, 3);
    expect(parseRecovery(item)).toMatchObject({ ...row, seconds: 51, bySpare: true });
    expect(parseRecovery({ ...item, timeline: 'none' })).toBeUndefined();
    expect(parseRecovery({ ...item, epoch: '2' })).toBeUndefined();
  });
});
