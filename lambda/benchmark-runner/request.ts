import type { DefinedTest } from '../../constructs/private/benchmark-definition';
import { BenchmarkRefused } from './refusal';

/** What whoever started the execution asks for: its input. */
export interface RunRequest {
  /** `deployment`, `schedule`, or whatever is said by hand. */
  readonly cause: string;
  /** Names or ids of hosts. Undefined: all of them. */
  readonly hosts?: string[];
  /** Ids of tests, or their logical names. Undefined: all of them. */
  readonly tests?: string[];
  /** Other sizes and another guard than the deployment's, by the names in `SIZES`. */
  readonly sizes: Readonly<Record<string, number>>;
  readonly parallel?: boolean;
  /** CloudFormation waits, and only for so long after the start. */
  readonly deadlineSeconds?: number;
}

/** Numbers that can be chosen by hand: the parameter of the documents, and what is allowed. */
export const SIZES: Readonly<Record<string, { parameter: string; min: number; max: number }>> = {
  fileMiB: { parameter: 'FileMiB', min: 1, max: 64 * 1024 * 1024 },
  processes: { parameter: 'Processes', min: 1, max: 1024 },
  seconds: { parameter: 'Seconds', min: 1, max: 86_400 },
  inputMiB: { parameter: 'InputMiB', min: 1, max: 1_048_576 },
  streams: { parameter: 'Streams', min: 1, max: 1024 },
  jobs: { parameter: 'Jobs', min: 19, max: 10_000 },
  scale: { parameter: 'Scale', min: 1, max: 1000 },
  maxMiB: { parameter: 'MaxMiB', min: 1, max: 64 * 1024 * 1024 },
  busyMBps: { parameter: 'BusyMBps', min: 0, max: 100_000 },
  busyCpuPercent: { parameter: 'BusyCpuPercent', min: 1, max: 100 },
};

/** What else may be in the input. `answer` is for the workflow. */
const KEYS = ['cause', 'hosts', 'tests', 'sizes', 'parallel', 'deadlineSeconds', 'answer'];

const MAX_CAUSE = 200;

/** Reads the input of an execution. Refuses what it does not understand: a typing error should not cost hours. */
export function requestOf(input: unknown): RunRequest {
  const given = input ?? {};
  if (typeof given !== 'object' || Array.isArray(given)) throw refused('the input', input, 'an object', '{}');
  const bag = given as Record<string, unknown>;
  const unknown = Object.keys(bag).filter((key) => !KEYS.includes(key));
  if (unknown.length > 0) throw refused('a key of the input', unknown[0], KEYS.slice(0, 5).join(', '), '{}');
  const { cause, parallel, deadlineSeconds } = bag;
  if (cause !== undefined && typeof cause !== 'string') {
    throw refused('cause', cause, 'text', '"after the new driver"');
  }
  if (parallel !== undefined && typeof parallel !== 'boolean') {
    throw refused('parallel', parallel, 'true or false', 'true');
  }
  return {
    cause: (cause?.trim() || 'by hand').slice(0, MAX_CAUSE),
    hosts: namesOrUndefined('hosts', bag.hosts),
    tests: namesOrUndefined('tests', bag.tests),
    sizes: checkedSizes(bag.sizes),
    parallel,
    deadlineSeconds: typeof deadlineSeconds === 'number' ? deadlineSeconds : undefined,
  };
}

/** The tests that are asked for. */
export function chosenTests(tests: readonly DefinedTest[], wanted: string[] | undefined): DefinedTest[] {
  if (!wanted) return [...tests];
  const known = tests.map(({ id }) => id);
  const missing = wanted.find((name) => !tests.some((test) => test.id === name || test.test === name));
  if (missing !== undefined) throw refused('tests', missing, known.join(', '), JSON.stringify(known));
  return tests.filter((test) => wanted.includes(test.id) || wanted.includes(test.test));
}

function namesOrUndefined(what: string, value: unknown): string[] | undefined {
  if (value === undefined) return undefined;
  const fine =
    Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'string' && one !== '');
  if (!fine) throw refused(what, value, 'a list of names', `["${what === 'hosts' ? 'node1' : 'sas-io'}"]`);
  return value;
}

function checkedSizes(value: unknown): Record<string, number> {
  if (value === undefined) return {};
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw refused('sizes', value, 'an object', '{"fileMiB": 1024}');
  }
  for (const [name, size] of Object.entries(value)) {
    const range = SIZES[name];
    if (!range) throw refused('a key of sizes', name, Object.keys(SIZES).join(', '), '{"fileMiB": 1024}');
    if (!Number.isInteger(size) || size < range.min || size > range.max) {
      throw refused(
        `sizes.${name}`,
        size,
        `a whole number from ${range.min} to ${range.max}`,
        String(range.min),
      );
    }
  }
  return value as Record<string, number>;
}

export function refused(what: string, value: unknown, allowed: string, example: string): BenchmarkRefused {
  return new BenchmarkRefused(
    `${what} is ${JSON.stringify(value) ?? 'not there'}; allowed: ${allowed}. For example ${example}.`,
  );
}
