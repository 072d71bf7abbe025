import type { Source } from '../../constructs/sizing/facts';

// When to look again at what names no day of its own.
const PRICES_DAYS = 91;
const DAYS = 182;

const DAY_MS = 24 * 3600 * 1000;

/** The day to look at a source again, yyyy-mm-dd; undefined: never, since a paper stays as it is. */
export function reviewDay(source: Source & { readonly pricesOf?: string }): string | undefined {
  if (source.review !== undefined) return source.review;
  if (/^papers? /.test(source.reference)) return undefined;
  const days = source.pricesOf === undefined ? DAYS : PRICES_DAYS;
  return new Date(Date.parse(source.checked) + days * DAY_MS).toISOString().slice(0, 10);
}

/** Those whose day has come. */
export function overdue<T extends { readonly review?: string }>(facts: readonly T[], today: string): T[] {
  return facts.filter(({ review }) => review !== undefined && review <= today);
}
