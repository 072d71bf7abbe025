import { regionPrices } from '../../constructs/sizing/data/prices';
import { PriceBook } from '../../constructs/sizing/plan';
import type { TierDeployment } from '../../proof/simulation/aws/deployment';
import { TIMINGS } from '../../proof/simulation/aws/timings';
import { useDefinition } from '../../proof/simulation/definition';
import { EVEN_TIMINGS } from '../../proof/simulation/recovery-speed/all-lost';
import {
  bucketSeconds,
  launchSeconds,
  neededRequests,
  othersSeconds,
  secondsFor,
} from '../../proof/simulation/recovery-speed/bound';
import { Bucket } from '../../proof/simulation/recovery-speed/limits';
import {
  BOUNDS,
  GOALS,
  measureAll,
  measureOne,
  measureSpare,
  spreadOf,
} from '../../proof/simulation/recovery-speed/measure';
import type { Moments } from '../../proof/simulation/recovery-speed/moments';
import { loseOne } from '../../proof/simulation/recovery-speed/one-lost';
import { ownShareOf } from '../../proof/simulation/recovery-speed/own-share';
import { PassCounter } from '../../proof/simulation/recovery-speed/passes';
import { isMet, markdown } from '../../proof/simulation/recovery-speed/report';
import { sparePrice } from '../../proof/simulation/recovery-speed/spare-price';
import { synthesizeInstanceRule } from '../../proof/simulation/recovery-speed/standby';
import { RECOVERY_TIMEOUT_SECONDS, servedTier } from '../../proof/simulation/recovery-speed/tier';
import { deployment } from './deployment';

beforeAll(() => {
  const tier: TierDeployment = deployment();
  useDefinition({ [RECOVERY_TIMEOUT_SECONDS]: tier });
});

const LOOK_OF_128 =
  'DescribeAutoScalingGroups 1, DescribeInstances 1, DescribeNetworkInterfaces 1, DescribeVolumes 3, Query 1';

describe('all 128 servers of a tier lost at once', () => {
  const measured: Awaited<ReturnType<typeof measureAll>>[] = [];
  beforeAll(async () => {
    for (const seed of [1, 2, 3]) measured.push(await measureAll(seed));
  });

  test.each([0, 1, 2])(
    'are recovered within 1.2 times of what EC2’s buckets alone allow, as EC2 and host take their times (run %i)',
    (run) => {
      const all = measured[run]!;
      expect(all.bucketSeconds).toBeCloseTo(194.8);
      expect(all.boundSeconds).toBeCloseTo(all.beforeSeconds + all.bucketSeconds + all.afterSeconds);
      expect(all.seconds).toBeGreaterThan(all.boundSeconds);
      expect(all.ratio).toBeLessThanOrEqual(GOALS.ratio);
      expect(all.ratioOfBuckets).toBeLessThanOrEqual(GOALS.ratio);
      // By the times of EC2 and the host alone: whatever the control plane does late, it is not in them.
      const { before, after } = othersSeconds({ ...TIMINGS, ...EVEN_TIMINGS }, 8);
      expect([all.beforeSeconds, all.afterSeconds]).toEqual([before, after]);
      expect(all.firstAttachSeconds).toBeGreaterThanOrEqual(before);
      expect(all.firstAttachSeconds - before).toBeLessThanOrEqual(BOUNDS.firstAttach);
    },
  );

  test('to the letter they are not, which nobody could', () => {
    for (const all of measured) {
      expect(all.leastLiteralRatio).toBeGreaterThan(GOALS.ratio);
      expect(all.literalRatio / all.leastLiteralRatio).toBeCloseTo(all.ratio);
    }
  });

  test.each([0, 1, 2])('cost one call for each change, none of which EC2 refuses (run %i)', (run) => {
    const { calls, needed, refused } = measured[run]!;
    expect({
      AttachVolume: calls.AttachVolume,
      AttachNetworkInterface: calls.AttachNetworkInterface,
    }).toEqual(needed);
    expect(needed).toEqual({ AttachVolume: 1024, AttachNetworkInterface: 128 });
    expect(refused).toEqual({ ec2: 0, dynamodb: 0 });
    expect(calls.SendCommand).toBe(128);
    // One for the termination and one for the launch of each.
    expect(calls.CompleteLifecycleAction).toBe(2 * 128);
    // Afterwards each is named, once or, while EC2 does not show the name yet, a few times.
    expect(calls.CreateTags ?? 0).toBeLessThanOrEqual(3 * 128);
    // What becomes of a slot is written down when it changes: the steps of its timeline, what is waited for, the
    // command, the recovery.
    expect(calls.UpdateItem).toBeLessThanOrEqual(13 * 128);
    // A launch is kept alive once a minute (BEAT_MS) while EC2 takes the attaches of the others.
    expect(calls.RecordLifecycleActionHeartbeat).toBeLessThanOrEqual(4 * 128);
  });

  test('are looked at in as many calls as when one of them is lost', async () => {
    // The one of the second run ends in the middle of a pass, which looks no further.
    for (const { looks } of [measured[0]!, measured[2]!]) expect(looks).toEqual([LOOK_OF_128]);
    expect((await loseOne(128, 8, 1)).looks).toEqual([LOOK_OF_128]);
    // Three pages of 50 answers, two more, and eight hosts that no page showed.
    for (const { mostStatusCalls } of measured) expect(mostStatusCalls).toBeLessThanOrEqual(3 + 2 + 8);
  });
});

