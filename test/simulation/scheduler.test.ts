import { Random } from '../../proof/simulation/core/random';
import { Scheduler } from '../../proof/simulation/core/scheduler';

test('entries run by time, then in the order in which they were entered, and promises in between', async () => {
  const scheduler = new Scheduler(1000);
  const seen: string[] = [];
  const waits = async (): Promise<void> => {
    await scheduler.sleep(5);
    seen.push(`slept until ${scheduler.now()}`);
    await Promise.resolve();
    await Promise.resolve();
    seen.push('after two reactions');
  };
  void waits();
  scheduler.after(5, () => seen.push('second at 5'));
  scheduler.after(3, () => seen.push('at 3'));
  scheduler.after(5, () => seen.push('cancelled'))();
  await scheduler.run(1100);
  expect(seen).toEqual(['at 3', 'slept until 1005', 'after two reactions', 'second at 5']);
  expect(scheduler.now()).toBe(1100);
});

test('a run stops when it is told to, and goes on from there', async () => {
  const scheduler = new Scheduler(0);
  const seen: number[] = [];
  for (const ms of [10, 20, 30]) scheduler.after(ms, () => seen.push(ms));
  await scheduler.run(100, () => seen.length === 2);
  expect([scheduler.now(), ...seen]).toEqual([20, 10, 20]);
  await scheduler.run(100);
  expect([scheduler.now(), ...seen]).toEqual([100, 10, 20, 30]);
});

test('what watches a run ends it with its own error', async () => {
  const scheduler = new Scheduler(0);
  scheduler.watch(() => {
    if (scheduler.now() >= 2) scheduler.fail(new Error('violated'));
  });
  scheduler.after(1, () => undefined);
  scheduler.after(2, () => undefined);
  scheduler.after(3, () => undefined);
  await expect(scheduler.run(10)).rejects.toThrow('violated');
  expect(scheduler.now()).toBe(2);
});

test('a thousand entries come out in order', async () => {
  const scheduler = new Scheduler(0);
  const random = new Random(7);
  const seen: number[] = [];
  for (let count = 0; count < 1000; count++)
    scheduler.after(random.int(0, 50), () => seen.push(scheduler.now()));
  await scheduler.run(100);
  expect(seen).toHaveLength(1000);
  expect(seen).toEqual([...seen].sort((a, b) => a - b));
});

test('a fork does not depend on what was drawn before, and forks differ', () => {
  const one = new Random(42);
  const other = new Random(42);
  one.next();
  const draws = (random: Random): number[] => Array.from({ length: 20 }, () => random.int(0, 1_000_000));
  expect(draws(one.fork('calls'))).toEqual(draws(other.fork('calls')));
  expect(draws(one.fork('calls'))).not.toEqual(draws(one.fork('events')));
  expect(draws(new Random(1).fork('calls'))).not.toEqual(draws(new Random(2).fork('calls')));
});

test('numbers lie evenly in their range', () => {
  const random = new Random(3);
  const counts = [0, 0, 0, 0];
  for (let count = 0; count < 40_000; count++) counts[random.int(0, 3)]! += 1;
  for (const count of counts) expect(Math.abs(count - 10_000)).toBeLessThan(400);
});
