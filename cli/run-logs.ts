import { setTimeout as sleep } from 'node:timers/promises';
import { OptionError } from './arguments';
import { type FoundDeployment, findDeployment, outputOf } from './deployment';
import { deploymentAws } from './deployment/aws';
import { whereIs } from './deployment/where';
import { hostsAws } from './evidence/aws';
import { calledBy, chosen, type HostsAws, hostsOf } from './evidence/hosts';
import { logsAws } from './evidence/logs-aws';
import type { LogsOptions } from './evidence/options';
import type { LogEvent, LogsAws } from './evidence/port';
import { type LogSource, logSources } from './evidence/sources';
import { complain, type Output } from './output';
import { printable } from './planner/words';
import { isUnchecked } from './preflight/aws/ask';

const UNREAD = 1;

/** The most lines that are kept of one log. */
const MOST_EVENTS = 10_000;

/** Logs are asked again so much from before, since their lines come in late, in milliseconds. */
const LATE_MS = 30_000;
const LOOK_MS = 2000;

/** What Lambda says of each call, and metrics. */
const NOISE = /^(START|END|REPORT|INIT_START) |^\{"_aws":/;

/** How time passes for whoever follows. */
export interface Passing {
  now(): number;
  /** @returns whether to go on */
  pause(milliseconds: number): Promise<boolean>;
}

const CLOCK: Passing = { now: Date.now, pause: (milliseconds) => sleep(milliseconds, true) };

/** Shows what a deployment says. @returns the exit code */
export async function runLogs(options: LogsOptions, output: Output): Promise<number> {
  const { region } = await whereIs(options, output.env);
  const deployment = await findDeployment(options.deployment, deploymentAws(region));
  return await showLogs(options, output, deployment, { ...logsAws(region), ...hostsAws(region) }, CLOCK);
}

/** As `runLogs`, once it is known where. */
export async function showLogs(
  options: LogsOptions,
  output: Output,
  deployment: FoundDeployment,
  aws: LogsAws & HostsAws,
  clock: Passing,
): Promise<number> {
  if (options.target !== undefined) return await showJournal(options, output, deployment, aws, clock);
  const sources = logSources(deployment);
  if (sources.length === 0)
    throw new OptionError(`${deployment.name} has no logs yet: none of its stacks has a log group.`);
  const width = Math.max(...sources.map(({ name }) => name.length));
  const seen = new Set<string>();
  const unread = new Set<string>();
  let since = clock.now() - options.sinceSeconds * 1000;
  for (;;) {
    const begun = clock.now();
    const lines = await Promise.all(
      sources.map(async (source) => await linesOf(source, since, options, aws, output, unread)),
    );
    const fresh = lines.flat().filter(({ event }) => !seen.has(event.id));
    for (const { source, event } of fresh.sort((a, b) => a.event.at - b.event.at)) {
      seen.add(event.id);
      output.out.write(`${options.json ? asJson(source, event) : asText(source, event, width)}\n`);
    }
    if (!options.follow || !(await clock.pause(LOOK_MS))) return unread.size > 0 ? UNREAD : 0;
    since = Math.max(since, begun - LATE_MS);
  }
}

async function linesOf(
  source: LogSource,
  since: number,
  { filter, all }: LogsOptions,
  aws: LogsAws,
  output: Output,
  unread: Set<string>,
): Promise<{ source: LogSource; event: LogEvent }[]> {
  try {
    const { events, cut } = await aws.events(source.group, since, filter, MOST_EVENTS);
    if (cut)
      complain(output, `${source.name}: only the newest ${MOST_EVENTS} lines; ask for less with --since`);
    return events.filter(({ message }) => all || !NOISE.test(message)).map((event) => ({ source, event }));
  } catch (error) {
    const why = isUnchecked(error) ? error.message : String(error);
    if (!unread.has(source.group)) complain(output, `${source.name} cannot be read: ${why}`);
    unread.add(source.group);
    return [];
  }
}

const asText = ({ name }: LogSource, { at, message }: LogEvent, width: number): string =>
  `${new Date(at).toISOString()}  ${name.padEnd(width)}  ${printable(message)}`;

const asJson = ({ name, group }: LogSource, { at, stream, message }: LogEvent): string =>
  JSON.stringify({ at: new Date(at).toISOString(), source: name, group, stream, message });

async function showJournal(
  { target, sinceSeconds, filter, json }: LogsOptions,
  output: Output,
  deployment: FoundDeployment,
  aws: LogsAws & HostsAws,
  clock: Passing,
): Promise<number> {
  const document = outputOf(deployment, 'JournalDocument');
  if (document === undefined) throw new OptionError(noOperations(deployment.name, 'logs of a host'));
  const host = chosen(await hostsOf(deployment, aws), target!);
  const { text, why } =
    host.state === 'running'
      ? await aws.journal(document, host.instanceId, clock.now() - sinceSeconds * 1000)
      : { text: '', why: `it is ${host.state}` };
  // That older lines are cut off is to be seen whatever is looked for.
  const wanted = (line: string) =>
    filter === undefined || line.includes(filter) || line.startsWith('cut off:');
  const lines = text.split('\n').filter((line) => line !== '' && wanted(line));
  const { instanceId } = host;
  for (const message of lines)
    output.out.write(
      `${json ? JSON.stringify({ source: calledBy(host), instanceId, message }) : printable(message)}\n`,
    );
  if (why === undefined) {
    if (lines.length === 0) complain(output, `${calledBy(host)} (${instanceId}) said nothing in this time`);
    return 0;
  }
  complain(
    output,
    `${calledBy(host)} (${instanceId}) has not answered: ${why}. What its console said: ` +
      `aws ec2 get-console-output --latest --output text --instance-id ${instanceId}`,
  );
  return UNREAD;
}

/** What to do where the stack of operations is not there. */
export const noOperations = (name: string, what: string): string =>
  `The stack ${name}-operations, which has ${what}, is not there or not complete. Deploy it: make deploy ` +
  `DEPLOYMENT=${name}`;
