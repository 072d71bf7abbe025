import type { TierDeployment } from '../../simulation/aws/deployment';
import { useDefinition } from '../../simulation/definition';
import { bucketSeconds, neededRequests, secondsFor } from '../../simulation/recovery-speed/bound';
import { Bucket } from '../../simulation/recovery-speed/limits';
import { GOALS, measureAll, measureOne, spreadOf } from '../../simulation/recovery-speed/measure';
import type { Moments } from '../../simulation/recovery-speed/moments';
import { loseOne } from '../../simulation/recovery-speed/one-lost';
import { ownShareOf } from '../../simulation/recovery-speed/own-share';
import { PassCounter } from '../../simulation/recovery-speed/passes';
import { isMet, markdown } from '../../simulation/recovery-speed/report';
import { RECOVERY_TIMEOUT_SECONDS, servedTier } from '../../simulation/recovery-speed/tier';
import { deployment } from './deployment';

jest.setTimeout(180_000);

beforeAll(() => {
  const tier: TierDeployment = deployment();
  useDefinition({ [RECOVERY_TIMEOUT_SECONDS]: tier });
});

const LOOK_OF_128 =
  'DescribeAutoScalingGroups 1, DescribeInstances 1, DescribeNetworkInterfaces 1, DescribeVolumes 3, Query 1';

describe('all 128 servers of a tier lost at once', () => {
  const measured = { all: undefined as unknown as Awaited<ReturnType<typeof measureAll>> };
  beforeAll(async () => {
    measured.all = await measureAll(1);
  });

  test('are recovered within 1.2 times of what EC2’s buckets alone allow', () => {
    const { all } = measured;
    expect(all.bucketSeconds).toBeCloseTo(194.8);
    expect(all.boundSeconds).toBeCloseTo(all.beforeSeconds + all.bucketSeconds + all.afterSeconds);
    expect(all.seconds).toBeGreaterThan(all.boundSeconds);
    expect(all.ratio).toBeLessThanOrEqual(GOALS.ratio);
    expect(all.ratioOfBuckets).toBeLessThanOrEqual(GOALS.ratio);
  });

  test('cost one call for each change, none of which EC2 refuses', () => {
    const { calls, needed, refused } = measured.all;
    expect({
      AttachVolume: calls.AttachVolume,
      AttachNetworkInterface: calls.AttachNetworkInterface,
    }).toEqual(needed);
    expect(needed).toEqual({ AttachVolume: 1024, AttachNetworkInterface: 128 });
    expect(refused).toEqual({ ec2: 0, dynamodb: 0 });
    expect(calls.SendCommand).toBe(128);
    // One for the termination and one for the launch of each.
    expect(calls.CompleteLifecycleAction).toBe(2 * 128);
    expect(calls.CreateTags).toBeUndefined();
    // What becomes of a slot is written down when it changes: the steps of its timeline, what is waited for, the command, the recovery.
    expect(calls.UpdateItem).toBeLessThanOrEqual(13 * 128);
    // A launch is kept alive once a minute (BEAT_MS) while EC2 takes the attaches of the others.
    expect(calls.RecordLifecycleActionHeartbeat).toBeLessThanOrEqual(4 * 128);
  });

  test('are looked at in as many calls as when one of them is lost', async () => {
    expect(measured.all.looks).toEqual([LOOK_OF_128]);
    expect((await loseOne(128, 8, 1)).looks).toEqual([LOOK_OF_128]);
    // Three pages of 50 answers, two more, and eight hosts that no page showed.
    expect(measured.all.mostStatusCalls).toBeLessThanOrEqual(3 + 2 + 8);
  });
});

describe('one server of eight lost', () => {
  test('the control plane’s own share is within its goal', async () => {
    const one = await measureOne(20, 1);
    expect(one.own.median).toBeLessThanOrEqual(GOALS.ownSeconds);
    expect(one.withoutDelivery.most).toBeLessThanOrEqual(GOALS.ownSeconds);
    expect(one.refused).toBe(0);
    // A pass and its wait leave a trace in each step; a share of nothing would be one that was not measured.
    expect(one.own.least).toBeGreaterThan(0.1);
    for (const { behind } of one.steps) expect(behind).toBeGreaterThanOrEqual(0);
    expect(one.steps.find(({ step }) => step === 'launch')?.behind).toBe(0);
  });

  test('is the same each time', async () => {
    expect(await loseOne(2, 2, 5)).toEqual(await loseOne(2, 2, 5));
  });
});

