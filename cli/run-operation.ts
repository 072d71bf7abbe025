import { createInterface } from 'node:readline/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { OptionError } from './arguments';
import { type FoundDeployment, findDeployment, outputOf } from './deployment';
import { deploymentAws } from './deployment/aws';
import { whereIs } from './deployment/where';
import { operationAws } from './operation/aws';
import { follow, isRunning } from './operation/follow';
import type { OperationOptions } from './operation/options';
import type { Execution, Lock, OperationAws } from './operation/port';
import type { Output } from './output';
import { Terminal } from './terminal';
import { PROGRAM } from './usage';

const REFUSED = 1;
const NOT_WANTED = 3;

/** An operation as its verb tells it. */
export interface Operation {
  /** The verb, which is also the name of the workflow. */
  readonly name: string;
  /** What it does, for the question and for --dry-run. */
  readonly plan: (deployment: FoundDeployment) => string[];
  /** What goes on of it without the lock. */
  readonly alsoUnderWay?: (
    deployment: FoundDeployment,
    aws: OperationAws,
    table: string,
  ) => Promise<Lock | undefined>;
  /** What else its workflow is told. */
  readonly input?: object;
}

/** Has an operation done in the account, and follows it. @returns the exit code */
export async function runOperation(
  operation: Operation,
  options: OperationOptions,
  output: Output,
): Promise<number> {
  const { region } = await whereIs(options, output.env);
  const deployment = await findDeployment(options.deployment, deploymentAws(region));
  return operate(operation, options, output, deployment, operationAws(region));
}

/** As `runOperation`, once it is known where. */
export async function operate(
  operation: Operation,
  options: OperationOptions,
  output: Output,
  deployment: FoundDeployment,
  aws: OperationAws,
): Promise<number> {
  const { name } = operation;
  // Whoever reads the JSON reads nothing else on the standard output.
  const terminal = new Terminal(options.json ? output.err : output.out, output.env);
  const { workflow, table } = partsOf(deployment, name);
  const under =
    (await running(aws, await aws.lock(table))) ??
    (await running(aws, await operation.alsoUnderWay?.(deployment, aws, table)));
  if (under && under.operation !== name) {
    terminal.line(`${under.operation} is under way since ${under.since}: ${under.step}`);
    const message = `${under.operation} is under way: wait for its end, or stop its execution`;
    return ended(options, output, terminal, { arn: under.execution, status: 'REFUSED', message });
  }
  terminal.line(`${name} ${deployment.name}:`);
  const plan = operation.plan(deployment);
  for (const line of plan) terminal.line(`  ${line}`);
  if (under) {
    const force = options.force ? ' --force does not change it: stop its execution first.' : '';
    terminal.line(`It is under way since ${under.since}.${force}`);
  }
  if (options.dryRun) {
    tell(options, output, { status: 'DRY_RUN', plan, execution: under?.execution });
    return 0;
  }
  if (!under && !options.yes && !(await agreed(`${name} ${deployment.name}?`, output))) {
    terminal.line('Nothing was done.');
    return NOT_WANTED;
  }
  const arn =
    under?.execution ??
    (await aws.start(workflow, { cause: 'command', force: options.force, ...operation.input }));
  terminal.line(`Execution: ${arn}`);
  if (options.noWait) {
    tell(options, output, { status: 'RUNNING', execution: arn });
    return 0;
  }
  return ended(options, output, terminal, await follow(aws, table, arn, { terminal, pause: waitSeconds }));
}

const waitSeconds = (seconds: number): Promise<unknown> => pause(seconds * 1000);

/** An execution that died, or was stopped, has left its lock: the next one takes it. */
async function running(aws: OperationAws, lock: Lock | undefined): Promise<Lock | undefined> {
  return lock && isRunning(await aws.execution(lock.execution)) ? lock : undefined;
}

/** The one object for programs. */
function tell({ json, deployment }: OperationOptions, { out }: Output, what: object): void {
  if (json) out.write(`${JSON.stringify({ deployment, ...what })}\n`);
}

function ended(
  options: OperationOptions,
  output: Output,
  terminal: Terminal,
  { arn, status, message = '' }: Execution,
): number {
  const done = status === 'SUCCEEDED';
  tell(options, output, { execution: arn, status, message });
  if (!options.json) terminal.check(done, message || `the execution is ${status}`);
  return done ? 0 : REFUSED;
}

/** @throws OptionError when the operations of the deployment are not there */
function partsOf(deployment: FoundDeployment, operation: string): { workflow: string; table: string } {
  const table = outputOf(deployment, 'OperationsTable');
  const workflows = outputOf(deployment, 'Workflows');
  const workflow = (JSON.parse(workflows ?? '{}') as { [name: string]: string })[operation];
  if (table && workflow) return { table, workflow };
  const { name } = deployment;
  throw new OptionError(
    table
      ? `${name} has no ${operation}: nothing of it can be stopped or started.`
      : `The stack ${name}-operations, in which ${operation} runs, is not there or not complete. Deploy it: ` +
          `make deploy DEPLOYMENT=${name}; how the deployment is: ${PROGRAM} status ${name}`,
  );
}

/** Asks whether to go on. @throws OptionError when nobody can answer */
export async function agreed(question: string, { out, err }: Output): Promise<boolean> {
  if (!process.stdin.isTTY || !out.isTTY) {
    throw new OptionError(
      'Nobody can be asked here: say --yes to have it done, or --dry-run to see what it does.',
    );
  }
  const lines = createInterface({ input: process.stdin, output: err as NodeJS.WritableStream });
  try {
    return /^y(es)?$/i.test((await lines.question(`${question} [y/N] `)).trim());
  } finally {
    lines.close();
  }
}
