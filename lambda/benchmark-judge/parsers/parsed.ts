/**
 * What a parser made of a tool's output: a value, or why there is none. A parser never throws and never guesses: a
 * number that was cut off is missing, since a wrong one would look like a measurement.
 */
export type Parsed<T> =
  | { readonly value: T; readonly problem?: undefined }
  | { readonly value?: undefined; readonly problem: string };

/** Lines of a text, whatever ended them: SSM keeps what the host wrote, and terminals overwrite lines with a return. */
export function lines(text: string): string[] {
  return text.split(/\r\n|\n|\r/);
}

/** No tool prints longer lines of words and numbers; expressions are not to be tried on whatever else there is. */
const LONGEST_LINE = 1000;

/** The lines of a tool that prints words and numbers. */
export function toolLines(text: string): string[] {
  return lines(text).filter(({ length }) => length <= LONGEST_LINE);
}

/** A number of a tool's output that has to be finite and not negative; undefined for anything else. */
export function amount(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;
}

export type Fields = { readonly [name: string]: unknown };

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What JSON.parse makes of a text; undefined where it is no JSON. */
export function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
