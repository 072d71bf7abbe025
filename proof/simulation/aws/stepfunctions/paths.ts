import { SimulationError } from '../errors';
import type { PayloadTemplate } from './definition';

/** A runtime error of a state, by its name (States Language, "Appendix A: Predefined Error Codes"). */
export class StateError extends Error {
  constructor(
    override readonly name: string,
    readonly detail: string,
  ) {
    super(detail);
  }
}

/** Whether a path leads to something: null counts, a missing member does not. */
export function isPresent(path: string, input: unknown, context: unknown): boolean {
  return find(path, input, context) !== undefined;
}

/**
 * The value at a reference path; `$$` begins in the context object. Steps are names, as far as the definition uses
 * them.
 */
export function valueAt(path: string, input: unknown, context: unknown): unknown {
  const value = find(path, input, context);
  if (value === undefined) {
    throw new StateError('States.Runtime', `the path ${path} was not found in the input`);
  }
  return value;
}

const steps = new Map<string, readonly string[]>();

function find(path: string, input: unknown, context: unknown): unknown {
  let names = steps.get(path);
  if (names === undefined) {
    if (!/^\$\$?(\.[A-Za-z_][A-Za-z0-9_-]*)*$/.test(path))
      throw new SimulationError(`the path ${path} is not simulated`);
    names = path.split('.').slice(1);
    steps.set(path, names);
  }
  let value: unknown = path.startsWith('$$') ? context : input;
  for (const name of names) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as { [name: string]: unknown })[name];
  }
  return value;
}

/** Fills a payload template: members that end with `.$` are paths or functions, all others are themselves. */
export function fill(
  template: PayloadTemplate,
  input: unknown,
  context: unknown,
): { [name: string]: unknown } {
  const filled: { [name: string]: unknown } = {};
  for (const { name, value, text, inner } of membersOf(template)) {
    if (text !== undefined) filled[name] = evaluate(text, input, context);
    else filled[name] = inner === undefined ? value : fill(inner, input, context);
  }
  return filled;
}

/** A member of a template: a value, a path or function as `text`, or a template. */
interface Member {
  readonly name: string;
  readonly value?: unknown;
  readonly text?: string;
  readonly inner?: PayloadTemplate;
}

const members = new WeakMap<PayloadTemplate, readonly Member[]>();

/** Read once: a definition does not change. */
function membersOf(template: PayloadTemplate): readonly Member[] {
  const known = members.get(template);
  if (known !== undefined) return known;
  const found = Object.entries(template).map(([name, value]): Member => {
    if (name.endsWith('.$')) return { name: name.slice(0, -2), text: String(value) };
    if (Array.isArray(value)) throw new SimulationError('a list in a payload template is not simulated');
    if (typeof value === 'object' && value !== null) return { name, inner: value as PayloadTemplate };
    return { name, value };
  });
  members.set(template, found);
  return found;
}

const MATH_ADD = /^States\.MathAdd\(\s*(\S+?)\s*,\s*(\S+?)\s*\)$/;

function evaluate(text: string, input: unknown, context: unknown): unknown {
  if (text.startsWith('$')) return valueAt(text, input, context);
  const sum = MATH_ADD.exec(text);
  if (sum === null) throw new SimulationError(`the function ${text} is not simulated`);
  const [left, right] = sum
    .slice(1)
    .map((part) => Number(part.startsWith('$') ? valueAt(part, input, context) : part));
  if (!Number.isInteger(left) || !Number.isInteger(right)) {
    throw new StateError('States.IntrinsicFailure', `${text} takes whole numbers`);
  }
  return left! + right!;
}

/** Puts a result where ResultPath says: `$` replaces the input, null drops the result, `$.name` adds a member. */
export function place(resultPath: string | null | undefined, input: unknown, result: unknown): unknown {
  if (resultPath === null) return input;
  if (resultPath === undefined || resultPath === '$') return result;
  const name = /^\$\.([A-Za-z_][A-Za-z0-9_-]*)$/.exec(resultPath)?.[1];
  if (name === undefined) throw new SimulationError(`the ResultPath ${resultPath} is not simulated`);
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    throw new StateError('States.ResultPathMatchFailure', `${resultPath} does not fit the input`);
  }
  return { ...input, [name]: result };
}
