import { basename, extname } from 'node:path';
import { instanceTypeFacts, knownInstanceTypes } from '../../constructs/sizing/instance-types';
import {
  type Availability,
  DESIGN_IDS,
  type Durability,
  needOf,
  type Wish,
} from '../../constructs/sizing/plan';
import { type Arguments, nearest, OptionError, type OptionKinds, readArguments } from '../arguments';
import { EXAMPLE, PROGRAM } from '../usage';
import { capacityTB, mbps, plainNumber, share } from './units';

/** What `plan` was asked for. */
export interface PlanOptions {
  readonly wish: Wish;
  readonly format: 'text' | 'json' | 'csv';
  /** The design to explain and to write. Left out: the recommended one. */
  readonly design?: string;
  /** The file that the configuration goes to. */
  readonly write?: string;
  readonly force: boolean;
}

/** What `compare` was asked for. */
export interface CompareOptions {
  readonly files: readonly [string, string];
  readonly format: 'text' | 'json';
  readonly readShare: number;
  readonly region?: string;
  readonly hoursPerMonth?: number;
}

const PLAN_OPTIONS: OptionKinds = {
  nodes: 'value',
  type: 'value',
  cores: 'value',
  clients: 'value',
  shared: 'value',
  temp: 'value',
  capacity: 'value',
  'read-share': 'value',
  durability: 'value',
  availability: 'value',
  region: 'value',
  hours: 'value',
  design: 'value',
  write: 'value',
  json: 'flag',
  csv: 'flag',
  force: 'flag',
  help: 'flag',
};

const COMPARE_OPTIONS: OptionKinds = {
  'read-share': 'value',
  region: 'value',
  hours: 'value',
  json: 'flag',
  help: 'flag',
};

const REGION = /^[a-z]{2}(-[a-z]+)+-\d$/;
// As lib/config.ts has it: the names of stacks begin with it.
const DEPLOYMENT_NAME = /^[a-z][a-z0-9-]{0,40}$/;

