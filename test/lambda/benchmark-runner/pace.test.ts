import { paceOf, pauseOf } from '../../../lambda/benchmark-runner/pace';
import { definition, Fleet, sasIo, Workflow } from './fleet';

/**
 * The events of a run's execution: what each state and each call of a function adds (AWS Step Functions Developer
 * Guide, history of an execution).
 */
async function eventsOf(hosts: number, directories: number, seconds: number) {
  const fleet = new Fleet(hosts);
  fleet.courses.set('doc-sas-io', { seconds, status: 'Success', exitCode: 0, said: 'done', outputAfter: 5 });
  const tests = Array.from({ length: directories }, (_, index) => ({
    ...sasIo(`/data${index}`, `${index + 1}-sas-io-data${index}`),
    timeoutSeconds: 2 * seconds,
  }));
  const workflow = new Workflow(fleet, definition({ tests, parallel: false }));
  let calls = 0;
  workflow.beforeEach = () => {
    calls += 1;
  };
  const run = await workflow.run();
  const done = Object.values(run.outcomes).flatMap((all) => all.filter(({ status }) => status === 'done'));
  return { events: 9 * calls + 11 * workflow.prepared!.steps!, done: done.length, run };
}

test.each([
  ['forty hosts, one after the other, in two directories, for a whole day', 40, 2, 1100],
  ['two hundred short tests', 100, 2, 60],
])('an execution has room for the events of %s', async (_, hosts, directories, seconds) => {
  const { events, done } = await eventsOf(hosts, directories, seconds);
  expect(done).toBe(hosts * directories);
  expect(events).toBeLessThan(22_000);
});

test('what would have more is refused before it begins', async () => {
  await expect(eventsOf(250, 3, 30)).rejects.toThrow(
    /the run has 751 steps, one after the other, .*fewer hosts or tests, or all hosts at the same time/,
  );
});

test('few steps are looked at as often as is good for whoever waits, many in time to cancel', () => {
  expect(paceOf([7200, 7200, 900], 108_000)).toBe(1);
  expect([0, 30, 300, 3600].map((elapsed) => pauseOf(elapsed))).toEqual([2, 3, 30, 60]);
  expect(pauseOf(3600, 16)).toBe(300);
  // Step Functions waits for whole seconds.
  expect(pauseOf(33, 1.5)).toBe(5);
});
