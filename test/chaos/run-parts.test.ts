import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BREAKS, mutated } from '../../proof/chaos/broken';
import { checkData, type DataRecord, parseRecords } from '../../proof/chaos/client-data';
import { parseChaosOptions } from '../../proof/chaos/options';
import { ABUSES, planOf } from '../../proof/chaos/plan';
import { recoveriesOf, summaryOf } from '../../proof/chaos/recoveries';
import { type ChaosReport, passedAll, summarizeCalls } from '../../proof/chaos/report';
import { namesOf } from '../../proof/kit/invariants/list';
import { claim, failOver, instance, release, story } from '../kit/samples';

const places = [
  { tier: 'oss', slot: 'oss-00' },
  { tier: 'mgs', slot: 'mgs-00' },
];

describe('the plan', () => {
  const settings = { seed: 7, seconds: 600, places, short: false };

  test('the same seed gives the same plan, another one another', () => {
    expect(planOf(settings)).toEqual(planOf(settings));
    expect(planOf({ ...settings, seed: 8 })).not.toEqual(planOf(settings));
  });

  test('ten minutes have every kind of abuse, in order, all slots, and some at the same moment', () => {
    const plan = planOf(settings);
    expect(new Set(plan.map(({ kind }) => kind))).toEqual(new Set(ABUSES));
    expect(new Set(plan.map(({ slot }) => slot))).toEqual(new Set(['oss-00', 'mgs-00']));
    const times = plan.map(({ at }) => at);
    expect(times).toEqual([...times].sort((a, b) => a - b));
    expect(times.at(-1)).toBeLessThan(600);
    expect(new Set(times).size).toBeLessThan(times.length);
  });

  test('begins with a server that is lost, and loses no events in the short form', () => {
    for (let seed = 0; seed < 50; seed++) {
      const plan = planOf({ ...settings, seed, seconds: 30, short: true });
      expect(plan[0]?.kind).toBe('terminate');
      expect(plan.filter(({ kind, seconds }) => kind === 'lose-events' || seconds > 6)).toEqual([]);
    }
  });
});

describe('the data of clients', () => {
  const record = (position: number, epoch: number, by = `i-${epoch}`): DataRecord => ({
    volume: 'vol-a',
    position,
    slot: 'oss-00',
    epoch,
    instance: by,
  });
  const faults = (acknowledged: DataRecord[], found: DataRecord[]) =>
    checkData(acknowledged, { 'vol-a': found }, 0).violations.map(({ detail }) => detail);

  test('all is well when what was acknowledged is there, and more that was not', () => {
    const found = [record(0, 1), record(1, 1), record(2, 2)];
    expect(checkData(found.slice(0, 2), { 'vol-a': found }, 0)).toEqual({
      acknowledged: 2,
      onVolumes: 3,
      servers: 1,
      violations: [],
    });
  });

  test('a lost record', () => {
    expect(faults([record(0, 1), record(1, 1)], [record(0, 1)])).toEqual([
      'record 1 of vol-a (oss-00, epoch 1, by i-1) was acknowledged and is lost',
    ]);
  });

  test('a record that another server has overwritten', () => {
    expect(faults([record(0, 1)], [record(0, 2)])).toEqual([
      'record 0 of vol-a (oss-00, epoch 1, by i-1) was acknowledged and overwritten (oss-00, epoch 2, by i-2)',
    ]);
  });

  test('a server that wrote after another had taken over, and two in the same epoch', () => {
    expect(faults([], [record(0, 2), record(1, 1)])).toEqual([
      'vol-a: oss-00, epoch 1, by i-1 wrote after oss-00, epoch 2, by i-2',
    ]);
    expect(faults([], [record(0, 1), record(1, 1, 'i-9')])).toEqual([
      'vol-a: oss-00, epoch 1, by i-9 and oss-00, epoch 1, by i-1 wrote in the same epoch',
    ]);
  });

  test('records of another volume, or out of place', () => {
    expect(faults([], [{ ...record(0, 1), volume: 'vol-z' }])).toEqual([
      'record 0 of vol-a says it is 0 of vol-z',
    ]);
  });

  test('a record that is being written is not read', () => {
    expect(parseRecords('vol-a 0 oss-00 1 i-1   \nvol-a 1 oss')).toEqual([record(0, 1)]);
  });
});

describe('recoveries', () => {
  test('a recovery lasts from the loss of the server until another one serves the slot', () => {
    const [recovery] = recoveriesOf(story(...failOver()));
    // The old server shuts down in second 16; the write that calls the slot served is answered in 33.1.
    expect(recovery).toMatchObject({ slot: 'oss-00', lost: 'i-1', served: 'i-2', from: 16, failedOwners: 0 });
    expect(recovery?.seconds).toBeCloseTo(17.1);
  });

  test('one that did not end is told, and so are servers that did not get to serve', () => {
    const lost = [instance('i-2', 'stopping'), instance('i-2', 'terminated')];
    const tried = [release('oss-00', 'i-2', 2), claim('oss-00', 'i-3', 3)];
    const recoveries = recoveriesOf(story(...failOver(), ...lost, ...tried));
    expect(recoveries[1]).toMatchObject({
      lost: 'i-2',
      served: undefined,
      seconds: undefined,
      failedOwners: 1,
    });
    expect(summaryOf(recoveries)).toMatchObject({ count: 2, unfinished: 1 });
  });

  test('median and worst', () => {
    const of = (seconds: number) => ({ slot: '', lost: '', from: 0, failedOwners: 0, seconds });
    expect(summaryOf([of(9), of(1), of(4)])).toEqual({
      count: 3,
      medianSeconds: 4,
      p95Seconds: 9,
      worstSeconds: 9,
      unfinished: 0,
    });
  });
});

