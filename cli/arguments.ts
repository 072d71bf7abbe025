import { parseArgs } from 'node:util';

/** A command line that cannot be understood; the message says what to type. */
export class OptionError extends Error {
  public override readonly name = 'OptionError';
}

/** Whether an error is one, also of the other file of the bundle, which has a class of its own for it. */
export function isOptionError(error: unknown): error is OptionError {
  return error instanceof Error && error.name === 'OptionError';
}

/** Which options there are: those with a value, and those without. */
export type OptionKinds = { readonly [name: string]: 'value' | 'flag' };

/** What a command line says. */
export interface Arguments {
  readonly values: { readonly [name: string]: string | undefined };
  readonly flags: ReadonlySet<string>;
  readonly positionals: readonly string[];
}

const SHORT_FORMS: { readonly [letter: string]: string } = { h: 'help' };

/**
 * Takes a command line apart. Not with the strict mode of parseArgs, whose messages do not say what to type.
 *
 * @throws OptionError for an option that is not there, is given twice, lacks its value or has one too many
 */
export function readArguments(args: readonly string[], kinds: OptionKinds): Arguments {
  const known = Object.keys(kinds);
  const { tokens } = parseArgs({
    args: [...args],
    strict: false,
    tokens: true,
    options: Object.fromEntries(
      known.map((name) => [
        name,
        { type: kinds[name] === 'flag' ? ('boolean' as const) : ('string' as const) },
      ]),
    ),
  });
  const values: { [name: string]: string } = {};
  const flags = new Set<string>();
  const positionals: string[] = [];
  for (const token of tokens) {
    if (token.kind === 'positional') positionals.push(token.value);
    if (token.kind !== 'option') continue;
    const { rawName, value } = token;
    const name = rawName.startsWith('--') ? token.name : (SHORT_FORMS[token.name] ?? '');
    if (!Object.hasOwn(kinds, name)) throw new OptionError(unknown(rawName, known));
    if (name in values || flags.has(name)) throw new OptionError(`--${name} is given twice: give it once.`);
    if (kinds[name] === 'flag') {
      if (value !== undefined) throw new OptionError(`--${name} takes no value: leave '${value}' out.`);
      flags.add(name);
    } else if (value === undefined || value === '' || (!token.inlineValue && value.startsWith('--'))) {
      throw new OptionError(`--${name} lacks its value.`);
    } else values[name] = value;
  }
  return { values, flags, positionals };
}

/**
 * As `readArguments`, of a program in which each value follows its option.
 *
 * @throws OptionError also for a value that follows none
 */
export function readOptions(args: readonly string[], kinds: OptionKinds): Omit<Arguments, 'positionals'> {
  const { values, flags, positionals } = readArguments(args, kinds);
  if (positionals.length === 0) return { values, flags };
  throw new OptionError(`Nothing is known of '${positionals[0]}': every value follows its option.`);
}

/** @throws OptionError for what is no whole number of the range */
export function wholeNumber(option: string, text: string, min: number, max: number): number {
  const number = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (number >= min && number <= max) return number;
  throw new OptionError(`${option} is '${text}'; allowed: a whole number from ${min} to ${max}`);
}

function unknown(rawName: string, known: readonly string[]): string {
  const near = nearest(rawName.replace(/^-+/, ''), known);
  const options = known.map((name) => `--${name}`).join(', ');
  return `There is no option ${rawName}; ${near ? `did you mean --${near}?` : `there are: ${options}.`}`;
}

/** The name that someone who typed `typed` most likely meant: two mistakes at most, or its beginning. */
export function nearest(typed: string, known: readonly string[]): string | undefined {
  const text = typed.toLowerCase();
  const ranked = known
    .map((name) => ({ name, mistakes: text && name.startsWith(text) ? 0 : mistakes(text, name) }))
    .sort((a, b) => a.mistakes - b.mistakes);
  const [best] = ranked;
  return best && best.mistakes <= Math.min(2, Math.floor(text.length / 2)) ? best.name : undefined;
}

/** Levenshtein's distance. */
function mistakes(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const changed = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(changed, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[b.length]!;
}
