import { type Arguments, OptionError, type OptionKinds, readArguments } from '../arguments';
import { type DeploymentOptions, parseDeployment } from '../deployment/options';
import { PROGRAM } from '../usage';

/** What `logs` was asked for. */
export interface LogsOptions extends DeploymentOptions {
  /** A slot, a host by its name or its id; undefined: the logs of the account. */
  readonly target?: string;
  readonly sinceSeconds: number;
  readonly follow: boolean;
  readonly filter?: string;
  /** Also what Lambda says of itself, and metrics. */
  readonly all: boolean;
  readonly json: boolean;
}

/** What `bundle` was asked for. */
export interface BundleOptions extends DeploymentOptions {
  readonly host?: string;
  readonly sinceSeconds: number;
  readonly out?: string;
  /** One that was made before. */
  readonly id?: string;
  readonly dryRun: boolean;
  readonly json: boolean;
}

/** What `bench` was asked for. */
export interface BenchOptions extends DeploymentOptions {
  readonly yes: boolean;
  readonly dryRun: boolean;
  /** Only watch one that runs. */
  readonly follow: boolean;
  readonly noWait: boolean;
  readonly json: boolean;
}

/** What `gameday` was asked for. */
export interface GameDayOptions extends BenchOptions {
  /** A tier or a slot. */
  readonly target?: string;
  readonly failure: string;
  readonly approvers: readonly string[];
}

const HOURS = 3600;
const UNITS: { readonly [unit: string]: number } = { s: 1, m: 60, h: HOURS, d: 24 * HOURS };
const MOST_SECONDS = 30 * 24 * HOURS;
const FAILURES = ['Terminate', 'Hang'];

/** @throws OptionError */
export function parseLogs(args: readonly string[]): LogsOptions {
  const { target, given, ...options } = parseTwo('logs', args, 'a host or a slot', {
    since: 'value',
    filter: 'value',
    follow: 'flag',
    all: 'flag',
    json: 'flag',
  });
  const follow = given.flags.has('follow');
  if (follow && target !== undefined)
    throw new OptionError(
      `--follow goes with the logs of the account only. For the journal of ${target}: ` +
        `aws ssm start-session --target <its id>, and there journalctl -f -u 'sas-grid-*'`,
    );
  return {
    ...options,
    target,
    follow,
    sinceSeconds: sinceOf(given.values.since, follow ? '5m' : '1h'),
    filter: given.values.filter,
    all: given.flags.has('all'),
    json: given.flags.has('json'),
  };
}

/** @throws OptionError */
export function parseBundle(args: readonly string[]): BundleOptions {
  const { given, ...options } = parseDeployment('bundle', args, {
    host: 'value',
    since: 'value',
    out: 'value',
    id: 'value',
    'dry-run': 'flag',
    json: 'flag',
  });
  const { host, since, out, id } = given.values;
  if (id !== undefined && (host !== undefined || since !== undefined))
    throw new OptionError('--id gets a bundle that was made before: leave out --host and --since.');
  if (id !== undefined && !/^[A-Za-z0-9_-]{1,80}$/.test(id))
    throw new OptionError(
      `--id is '${id}'; allowed: the name of an execution, such as bundle-20261128-101500`,
    );
  return {
    ...options,
    host,
    out,
    id,
    sinceSeconds: sinceOf(since, '24h'),
    dryRun: given.flags.has('dry-run'),
    json: given.flags.has('json'),
  };
}

const RUN_KINDS: OptionKinds = {
  yes: 'flag',
  'dry-run': 'flag',
  follow: 'flag',
  'no-wait': 'flag',
  json: 'flag',
};

/** @throws OptionError */
export function parseBench(args: readonly string[]): BenchOptions {
  const { given, ...options } = parseDeployment('bench', args, RUN_KINDS);
  return { ...options, ...runOptions(given) };
}

/** @throws OptionError */
export function parseGameDay(args: readonly string[]): GameDayOptions {
  const { target, given, ...options } = parseTwo('gameday', args, 'a tier or a slot', {
    ...RUN_KINDS,
    failure: 'value',
    approvers: 'value',
  });
  const { failure = 'Terminate', approvers = '' } = given.values;
  if (!FAILURES.includes(failure))
    throw new OptionError(`--failure is '${failure}'; allowed: ${FAILURES.join(', ')}.`);
  const run = runOptions(given);
  if (target === undefined && !run.follow)
    throw new OptionError(
      `A tier or a slot is needed: whose server is to fail. Type ${PROGRAM} gameday ${options.deployment} oss-01; ` +
        '--follow watches one that runs.',
    );
  return { ...options, ...run, target, failure, approvers: approvers.split(',').filter(Boolean) };
}

function runOptions({ flags }: Arguments) {
  if (flags.has('follow') && flags.has('no-wait'))
    throw new OptionError('--follow watches, and --no-wait does not: leave one of them out.');
  return {
    yes: flags.has('yes'),
    dryRun: flags.has('dry-run'),
    follow: flags.has('follow'),
    noWait: flags.has('no-wait'),
    json: flags.has('json'),
  };
}

/** As `parseDeployment`, with a second word. */
function parseTwo(verb: string, args: readonly string[], what: string, kinds: OptionKinds) {
  const given = readArguments(args, { profile: 'value', region: 'value', ...kinds });
  const [deployment, target, extra] = given.positionals;
  if (extra !== undefined)
    throw new OptionError(
      `After the deployment stands ${what}; given: ${given.positionals.slice(1).join(' ')}.`,
    );
  const { profile, region } = given.values;
  const options = parseDeployment(verb, [
    ...(deployment === undefined ? [] : [deployment]),
    ...(profile === undefined ? [] : [`--profile=${profile}`]),
    ...(region === undefined ? [] : [`--region=${region}`]),
  ]);
  if (target !== undefined && !/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/.test(target))
    throw new OptionError(`'${target}' is not ${what}: letters, digits, dots and dashes.`);
  return { ...options, target, given };
}

/** @throws OptionError */
export function sinceOf(given: string | undefined, usual: string): number {
  const text = given ?? usual;
  const [, number = '', unit = ''] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  const seconds = Number(number) * (UNITS[unit] ?? 0);
  if (seconds > 0 && seconds <= MOST_SECONDS) return seconds;
  throw new OptionError(`--since is '${text}'; allowed: a number with s, m, h or d, at most 30d, such as 2h`);
}
