import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { GetObjectCommand } from '@aws-sdk/client-s3';
import {
  DescribeExecutionCommand,
  GetExecutionHistoryCommand,
  StartExecutionCommand,
} from '@aws-sdk/client-sfn';
import { seconds, type Terminal, table } from '../../cli/terminal';
import type { BenchmarkResult } from '../../lambda/shared/benchmark/result';
import type { Clients } from '../kit/clients';
import type { BenchmarkOutputs } from '../kit/deploy';
import type { Check } from '../kit/model';
import { DemoError, waitFor } from '../kit/processes';
import type { BenchmarkReport } from '../kit/report';
import { verifyBenchmark } from './benchmark-check';
import { filesLeftBy } from './hosts';

const LOOK_EVERY_SECONDS = 0.5;

/**
 * Sizes that a laptop's disk bears: the hosts share it. What is shown is that the workflow measures and judges on every
 * host, not how fast anything is.
 */
const SMALL = { fileMiB: 8, processes: 2 };

/** Virtual machines share the processors of this one: to each of them the others' work looks like its own. */
const SMALL_ON_MACHINES = { ...SMALL, busyMBps: 0 };

/** Where the page about the run is, below the demo's folder. */
const BENCHMARK_PAGE = 'benchmark.html';

/** What a run of the workflow ended with: the output of its last step but one, whatever the verdict. */
interface Ended {
  readonly resultKey: string;
  readonly reportKey: string;
}

/**
 * Runs the deployment's benchmark as somebody would by hand, and fetches what it found.
 * @param machines whether the hosts are virtual machines
 */
export async function runBenchmark(
  clients: Clients,
  { workflowArn, bucket }: BenchmarkOutputs,
  out: string,
  machines: boolean,
  terminal: Terminal,
): Promise<BenchmarkReport> {
  const started = Date.now();
  const input = JSON.stringify({
    cause: 'the demo',
    tests: ['sas-io'],
    sizes: machines ? SMALL_ON_MACHINES : SMALL,
  });
  const { executionArn } = await clients.stepFunctions.send(
    new StartExecutionCommand({ stateMachineArn: workflowArn, input }),
  );
  if (!executionArn) throw new DemoError('the benchmark was started and has no execution');
  const keys = await ended(clients, executionArn, terminal);
  const text = await download(clients, bucket, keys.resultKey);
  const page = await download(clients, bucket, keys.reportKey);
  writeFileSync(join(out, 'benchmark.json'), text);
  writeFileSync(join(out, BENCHMARK_PAGE), page);
  const result = JSON.parse(text) as BenchmarkResult;
  const left = await filesLeftBy(
    clients.ssm,
    result.hosts.map(({ instanceId }) => instanceId),
    directoriesOf(result),
  );
  return {
    runId: result.runId,
    verdict: result.verdict,
    reasons: result.reasons,
    notRepresentative: result.notRepresentative ?? '',
    seconds: (Date.now() - started) / 1000,
    page: BENCHMARK_PAGE,
    figures: result.figures.map(({ directory = '', phase, hosts, MBps, MBpsPerCore, wanted }) => ({
      directory,
      phase,
      hosts: hosts.length,
      MBps,
      MBpsPerCore,
      ...(wanted !== undefined && { wanted }),
    })),
    checks: verifyBenchmark(result, page, left),
  };
}

/** Shows what was measured, and first of all where. */
export function showBenchmark(report: BenchmarkReport, out: string, terminal: Terminal): void {
  const number = (value: number) => value.toFixed(value < 10 ? 1 : 0);
  const rows = report.figures.map((figure) => [
    figure.directory,
    figure.phase,
    String(figure.hosts),
    number(figure.MBps),
    number(figure.MBpsPerCore),
    figure.wanted === undefined ? '' : number(figure.wanted),
  ]);
  const headers = ['Path', 'Phase', 'Hosts', 'MB/s', 'per core', 'wanted'];
  for (const line of table(headers, rows)) terminal.line(`  ${line}`);
  terminal.line();
  terminal.line(`  ${terminal.style(report.notRepresentative, 'yellow')}`);
  terminal.line(`  Verdict, were this AWS: ${report.verdict}. The page: ${join(out, report.page)}`);
  terminal.line();
}

async function ended(clients: Clients, executionArn: string, terminal: Terminal): Promise<Ended> {
  const status = await waitFor(
    'the end of the benchmark',
    async () => {
      const { status: now } = await clients.stepFunctions.send(
        new DescribeExecutionCommand({ executionArn }),
      );
      if (now !== 'RUNNING') return now;
      terminal.status(`  ${(await lastState(clients, executionArn)) ?? 'begins'}`);
      return undefined;
    },
    LOOK_EVERY_SECONDS,
  );
  const found = await judgement(clients, executionArn);
  if (found) return found;
  const { error, cause } = await clients.stepFunctions.send(new DescribeExecutionCommand({ executionArn }));
  throw new DemoError(`the benchmark's workflow ended ${status} before it was judged: ${error}: ${cause}`);
}

/** The last step that began, to show that something happens. */
async function lastState(clients: Clients, executionArn: string): Promise<string | undefined> {
  const { events = [] } = await clients.stepFunctions.send(
    new GetExecutionHistoryCommand({ executionArn, reverseOrder: true, maxResults: 20 }),
  );
  return events.find(({ stateEnteredEventDetails }) => stateEnteredEventDetails)?.stateEnteredEventDetails
    ?.name;
}

/**
 * What the judge answered. An execution that ends with Fail, because a figure was not reached, has no output of its
 * own.
 */
async function judgement(clients: Clients, executionArn: string): Promise<Ended | undefined> {
  const { events = [] } = await clients.stepFunctions.send(
    new GetExecutionHistoryCommand({ executionArn, reverseOrder: true, maxResults: 100 }),
  );
  for (const { stateExitedEventDetails } of events) {
    const keys = keysIn(stateExitedEventDetails?.output);
    if (keys) return keys;
  }
  return undefined;
}

/** Somewhere in the state, whatever the workflow calls the place. */
function keysIn(output: string | undefined): Ended | undefined {
  if (!output?.includes('"reportKey"')) return undefined;
  const search = (value: unknown): Ended | undefined => {
    if (typeof value !== 'object' || value === null) return undefined;
    const { resultKey, reportKey } = value as Partial<Ended>;
    if (resultKey && reportKey) return { resultKey, reportKey };
    for (const one of Object.values(value)) {
      const found = search(one);
      if (found) return found;
    }
    return undefined;
  };
  return search(JSON.parse(output));
}

async function download(clients: Clients, Bucket: string, Key: string): Promise<string> {
  const { Body } = await clients.s3.send(new GetObjectCommand({ Bucket, Key }));
  if (!Body) throw new DemoError(`s3://${Bucket}/${Key} is empty`);
  return Body.transformToString();
}

const directoriesOf = ({ tests }: BenchmarkResult): string[] => [
  ...new Set(tests.flatMap(({ path }) => (path ? [path.directory] : []))),
];

/** How long it took, for the summary of the demo. */
export const describeBenchmark = (report: BenchmarkReport): string =>
  `benchmark: ${report.figures.length} figures on ${Math.max(0, ...report.figures.map(({ hosts }) => hosts))} ` +
  `hosts in ${seconds(report.seconds)}`;

/** Whether everything that was to be measured was, for the verdict of the demo. */
export const held = (checks: Check[]): boolean => checks.every(({ passed }) => passed);
