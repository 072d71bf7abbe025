import { longestRunSeconds, pauseOf } from '../../../lambda/benchmark-runner/pace';
import { definition, Fleet, START, sasIo, Workflow } from './fleet';

/** AWS Step Functions Developer Guide, "Service quotas": the most events of an execution. */
const QUOTA = 25_000;

/** What a call of the workflow (constructs/storage-benchmark/workflow.ts) is in its history: the function has five events, a choice and a pause two each. */
const EVENTS_OF_A_CALL = 9;
/** Two choices or passes between steps. */
const EVENTS_BETWEEN = 4;

test('a short test is looked at often, a long one, and one late in a long run, once a minute', () => {
  expect(pauseOf(0, 0)).toBe(2);
  expect(pauseOf(100, 100)).toBe(10);
  expect(pauseOf(0, 3000)).toBe(30);
  expect(pauseOf(7200, 7200)).toBe(60);
});

test('the more steps, the shorter a run may be', () => {
  expect(longestRunSeconds(5)).toBe(30 * 3600);
  expect(longestRunSeconds(100)).toBeLessThan(28 * 3600);
  expect(longestRunSeconds(1000)).toBe(0);
});

test.each([
  [16, 4, 600],
  [30, 5, 300],
  [40, 2, 800],
])(
  '%d hosts one after the other, %d tests of %d s each: the history has room to the end',
  async (hosts, tests, seconds) => {
    const fleet = new Fleet(hosts);
    fleet.courses.set('doc-sas-io', {
      seconds,
      status: 'Success',
      exitCode: 0,
      said: 'done',
      outputAfter: 5,
    });
    const all = Array.from({ length: tests }, (_, index) =>
      sasIo(`/d${index}`, `${index + 1}-sas-io-d${index}`),
    );
    const workflow = new Workflow(fleet, definition({ parallel: false, tests: all }));
    const run = await workflow.run();
    expect(
      Object.values(run.outcomes)
        .flat()
        .filter(({ status }) => status !== 'done'),
    ).toEqual([]);
    // Each call is one of prepare, start, check and finish.
    const events = workflow.made * EVENTS_OF_A_CALL + workflow.prepared!.steps! * EVENTS_BETWEEN;
    expect(events).toBeLessThan(QUOTA - 3000);
    // Rarer looks cost a run less than a minute for each step.
    expect((fleet.now - START) / 1000).toBeLessThan(hosts * tests * (seconds + 60) + 120);
  },
);

test('a run with more steps than its history has room for is not begun', async () => {
  const all = Array.from({ length: 20 }, (_, index) => sasIo(`/d${index}`, `${index + 1}-sas-io-d${index}`));
  const workflow = new Workflow(new Fleet(50), definition({ parallel: false, tests: all }));
  await expect(workflow.run()).rejects.toThrow(/for its 1000 step\(s\).*all hosts at the same time/);
});
