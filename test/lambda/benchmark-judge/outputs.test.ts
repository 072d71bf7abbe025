import { ALL_BYTES, OUTPUT_BYTES, PAUSES_MS, readOutputs } from '../../../lambda/benchmark-judge/outputs';
import type { HostOutcome } from '../../../lambda/shared/benchmark/plan';
import { sampleRun, World } from './fakes';

const done = (instanceId: string, more: Partial<HostOutcome> = {}): HostOutcome => ({
  instanceId,
  status: 'done',
  outputKey: `key/${instanceId}`,
  ...more,
});
const runOf = (...outcomes: HostOutcome[]) => sampleRun({ outcomes: { t: outcomes } });

test('outputs are read from the bucket, and inline where there is no key', async () => {
  const world = new World();
  world.objects.set('key/i-1', { text: 'from the bucket' });
  const run = runOf(done('i-1'), done('i-2', { outputKey: undefined, output: 'inline' }), {
    instanceId: 'i-3',
    status: 'lost',
    reason: 'gone',
  });
  expect(await readOutputs(run, world.ports)).toEqual({
    run,
    outputs: { t: { 'i-1': 'from the bucket', 'i-2': 'inline' } },
  });
});

test('an output that comes late is waited for', async () => {
  const world = new World();
  let reads = 0;
  world.onRead = () => {
    reads += 1;
    if (reads === 3) world.objects.set('key/i-1', { text: 'late' });
  };
  const { outputs } = await readOutputs(runOf(done('i-1')), world.ports);
  expect(outputs).toEqual({ t: { 'i-1': 'late' } });
  expect(world.slept).toEqual(PAUSES_MS.slice(0, 2));
});

test('one that never comes is a reason, in place of the inline one if there is any', async () => {
  const world = new World();
  const { run, outputs } = await readOutputs(
    runOf(
      done('i-1'),
      done('i-2', { output: 'inline' }),
      done('i-3', { status: 'failed', reason: 'exit code 1' }),
    ),
    world.ports,
  );
  expect(outputs).toEqual({ t: { 'i-2': 'inline' } });
  expect(run.outcomes.t!.map(({ reason }) => reason)).toEqual([
    'its output is not in the bucket, or may not be read (key/i-1)',
    undefined,
    'exit code 1; its output is not in the bucket, or may not be read (key/i-3)',
  ]);
});

test('one that cannot be read is a reason, and stops no other', async () => {
  const world = new World();
  world.objects.set('key/i-2', { text: 'good' });
  world.onRead = (key) => {
    if (key === 'key/i-1')
      throw Object.assign(new Error('KMS says no'), { name: 'KMS.AccessDeniedException' });
  };
  const { run, outputs } = await readOutputs(runOf(done('i-1'), done('i-2')), world.ports);
  expect(outputs).toEqual({ t: { 'i-2': 'good' } });
  expect(run.outcomes.t![0]!.reason).toContain('KMS says no');
});

test('one that is too long is cut off, and says so', async () => {
  const world = new World();
  world.objects.set('key/i-1', { text: 'beginning', bytes: OUTPUT_BYTES, cutOff: true });
  const { run, outputs } = await readOutputs(runOf(done('i-1')), world.ports);
  expect(outputs).toEqual({ t: { 'i-1': 'beginning' } });
  expect(run.outcomes.t![0]!.reason).toContain('cut off');
});

test('more than memory holds is not read, and says so', async () => {
  const world = new World();
  const ids = Array.from({ length: 40 }, (_, index) => `i-${index}`);
  for (const id of ids) world.objects.set(`key/${id}`, { text: 'x', bytes: ALL_BYTES / 20 });
  const { run, outputs } = await readOutputs(runOf(...ids.map((id) => done(id))), world.ports);
  const read = Object.keys(outputs.t!).length;
  expect(read).toBeGreaterThanOrEqual(20);
  expect(read).toBeLessThan(30);
  expect(run.outcomes.t!.filter(({ reason }) => reason?.includes('exceed'))).toHaveLength(40 - read);
});

test('few reads are under way at once', async () => {
  const world = new World();
  const ids = Array.from({ length: 128 }, (_, index) => `i-${index}`);
  for (const id of ids) world.objects.set(`key/${id}`, { text: id });
  const { outputs } = await readOutputs(runOf(...ids.map((id) => done(id))), world.ports);
  expect(Object.keys(outputs.t!)).toHaveLength(128);
  expect(world.mostUnderWay).toBe(8);
});