describe('one server of eight lost', () => {
  test('the control plane’s own share is within its goal', async () => {
    const one = await measureOne(20, 1);
    expect(one.own.median).toBeLessThanOrEqual(GOALS.ownSeconds);
    expect(one.own.p95).toBeLessThanOrEqual(BOUNDS.ownWithDelivery);
    expect(one.withoutDelivery.most).toBeLessThanOrEqual(GOALS.ownSeconds);
    expect(one.refused).toBe(0);
    // A pass and its wait leave a trace in each step; a share of nothing would be one that was not measured.
    expect(one.own.least).toBeGreaterThan(0.1);
    for (const { behind } of one.steps) expect(behind).toBeGreaterThanOrEqual(0);
    // Nothing of the control plane holds the launch up, nor brings it forward: it comes as the group's own times have
    // it.
    const [earliest, latest] = launchSeconds(TIMINGS);
    expect(one.launch.least).toBeGreaterThanOrEqual(earliest);
    expect(one.launch.most).toBeLessThanOrEqual(latest);
    // A wait that the own share leaves out, and that is not hidden.
    expect(one.withNotice.median).toBeGreaterThan(one.own.median);
  });

  test('is the same each time', async () => {
    expect(await loseOne(2, 2, 5)).toEqual(await loseOne(2, 2, 5));
  });
});

describe('one server of eight lost with a hot spare', () => {
  test('is recovered by the spare, sooner than by a launch, and within the same share', async () => {
    const spare = await measureSpare(20, 1, synthesizeInstanceRule(deployment()));
    expect(spare.bySpare).toBe(20);
    const one = await measureOne(20, 1);
    for (const share of ['median', 'p95', 'most'] as const)
      expect(spare.whole[share]).toBeLessThan(one.whole[share]);
    expect(spare.wholeWithoutEvents.median).toBeGreaterThan(spare.whole.median);
    expect(spare.withoutDelivery.least).toBeGreaterThan(0.1);
    expect(spare.withoutDelivery.most).toBeLessThanOrEqual(GOALS.ownSeconds);
    expect(spare.own.p95).toBeLessThanOrEqual(BOUNDS.ownWithDelivery);
  });

  test('has the rule of the construct: EC2’s events of instances that end start the workflow', () => {
    expect(synthesizeInstanceRule(deployment())).toEqual({
      states: ['shutting-down', 'stopping'],
      input: { cause: 'an instance of the account ends', deadlineSeconds: RECOVERY_TIMEOUT_SECONDS },
    });
  });

  test('costs what the planner says of one more server of the reference deployment', () => {
    const price = sparePrice();
    expect(price).toMatchObject({ what: '1 x m6in.8xlarge (OSS, hot spare)', region: 'us-east-1' });
    const book = new PriceBook(regionPrices(price.region), 730);
    expect(price.usdMonth).toBeCloseTo(book.monthOf('m6in.8xlarge'));
    expect(price.usdMonth).toBeGreaterThan(0);
    expect(price.source?.checked).toMatch(/^\d{4}-\d\d-\d\d$/);
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

  test('takes the others’ times one after the other where they are', () => {
    // Noticed after 31 + 8, booted after 24 more; ended and let go sooner, after 50 + 4.
    expect(othersSeconds({ ...TIMINGS, ...EVEN_TIMINGS }, 8)).toEqual({ before: 63, after: 4.5 + 8 * 3.5 });
    const slow = { ...TIMINGS, ...EVEN_TIMINGS, shutdown: [80_000, 80_000] as const };
    expect(othersSeconds(slow, 8).before).toBe(84);
    expect(launchSeconds(TIMINGS)).toEqual([3, 75]);
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
    // Launched at once instead of at 5, it would have been installed at 31, and attached at 26 + 8 all the same.
    expect(share.withNoticeSeconds).toBe(60 - (26 + 8 + 10 + 7));
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
  const spare = await measureSpare(1, 1, synthesizeInstanceRule(deployment()), 1, 1);
  const report = { one: await measureOne(1, 1, 1, 1), spare, all: await measureAll(1, 8, 1) };
  const late = { ...report.one, withoutDelivery: { least: 1, median: 2, p95: 2.5, most: 4 } };
  expect(isMet({ ...report, one: late })).toBe(false);
  const text = markdown({ ...report, one: late });
  expect(text).toMatch(/own share \| .* \| most <= 3 s \| no \|/);
  expect(text).toMatch(/\| Whole recovery by a launch \| .*\n\| Whole recovery by the spare \| /);
  expect(text).toMatch(
    /- What: 1 x m6in\.8xlarge \(OSS, hot spare\)\n- USD: \d+\n- Prices of: \d{4}-\d\d-\d\d\n/,
  );
});
