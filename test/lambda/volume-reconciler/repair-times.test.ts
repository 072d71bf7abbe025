import { parseRecovery, recoveryItem } from '../../../lambda/shared/recoveries';
import { MOMENTS, phasesOf, recoveryMetrics, recoveryOf } from '../../../lambda/shared/timeline';
import { sample } from '../../helpers/exhaustive';
import { callsOf, drive, driveSlowly, Process } from './drive';
import { SETTINGS } from './settings';
import { Tier, type TierOptions } from './tier';

async function deployed(options: TierOptions = {}): Promise<Tier> {
  const tier = await Tier.launched(options);
  await drive(tier, undefined, 'deployment');
  await tier.advance(2);
  return tier;
}

const secondsAfter = (tier: Tier, from: number, moment: string): number =>
  (Date.parse(tier.rowOf('oss-00').timeline[moment] ?? '') - from) / 1000;

test('a recovery has every moment, in order, and its phases make up the whole', async () => {
  const tier = await deployed({ boot: 60 });
  const from = tier.now;
  tier.world.ec2.terminate(tier.ownerOf('oss-00')!);
  await tier.advance(4);
  await drive(tier);
  const { timeline } = tier.rowOf('oss-00');
  const order = MOMENTS.filter((moment) => !['launched', 'detached'].includes(moment));
  const times = order.map((moment) => Date.parse(timeline[moment]!));
  expect(times).toEqual([...times].sort((a, b) => a - b));
  expect(Object.keys(timeline).sort()).toEqual([...MOMENTS].sort());
  expect(secondsAfter(tier, from, 'failed')).toBe(0);
  expect(secondsAfter(tier, from, 'detected')).toBe(4);
  expect(secondsAfter(tier, from, 'launched')).toBeLessThanOrEqual(2);
  // The world shuts down in 20 s, and a pass comes at most 5 s later.
  expect(secondsAfter(tier, from, 'fenced')).toBeGreaterThanOrEqual(20);
  expect(secondsAfter(tier, from, 'fenced')).toBeLessThanOrEqual(25);
  expect(secondsAfter(tier, from, 'claimed')).toBeGreaterThanOrEqual(60);

  const [recorded] = tier.recoveries;
  expect(tier.recoveries).toHaveLength(1);
  const seconds = Object.fromEntries(recorded!.phases.map((phase) => [phase.name, phase.seconds]));
  const oneAfterTheOther = ['detect', 'fence', 'wait', 'attach', 'serve', 'complete'];
  const sum = oneAfterTheOther.reduce((total, name) => total + seconds[name]!, 0);
  expect(sum).toBeCloseTo(recorded!.seconds, 3);
  expect(recorded!.bySpare).toBe(false);
});

test('a first deployment is no recovery', async () => {
  const tier = await deployed();
  expect(tier.recoveries).toEqual([]);
  expect(tier.rowOf('oss-00').timeline).toHaveProperty('completed');
});

test('the first time counts, also when the process died in between', async () => {
  // One recovery after the other: each leaves the tier as it was.
  const tier = await deployed({ quick: true });
  await tier.lose('oss-00');
  const count = new Process();
  await driveSlowly(tier, count);
  for (const call of sample(callsOf(count), 5)) {
    const before = tier.recoveries.length;
    await tier.lose('oss-00');
    await driveSlowly(tier, new Process(undefined, call, 'after'));
    expect(tier.recoveries).toHaveLength(before + 1);
    const { timeline } = tier.recoveries.at(-1)!;
    // What a pass saw before it died, the next one sees two seconds later at most.
    const detected = (Date.parse(timeline.detected!) - Date.parse(timeline.failed!)) / 1000;
    expect({ call, detected }).toEqual({ call, detected: expect.any(Number) });
    expect(detected).toBeLessThanOrEqual(3);
    expect(MOMENTS.filter((moment) => timeline[moment] === undefined)).toEqual([]);
  }
});

test('a replacement that fails itself does not make the repair look shorter', async () => {
  const tier = await deployed();
  const from = tier.now;
  tier.world.ec2.terminate(tier.ownerOf('oss-00')!);
  tier.hostsFail(1, 3);
  await tier.advance(1);
  await drive(tier);
  expect(tier.rowOf('oss-00').epoch).toBe(3);
  expect(secondsAfter(tier, from, 'detected')).toBe(1);
  expect(secondsAfter(tier, from, 'fenced')).toBeLessThan(30);
  expect(secondsAfter(tier, from, 'claimed')).toBeGreaterThan(secondsAfter(tier, from, 'fenced') + 20);
  expect(secondsAfter(tier, from, 'launched')).toBeGreaterThan(secondsAfter(tier, from, 'fenced'));
  expect(tier.recoveries).toHaveLength(1);
});

test('a failure that EC2 names no time for does not get that of a later one', async () => {
  const tier = await deployed();
  const lost = tier.ownerOf('oss-00')!;
  tier.world.ec2.terminate(lost, 'Server.InternalError: Internal error on launch');
  tier.hostsFail(1, 3);
  await tier.advance(1);
  await drive(tier);
  expect(tier.rowOf('oss-00').epoch).toBe(3);
  expect(tier.rowOf('oss-00').timeline).not.toHaveProperty('failed');
});

test('the next failure begins a timeline of its own', async () => {
  const tier = await deployed();
  for (const count of [1, 2]) {
    const from = tier.now;
    tier.world.ec2.terminate(tier.ownerOf('oss-00')!);
    await tier.advance(1);
    await drive(tier, undefined, `recovery ${count}`);
    expect(secondsAfter(tier, from, 'failed')).toBe(0);
    expect(tier.recoveries).toHaveLength(count);
    await tier.advance(600);
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