/** By the beginning of what the model says is wrong, the option that says otherwise. */
const OPTION_OF_PROBLEM: readonly (readonly [RegExp, string])[] = [
  [/^The number of nodes/, '--nodes'],
  [/^The (type '|cores of a node)/, '--cores'],
  [/^The MB\/s of temporary/, '--temp'],
  [/^The MB\/s of shared/, '--shared'],
  [/^(The capacity in TB|Throughput without capacity)/, '--capacity'],
  [/^The share of reads/, '--read-share'],
  [/^(The number of clients|Only \d+ clients)/, '--clients'],
  [/^The hours/, '--hours'],
  [/^The durability/, '--durability'],
  [/^The availability/, '--availability'],
];

/**
 * Reads what follows `plan`.
 *
 * @throws OptionError that says what to type
 */
export function parsePlan(args: readonly string[]): PlanOptions {
  const { values, flags, positionals } = readArguments(args, PLAN_OPTIONS);
  if (positionals.length) {
    throw new OptionError(
      `plan does not know what to do with '${positionals[0]}': every value follows its option, as in ${EXAMPLE}`,
    );
  }
  requireAll(values);
  const format = flags.has('json') ? 'json' : flags.has('csv') ? 'csv' : 'text';
  if (flags.has('json') && flags.has('csv')) throw new OptionError('--json and --csv: give one of them.');
  if (flags.has('force') && values.write === undefined) {
    throw new OptionError('--force overwrites the file of --write: give that too, or leave --force out.');
  }
  const { design, write } = values;
  if (design !== undefined && !DESIGN_IDS.includes(design)) {
    const near = nearest(design, DESIGN_IDS);
    throw new OptionError(
      `--design is '${design}'; ${near ? `did you mean ${near}?` : `allowed: ${DESIGN_IDS.join(', ')}.`}`,
    );
  }
  if (write !== undefined) requireConfigurationFile(write);
  return { wish: wishOf(values), format, design, write, force: flags.has('force') };
}

function requireAll(values: Arguments['values']): void {
  const missing = ['nodes', 'shared', 'capacity'].filter((name) => values[name] === undefined);
  const all = [
    ...missing.map((name) => `--${name}`),
    ...(values.type === undefined && values.cores === undefined ? ['--type'] : []),
  ];
  if (all.length === 0) return;
  throw new OptionError(`plan needs ${all.join(', ')} as well. Type for example ${EXAMPLE}`);
}

function requireConfigurationFile(file: string): void {
  const extension = extname(file);
  if (extension === '.yaml' && DEPLOYMENT_NAME.test(basename(file, extension))) return;
  throw new OptionError(
    `--write is '${file}'; allowed: a file <name>.yaml, of which <name> has lower-case letters, digits and ` +
      'hyphens and begins with a letter: it names the deployment. Type --write config/mine.yaml',
  );
}

function wishOf(values: Arguments['values']): Wish {
  const given = <T>(name: string, read: (option: string, text: string) => T): T | undefined =>
    values[name] === undefined ? undefined : read(`--${name}`, values[name]);
  const number = (example: number) => (option: string, text: string) => plainNumber(option, text, example);
  const nodeType = values.type?.toLowerCase();
  const coresPerNode = given('cores', number(16));
  if (nodeType !== undefined && coresPerNode === undefined) requireKnownType(nodeType);
  const wish: Wish = {
    nodes: given('nodes', number(4))!,
    nodeType,
    coresPerNode,
    temporaryMBpsPerCore: given('temp', mbps),
    sharedMBpsPerCore: given('shared', mbps)!,
    capacityTB: given('capacity', capacityTB)!,
    readShare: given('read-share', share),
    clients: given('clients', number(4)),
    durability: values.durability as Durability | undefined,
    availability: values.availability as Availability | undefined,
    region: given('region', region),
    hoursPerMonth: given('hours', number(730)),
  };
  // Clients that are not given are the nodes: what is wrong with these is said once.
  const ofClients = (problem: string) =>
    values.clients === undefined && /^The number of clients/.test(problem);
  const problems = needOf(wish).problems.filter((problem) => !ofClients(problem));
  if (problems.length) throw new OptionError(problems.map(withOption).join('\n'));
  return wish;
}

function withOption(problem: string): string {
  const option = OPTION_OF_PROBLEM.find(([pattern]) => pattern.test(problem))?.[1];
  return option ? `${option}: ${problem}` : problem;
}

function requireKnownType(type: string): void {
  if (instanceTypeFacts(type)) return;
  const names = knownInstanceTypes().map(({ name }) => name);
  const family = type.split('.')[0]!;
  const near = names.filter((name) => name.startsWith(`${family}.`));
  const mistyped = nearest(type, names);
  const others = near.length
    ? `of its family there are ${near.join(', ')}`
    : mistyped && `did you mean ${mistyped}`;
  throw new OptionError(
    `--type is '${type}', which is not in the tables${others ? `; ${others}` : ''}. Type one that is, or its ` +
      'physical cores as well: --cores 16',
  );
}

function region(option: string, text: string): string {
  if (REGION.test(text)) return text;
  throw new OptionError(`${option} is '${text}'; allowed: the name of a region. Type ${option} eu-west-1`);
}

/**
 * Reads what follows `compare`.
 *
 * @throws OptionError that says what to type
 */
export function parseCompare(args: readonly string[]): CompareOptions {
  const { values, flags, positionals } = readArguments(args, COMPARE_OPTIONS);
  const [a, b] = positionals;
  if (a === undefined || b === undefined || positionals.length > 2) {
    throw new OptionError(
      `compare takes two files; there are ${positionals.length}. Type ${PROGRAM} compare ` +
        'config/sas-grid-lustre.yaml config/mine.yaml',
    );
  }
  const hours = values.hours === undefined ? undefined : plainNumber('--hours', values.hours, 730);
  if (hours !== undefined && !(hours >= 0 && hours <= 744)) {
    throw new OptionError(`--hours is '${values.hours}'; allowed: 0 to 744. Type --hours 730`);
  }
  return {
    files: [a, b],
    format: flags.has('json') ? 'json' : 'text',
    readShare: values['read-share'] === undefined ? 0.5 : share('--read-share', values['read-share']),
    region: values.region === undefined ? undefined : region('--region', values.region),
    hoursPerMonth: hours,
  };
}
