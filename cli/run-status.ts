import { setTimeout as sleep } from 'node:timers/promises';
import { OptionError } from './arguments';
import { type FoundDeployment, findDeployment } from './deployment';
import { deploymentAws } from './deployment/aws';
import type { DeploymentAws } from './deployment/port';
import { type Where, whereIs } from './deployment/where';
import type { Output } from './output';
import { isUnchecked } from './preflight/aws/ask';
import { statusAws } from './status/aws';
import { statusOf } from './status/gather';
import type { StatusOptions } from './status/options';
import type { StatusAws } from './status/port';
import { EXIT_CODES, reportJson, type StatusReport } from './status/report';
import { printStatus, withoutFigures } from './status/screen';
import { Terminal } from './terminal';

const EVERY_MS = 10_000;

/** Clears the screen and what has scrolled off it, and goes to its beginning. */
const CLEAR_SCREEN = '\u001b[H\u001b[2J\u001b[3J';

/** What `status` looks at, and how it waits. */
export interface Surroundings {
  readonly where: Where;
  readonly stacks: DeploymentAws;
  readonly aws: StatusAws;
  readonly now: () => number;
  /** Until it is time to look again; false when there is no more looking. */
  readonly pause: () => Promise<boolean>;
}

/** Shows how a deployment is. @returns the exit code */
export async function runStatus(options: StatusOptions, output: Output): Promise<number> {
  const where = await whereIs(options, output.env);
  const ended = new AbortController();
  const end = () => ended.abort();
  if (options.watch) process.once('SIGINT', end);
  try {
    return await showStatus(options, output, {
      where,
      stacks: deploymentAws(where.region),
      aws: statusAws(where.region),
      now: Date.now,
      pause: () =>
        sleep(EVERY_MS, undefined, { signal: ended.signal }).then(
          () => true,
          () => false,
        ),
    });
  } finally {
    process.removeListener('SIGINT', end);
  }
}

/**
 * Looks once, or until there is no more looking.
 *
 * @throws OptionError when no deployment has the name, or CloudFormation cannot be asked
 */
export async function showStatus(
  options: StatusOptions,
  output: Output,
  { where, stacks, aws, now, pause }: Surroundings,
): Promise<number> {
  let shown: string | undefined;
  let found: FoundDeployment | undefined;
  for (;;) {
    found = await find(options.deployment, stacks, found);
    const report = await statusOf(found, where, aws, { hosts: options.hosts, now: now() });
    const seen = withoutFigures(report);
    const isScreen = options.watch && output.out.isTTY === true && options.format === 'text';
    if (isScreen || seen !== shown) show(report, options, output, isScreen);
    shown = seen;
    if (!options.watch || !(await pause())) return EXIT_CODES[report.verdict];
  }
}

async function find(
  name: string,
  stacks: DeploymentAws,
  before: FoundDeployment | undefined,
): Promise<FoundDeployment> {
  try {
    return await findDeployment(name, stacks, before);
  } catch (error) {
    // For a moment: what was there before is still there.
    if (isUnchecked(error) && before) return { ...before, unread: [error.message] };
    if (isUnchecked(error))
      throw new OptionError(`The stacks of ${name} cannot be looked at: ${error.message}.`);
    throw error;
  }
}

function show(
  report: StatusReport,
  { format, watch }: StatusOptions,
  { out, env }: Output,
  clear: boolean,
): void {
  if (format === 'json') {
    out.write(reportJson(report, watch ? undefined : 2));
    return;
  }
  if (clear) out.write(CLEAR_SCREEN);
  printStatus(new Terminal(out, env), report);
  if (watch && !clear) out.write('\n');
}
