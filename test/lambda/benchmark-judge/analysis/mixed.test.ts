import { PUBLISHED_MIXED } from '../../../../constructs/sizing/published-results';
import * as samples from '../samples';

interface Step {
  readonly job: string;
  readonly real: number;
  readonly user: number;
  readonly system: number;
  readonly kind?: string;
  readonly step?: string;
  readonly gigabytes?: number;
  /** Nothing follows it. */
  readonly cut?: boolean;
}

function summary(...hosts: Step[][]) {
  const nodes = samples.hosts(hosts.length, 'i2.8xlarge');
  const test = samples.plan('1-mixed', 'mixed-sas', [nodes]);
  const outputs = nodes.map(({ instanceId }, index) => {
    const rows = hosts[index]!.map(({ job, real, user, system, kind = 'io', step = 'sort', gigabytes = 1 }) =>
      JSON.stringify({
        step,
        kind,
        job,
        realSeconds: real,
        userSeconds: user,
        systemSeconds: system,
        bytesRead: gigabytes * 6e8,
        bytesWritten: gigabytes * 4e8,
      }),
    );
    return [
      instanceId,
      [
        samples.say({ kind: 'raw', tool: 'time' }),
        ...rows,
        ...(hosts[index]!.some(({ cut }) => cut) ? [] : [samples.DONE]),
      ].join('\n'),
    ];
  });
  return samples.judge({
    run: samples.runRecord('mixed', nodes, [test]),
    outputs: { [test.id]: Object.fromEntries(outputs) },
    history: [],
    endedAt: '',
  }).mixed[0];
}

test('times are summed over all jobs of all hosts; the ratio is that of the jobs, not of the sums', () => {
  const found = summary(
    [
      { job: 'a', real: 60, user: 50, system: 10 },
      { job: 'b', real: 180, user: 60, system: 30 },
    ],
    [{ job: 'a', real: 60, user: 80, system: 10 }],
  )!;
  expect(found).toMatchObject({
    realMinutes: 5,
    userMinutes: expect.closeTo(190 / 60, 9),
    systemMinutes: expect.closeTo(50 / 60, 9),
    gigabytes: 3,
  });
  // 1, 0.5 and 1.5; the sums give 0.8.
  expect(found).toMatchObject({ ratioMean: 1, ratioStandardDeviation: 0.5, ratioRange: 1 });
  expect(found.steps).toMatchObject([{ name: 'sort', kind: 'io', jobs: 3, realSeconds: 300, ratio: 0.8 }]);
});

test('steps of one job count together in its ratio', () => {
  const found = summary([
    { job: 'a', step: 'read', real: 10, user: 0, system: 0 },
    { job: 'a', step: 'sort', kind: 'compute', real: 10, user: 20, system: 0 },
  ])!;
  expect(found).toMatchObject({ ratioMean: 1, ratioStandardDeviation: 0, ratioRange: 0 });
  expect(found.steps.map(({ name, ratio }) => [name, ratio])).toEqual([
    ['read', 0],
    ['sort', 2],
  ]);
});

test('a step that took no time breaks nothing', () => {
  expect(summary([{ job: 'a', real: 0, user: 0, system: 0 }])).toMatchObject({
    ratioMean: 0,
    ratioRange: 0,
    steps: [{ ratio: 0 }],
  });
});

test('steps that were cut off are left out altogether', () => {
  expect(
    summary(
      [{ job: 'a', real: 60, user: 60, system: 0 }],
      [{ job: 'a', real: 60, user: 60, system: 0, cut: true }],
    ),
  ).toMatchObject({ realMinutes: 1 });
});

test('no step, no summary', () => {
  expect(summary([])).toBeUndefined();
});

test("the papers' mean is not the ratio of the sums either", () => {
  for (const { realMinutes, userMinutes, systemMinutes, ratioMean } of PUBLISHED_MIXED)
    expect((userMinutes + systemMinutes) / realMinutes).toBeGreaterThan(ratioMean);
});
