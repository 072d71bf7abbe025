import { Readable } from 'node:stream';
import { parseBench } from '../../../cli/evidence/options';
import type { BucketAws, WorkflowAws } from '../../../cli/evidence/port';
import { bench } from '../../../cli/run-bench';
import { mine, screens } from './fakes';

const RESULT = {
  verdict: 'passed',
  reasons: ['all reached'],
  figures: [
    { test: 'sas-io', directory: '/sasdata', phase: 'write', MBpsPerCore: 61.23, wanted: 50, passed: true },
    { test: 'network', phase: 'tcp', MBpsPerCore: 5 },
  ],
};

async function run(args: string[], replaced: Partial<WorkflowAws & BucketAws> = {}, without: string[] = []) {
  const { said, output } = screens();
  const started: unknown[] = [];
  const statuses = ['RUNNING', 'RUNNING', 'SUCCEEDED'];
  let step = 0;
  const aws: WorkflowAws & BucketAws = {
    start: async (workflow, _, input) => {
      started.push(input);
      return `${workflow}:1`;
    },
    execution: async (arn) => ({ arn, status: statuses.shift() ?? 'SUCCEEDED' }),
    running: async () => undefined,
    at: async () => ({
      state: 'Check',
      data: { prepared: { runId: 'run-1', steps: 3, summary: '2 tests' }, state: { step: step++ } },
    }),
    list: async (_, key) => [{ key, bytes: 1 }],
    get: async () => Readable.from([Buffer.from(JSON.stringify(RESULT))]),
    ...replaced,
  };
  const code = await bench(parseBench(['mine', ...args]), output, await mine(without), aws, async () => {});
  return { code, started, ...said };
}

test('it is started, followed by its steps, and ends with the verdict and where the report is', async () => {
  const { code, out, started } = await run(['--yes']);
  expect([code, started]).toEqual([0, [{ cause: 'command' }]]);
  expect(out).toContain('Benchmark of mine: 20 minutes');
  expect(out).toMatch(/run run-1: 2 tests\n {2}step 1 of 3\n {2}step 2 of 3\n {2}step 3 of 3/);
  expect(out).toContain('ok    sas-io /sasdata write: 61.2 MB/s per core; wanted 50');
  expect(out).not.toContain('network');
  expect(out).toContain('aws s3 cp s3://results/runs/run-1/report.html .');
});

test('one that runs is followed, and not started twice', async () => {
  const { started, out } = await run([], { running: async () => 'arn:running' });
  expect(started).toEqual([]);
  expect(out).toContain('A benchmark of mine runs: arn:running');
});

test('--dry-run starts nothing', async () => {
  const { started, code } = await run(['--dry-run']);
  expect([code, started]).toEqual([0, []]);
});

test('nothing is started where nobody can be asked', async () => {
  await expect(run([])).rejects.toThrow('--yes');
});

test('--no-wait does not wait', async () => {
  const execution = async () => {
    throw new Error('was followed');
  };
  expect((await run(['--yes', '--no-wait'], { execution })).code).toBe(0);
});

test('a verdict that is not passed is exit code 1, with the reasons', async () => {
  const get = async () =>
    Readable.from([Buffer.from(JSON.stringify({ ...RESULT, verdict: 'failed', reasons: ['slow'] }))]);
  const { code, out } = await run(['--yes'], { get, execution: async (arn) => ({ arn, status: 'FAILED' }) });
  expect(code).toBe(1);
  expect(out).toContain('slow');
});

test('a run without a verdict says why', async () => {
  const { code, err } = await run(['--yes'], {
    list: async () => [],
    execution: async (arn) => ({ arn, status: 'FAILED', why: 'BenchmarkRefused: somebody is at work' }),
  });
  expect(code).toBe(1);
  expect(err).toContain('There is no verdict: BenchmarkRefused: somebody is at work');
});

test('--json gives the verdict to programs', async () => {
  const { out } = await run(['--yes', '--json']);
  expect(JSON.parse(out)).toMatchObject({ status: 'SUCCEEDED', verdict: 'passed', runId: 'run-1' });
});

test('a deployment without a benchmark says how to get one', async () => {
  await expect(run([], {}, ['BenchmarkWorkflow'])).rejects.toThrow(
    'Write benchmark: {} into its configuration',
  );
  await expect(run(['--follow'])).rejects.toThrow('No benchmark of mine runs');
});