test('a tier at rest is looked at by the schedule alone, once each time', async () => {
  const counter = new PassCounter();
  const world = await servedTier({
    slots: 2,
    volumesPerSlot: 2,
    seed: 1,
    observer: { onCall: counter.onCall },
  });
  counter.reset();
  await world.run(60 * 60_000);
  expect(counter.looking()).toHaveLength(12);
  expect(Object.values(counter.byOperation).reduce((sum, calls) => sum + calls, 0)).toBe(12 * 7);
});

describe('the bound', () => {
  test('is what a full bucket and its refill let through', () => {
    expect(secondsFor('AttachVolume', 50)).toBe(0);
    expect(secondsFor('AttachVolume', 55)).toBe(1);
    expect(bucketSeconds(neededRequests(128, 8))).toBeCloseTo((1024 - 50) / 5);
    expect(bucketSeconds({ AttachVolume: 60, AttachNetworkInterface: 100 })).toBe(10);
  });

  test('a bucket gives what it holds, and no more than it fills', () => {
    const bucket = new Bucket({ capacity: 10, perSecond: 2 });
    expect([bucket.takes(10, 0), bucket.takes(1, 0), bucket.takes(1, 500), bucket.takes(1, 600)]).toEqual([
      true,
      false,
      true,
      false,
    ]);
    expect([bucket.takes(11, 3_600_000), bucket.takes(10, 3_600_000)]).toEqual([false, true]);
  });

  test('the simulated EC2 enforces its buckets', async () => {
    const { transport } = await servedTier({ slots: 1, volumesPerSlot: 1, seed: 1 });
    const at = Date.parse('2026-02-01T00:00:00Z');
    const admitted = Array.from({ length: 60 }, () => transport.throttle.admits('AttachVolume', {}, at));
    expect(admitted.filter(Boolean)).toHaveLength(50);
    expect(transport.throttle.admits('AttachNetworkInterface', {}, at)).toBe(true);
    expect(transport.throttle.admits('AttachVolume', {}, at + 200)).toBe(true);
  });
});

describe('the own share', () => {
  const second = (number: number): number => number * 1000;
  const iso = (number: number): string => new Date(second(number)).toISOString();
  const timeline = { detected: iso(1), fenced: iso(21), detached: iso(26), claimed: iso(31) };
  const moments: Moments = {
    lostAt: 0,
    terminatedAt: second(20),
    launchedAt: second(5),
    runningAt: second(25),
    waitingAt: second(10),
    registeredAt: second(30),
    installedAt: second(36),
    sentAt: second(41),
    startedAt: second(42),
    servedAt: second(52),
    completedAt: second(53),
    inServiceAt: second(60),
    things: new Map([
      ['vol-1', { freeAt: second(24), askedAt: second(32), attachedAt: second(36) }],
      ['vol-2', { freeAt: second(26), askedAt: second(32), attachedAt: second(40) }],
    ]),
  };

  test('is what a control plane without any delay would have saved', () => {
    const share = ownShareOf(moments, timeline);
    // Attached at 26 + 8, installed at 36, served ten seconds later, in service seven after that.
    expect(share.leastSeconds).toBe(36 + 10 + 7);
    expect(share.seconds).toBe(60);
    expect(share.ownSeconds).toBe(7);
    expect(share.deliverySeconds).toBe(1);
    const behind = Object.fromEntries(share.steps.map((each) => [each.step, each.behind]));
    expect(behind).toMatchObject({ fence: 1, claim: 6, attach: 6, serve: 6, complete: 7 });
  });

  test('a program that waits for the installation looks each second, which is not the host’s work', () => {
    const early = { ...moments, installedAt: second(44.5) };
    // Seen at 45, so that the work took seven seconds.
    expect(ownShareOf(early, timeline).leastSeconds).toBeCloseTo(44.5 + 7 + 7);
  });

  test('a recovery that has not ended has none', () => {
    expect(() => ownShareOf({ ...moments, inServiceAt: undefined }, timeline)).toThrow(
      'the end of the launch',
    );
  });

  test('a spread names the least, the middle and the most', () => {
    expect(spreadOf(Array.from({ length: 100 }, (_, index) => 100 - index))).toEqual({
      least: 1,
      median: 50,
      p95: 95,
      most: 100,
    });
  });
});

test('the report says what misses its goal', async () => {
  const report = { one: await measureOne(1, 1, 1, 1), all: await measureAll(1, 8, 1) };
  const late = { ...report.one, withoutDelivery: { least: 1, median: 2, p95: 2.5, most: 4 } };
  expect(isMet({ ...report, one: late })).toBe(false);
  expect(markdown({ ...report, one: late })).toMatch(/own share \| .* \| most <= 3 s \| no \|/);
});