describe('mistakes', () => {
  test.each(BREAKS.map((one) => [one.name, one] as const))('%s fits the source', (_, mistake) => {
    const source = readFileSync(join(__dirname, '../../lambda/volume-reconciler', mistake.file), 'utf8');
    expect(mutated(source, mistake)).toContain(mistake.to);
    expect(namesOf('chaos')).toEqual(expect.arrayContaining([...mistake.caughtBy]));
  });

  test('a mistake that does not fit the source any more is no silent success', () => {
    expect(() => mutated('other code', BREAKS[0]!)).toThrow(/0 times/);
  });
});

describe('the verdict', () => {
  const good: Omit<ChaosReport, 'passed'> = {
    schemaVersion: 1,
    startedAt: '',
    finishedAt: '',
    deployment: 'sas-grid-lustre',
    seed: 1,
    abusedSeconds: 10,
    totalSeconds: 20,
    slots: 1,
    servedShare: 1,
    abuses: {},
    notCarriedOut: 0,
    timeline: [],
    recoveries: { count: 1, medianSeconds: 1, p95Seconds: 1, worstSeconds: 1, unfinished: 0, list: [] },
    apiCalls: { total: 1, byService: {}, throttled: {} },
    data: { acknowledged: 1, onVolumes: 1, servers: 1, violations: [] },
    invariants: [{ id: 'one', title: 'One', passed: true, checked: 1, violations: [] }],
    checks: [{ id: 'two', title: 'Two', passed: true, detail: '' }],
    proofs: [{ name: 'three', what: '', caught: true, violated: [], example: '', seconds: 1 }],
  };

  const effects = {
    throttledCalls: 1,
    functionsKilled: 1,
    launchesRefused: 1,
    eventsLost: 1,
    eventsRepeated: 1,
    eventsDelayed: 1,
  };

  test('all held', () => {
    expect(passedAll(good)).toBe(true);
    const often = Object.fromEntries(ABUSES.map((kind) => [kind, 9]));
    expect(passedAll({ ...good, abuses: often, effects })).toBe(true);
    // Once it may have met nobody.
    expect(passedAll({ ...good, abuses: { throttle: 2 }, effects: { ...effects, throttledCalls: 0 } })).toBe(
      true,
    );
  });

  test.each<[string, Partial<ChaosReport>]>([
    ['it ended early', { error: 'why' }],
    ['an invariant was violated', { invariants: [{ ...good.invariants[0]!, passed: false }] }],
    ['nothing was judged', { invariants: [] }],
    ['a check did not hold', { checks: [{ ...good.checks[0]!, passed: false }] }],
    ['nothing was checked', { checks: [] }],
    ['a mistake went unnoticed', { proofs: [{ ...good.proofs[0]!, caught: false }] }],
    ['no client wrote', { data: { ...good.data!, acknowledged: 0 } }],
    ['data was lost', { data: { ...good.data!, violations: [{ time: 0, detail: 'lost' }] } }],
    ['nothing had to recover', { recoveries: { ...good.recoveries, count: 0 } }],
    ['an abuse came to nothing', { abuses: { throttle: 3 }, effects: { ...effects, throttledCalls: 0 } }],
    ['nobody counted what came of an abuse', { abuses: { 'lose-events': 3 }, effects: undefined }],
    ['a slot did not recover', { recoveries: { ...good.recoveries, unfinished: 1 } }],
  ])('fails when %s', (_, change) => expect(passedAll({ ...good, ...change })).toBe(false));
});

test('calls are counted without those of the test itself, and those refused as too many by their code', () => {
  const { calls } = story(
    { action: 'DescribeVolumes', error: 'RequestLimitExceeded' },
    { action: 'DescribeVolumes', userAgent: 'own' },
    { service: 'ssm', action: 'SendCommand', error: 'InvalidInstanceId' },
    { service: 'dynamodb', action: 'UpdateItem', error: 'ProvisionedThroughputExceededException' },
    { action: 'AttachVolume' },
  );
  expect(summarizeCalls(calls, 0, 3, 'own')).toEqual({
    total: 3,
    byService: { ec2: 1, ssm: 1, dynamodb: 1 },
    throttled: { RequestLimitExceeded: 1, ProvisionedThroughputExceededException: 1 },
  });
});

describe('options', () => {
  test('defaults', () => {
    expect(parseChaosOptions([])).toMatchObject({
      seconds: 600,
      short: false,
      mistakes: [],
      out: 'out/chaos',
    });
    expect(parseChaosOptions(['--seed', '4', '--prove'])).toMatchObject({
      seed: 4,
      mistakes: BREAKS.map(({ name }) => name),
    });
  });

  test.each([
    [['--seconds', '0'], /--seconds is '0'; allowed: a whole number from 1 to 86400/],
    [['--seed', '-1'], /--seed/],
    [['--seed', 'x'], /--seed is 'x'/],
    [['--prove-one', 'x'], /--prove-one is 'x'; allowed: release-at-shutting-down/],
    [['--else'], /--help/],
  ])('%j is refused', (args, message) => expect(() => parseChaosOptions(args)).toThrow(message));
});
