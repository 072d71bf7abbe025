import { setTimeout as sleep } from 'node:timers/promises';
import { OptionError } from './arguments';
import { type FoundDeployment, findDeployment, outputOf } from './deployment';
import { deploymentAws } from './deployment/aws';
import { whereIs } from './deployment/where';
import { bucketAws, workflowAws } from './evidence/aws';
import { onInterrupt } from './evidence/interrupt';
import type { BenchOptions } from './evidence/options';
import type { BucketAws, ExecutionLook, WorkflowAws } from './evidence/port';
import { complain, type Output } from './output';
import { agreed } from './run-operation';
import { Terminal } from './terminal';
import { PROGRAM } from './usage';

const FAILED = 1;
const NOT_WANTED = 3;
const LOOK_SECONDS = 5;

/** What of a result is shown. */
interface Result {
  readonly verdict: string;
  readonly reasons: readonly string[];
  readonly figures: readonly {
    readonly test: string;
    readonly directory?: string;
    readonly phase: string;
    readonly MBpsPerCore: number;
    readonly wanted?: number;
    readonly passed?: boolean;
  }[];
}

/** What the data of a run say wherever it is. */
interface RunData {
  readonly prepared?: { readonly runId?: string; readonly steps?: number; readonly summary?: string };
  readonly state?: { readonly step?: number };
}

/** Runs the benchmark of a deployment. @returns the exit code */
export async function runBench(options: BenchOptions, output: Output): Promise<number> {
  const { region } = await whereIs(options, output.env);
  const deployment = await findDeployment(options.deployment, deploymentAws(region));
  const aws = { ...workflowAws(region), ...bucketAws(region) };
  return await bench(options, output, deployment, aws, (seconds) => sleep(seconds * 1000));
}

/** As `runBench`, once it is known where. */
export async function bench(
  options: BenchOptions,
  output: Output,
  deployment: FoundDeployment,
  aws: WorkflowAws & BucketAws,
  pause: (seconds: number) => Promise<unknown>,
): Promise<number> {
  const { name } = deployment;
  const workflow = outputOf(deployment, 'BenchmarkWorkflow');
  const bucket = outputOf(deployment, 'BenchmarkBucket');
  if (!workflow || !bucket)
    throw new OptionError(
      `${name} has no benchmark that is complete. Write benchmark: {} into its configuration, and deploy it: ` +
        `make deploy DEPLOYMENT=${name}`,
    );
  const terminal = new Terminal(options.json ? output.err : output.out, output.env);
  const under = await aws.running(workflow);
  if (under) terminal.line(`A benchmark of ${name} runs: ${under}`);
  else
    terminal.line(
      `Benchmark of ${name}: ${outputOf(deployment, 'BenchmarkEstimate') ?? 'it loads the storage'}`,
    );
  if (options.follow && !under)
    throw new OptionError(`No benchmark of ${name} runs: leave out --follow to start one.`);
  if (options.dryRun) {
    terminal.line(under ? 'It would watch this one.' : `It would start ${workflow}`);
    return 0;
  }
  if (!under && !options.yes && !(await agreed(`Measure ${name} now? It loads the storage.`, output))) {
    terminal.line('Nothing was done.');
    return NOT_WANTED;
  }
  const arn = under ?? (await aws.start(workflow, undefined, { cause: 'command' }));
  if (!under) terminal.line(`Execution: ${arn}`);
  if (options.noWait) return 0;
  const release = onInterrupt(output, `It goes on. To look again: ${PROGRAM} bench ${name} --follow`);
  try {
    const { look, runId } = await follow(aws, arn, terminal, pause);
    const result = runId === undefined ? undefined : await resultOf(aws, bucket, runId);
    return show(options, output, terminal, { look, bucket, runId, result });
  } finally {
    release();
  }
}

async function follow(
  aws: WorkflowAws,
  arn: string,
  terminal: Terminal,
  pause: (seconds: number) => Promise<unknown>,
): Promise<{ readonly look: ExecutionLook; readonly runId?: string }> {
  let runId: string | undefined;
  let told = '';
  for (;;) {
    const look = await aws.execution(arn);
    const at = await aws.at(arn);
    const { prepared, state } = (at?.data ?? {}) as RunData;
    if (runId === undefined && prepared?.runId !== undefined) {
      runId = prepared.runId;
      terminal.line(`  run ${runId}: ${prepared.summary ?? ''}`);
    }
    const steps = prepared?.steps;
    const step =
      steps && state?.step !== undefined ? `step ${Math.min(state.step + 1, steps)} of ${steps}` : '';
    if (step && step !== told) terminal.line(`  ${step}`);
    told = step || told;
    if (look.status !== 'RUNNING') return { look, runId };
    terminal.status(`  ${at?.state ?? 'it begins'} ${step}`);
    await pause(LOOK_SECONDS);
  }
}

/** Undefined: there is none, since the run was broken off. */
async function resultOf(aws: BucketAws, bucket: string, runId: string): Promise<Result | undefined> {
  const key = `runs/${runId}/result.json`;
  if ((await aws.list(bucket, key)).length === 0) return undefined;
  const chunks: Buffer[] = [];
  for await (const chunk of await aws.get(bucket, key)) chunks.push(Buffer.from(chunk));
  return JSON.parse(Buffer.concat(chunks).toString('utf8')) as Result;
}

function show(
  { json, deployment }: BenchOptions,
  output: Output,
  terminal: Terminal,
  found: { look: ExecutionLook; bucket: string; runId?: string; result?: Result },
): number {
  const { look, bucket, runId, result } = found;
  const passed = result?.verdict === 'passed' && look.status === 'SUCCEEDED';
  const report = result && `s3://${bucket}/runs/${runId}/report.html`;
  if (json) {
    const { verdict, reasons, figures } = result ?? {};
    const told = {
      deployment,
      execution: look.arn,
      status: look.status,
      runId,
      verdict,
      reasons,
      figures,
      report,
    };
    output.out.write(`${JSON.stringify({ ...told, message: look.why })}\n`);
    return passed ? 0 : FAILED;
  }
  if (!result) {
    complain(output, `There is no verdict: ${look.why ?? `the execution is ${look.status}`}`);
    return FAILED;
  }
  for (const { test, directory, phase, MBpsPerCore, wanted, passed: reached } of result.figures)
    if (wanted !== undefined)
      terminal.check(
        reached === true,
        `${test} ${directory ?? ''} ${phase}: ${MBpsPerCore.toFixed(1)} MB/s per core; wanted ${wanted}`,
      );
  terminal.check(passed, `the verdict: ${result.verdict}`);
  for (const reason of result.reasons) terminal.line(`        ${reason}`);
  terminal.line(`Report: aws s3 cp ${report} .`);
  return passed ? 0 : FAILED;
}
