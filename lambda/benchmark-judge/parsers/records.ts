import { MARK, type Observation, type RawOutput } from '../../shared/benchmark/observations';
import { amount, type Fields, isFields, json, lines, type Parsed } from './parsed';

/** The output of a tool, with what the program said of it. */
export interface RawBlock extends RawOutput {
  readonly text: string;
  /** Whether another mark follows: without one, the block may have been cut off. */
  readonly ended: boolean;
}

/**
 * Reads a block. What a tool printed before it failed is no result.
 *
 * @param whole whether a beginning of the output would give other numbers than all of it, such as a mean of fewer
 * samples
 */
export function readBlock<T>(block: RawBlock, parse: (text: string) => Parsed<T>, whole = false): Parsed<T> {
  if (whole && !block.ended) return { problem: `the output of ${block.tool} was cut off` };
  const parsed = parse(block.text);
  if (parsed.problem === undefined && block.exitCode) {
    return { problem: `${block.tool} ended with ${block.exitCode}` };
  }
  return parsed;
}

/** The whole output of a program on one host, taken apart. */
export interface Records {
  readonly observations: Observation[];
  readonly raw: RawBlock[];
  /** Whether the program came to its end. */
  readonly done: boolean;
  /** Marked lines that could not be read, a few words each. */
  readonly unreadable: string[];
}

type Check = (value: Fields) => boolean;

const text: (name: string) => Check = (name) => (value) => typeof value[name] === 'string';
const number: (name: string) => Check = (name) => (value) => amount(value[name]) !== undefined;
const flag: (name: string) => Check = (name) => (value) => typeof value[name] === 'boolean';
const maybe: (name: string, check: (name: string) => Check) => Check = (name, check) => (value) =>
  value[name] === undefined || value[name] === null || check(name)(value);

/** What has to be in an observation for the rest of the judge to rely on it. */
const SHAPES: Readonly<Record<Observation['kind'], readonly Check[]>> = {
  host: [number('physicalCores'), number('logicalCpus'), number('memoryMiB')],
  setup: [
    text('test'),
    number('processes'),
    number('fileMiB'),
    number('blockKiB'),
    flag('reduced'),
    text('data'),
    flag('cachesDropped'),
    maybe('freeMiB', number),
  ],
  raw: [
    text('tool'),
    maybe('phase', text),
    maybe('process', number),
    maybe('peer', text),
    maybe('exitCode', number),
    maybe('startedAt', number),
    maybe('endedAt', number),
  ],
  phase: [
    text('phase'),
    number('startedAt'),
    number('endedAt'),
    number('bytes'),
    number('processes'),
    maybe('userSeconds', number),
    maybe('systemSeconds', number),
    (value) => (value.endedAt as number) > (value.startedAt as number),
  ],
  refused: [text('reason'), text('text')],
  note: [text('text')],
  done: [],
};

/**
 * Takes the output of a program apart. Garbage between the marks is no harm; a marked line that was cut off or is not
 * what it should be is left out and named in `unreadable`.
 */
export function parseRecords(output: string): Records {
  const observations: Observation[] = [];
  const raw: RawBlock[] = [];
  const unreadable: string[] = [];
  let block: { readonly head: RawOutput; readonly lines: string[] } | undefined;
  const close = (ended: boolean) => {
    if (block) raw.push({ ...block.head, text: block.lines.join('\n'), ended });
    block = undefined;
  };
  for (const line of lines(output)) {
    // A tool that did not end its last line leaves the mark in the middle of one.
    const at = line.indexOf(MARK);
    if (at < 0) {
      block?.lines.push(line);
      continue;
    }
    if (at > 0) block?.lines.push(line.slice(0, at));
    close(true);
    const found = observation(line.slice(at + MARK.length));
    if (!found) {
      unreadable.push(line.slice(at, at + 120));
      continue;
    }
    observations.push(found);
    if (found.kind === 'raw') block = { head: found, lines: [] };
  }
  close(false);
  return { observations, raw, done: observations.some(({ kind }) => kind === 'done'), unreadable };
}

function observation(line: string): Observation | undefined {
  const value = json(line.trim());
  if (!isFields(value) || typeof value.kind !== 'string' || !Object.hasOwn(SHAPES, value.kind))
    return undefined;
  const checks = SHAPES[value.kind as Observation['kind']];
  if (!checks.every((check) => check(value))) return undefined;
  // null stands for what the host could not tell.
  return Object.fromEntries(
    Object.entries(value).filter(([, field]) => field !== null),
  ) as unknown as Observation;
}

/** All observations of one kind, in their order. */
export function ofKind<Kind extends Observation['kind']>(
  { observations }: Records,
  kind: Kind,
): Extract<Observation, { kind: Kind }>[] {
  return observations.filter((one): one is Extract<Observation, { kind: Kind }> => one.kind === kind);
}
