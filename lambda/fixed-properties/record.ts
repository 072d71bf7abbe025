import { createHash } from 'node:crypto';

/** Values by name: one that never changes, or a list that may grow and keeps the order of what it has. */
export type Values = Readonly<Record<string, string | readonly string[]>>;

/**
 * What was deployed, as the resource's physical id. CloudFormation keeps it through an update that failed and through
 * the rollback after it, unlike the properties of the request before. It has at most 1,024 bytes, so values are in it
 * as the beginnings of their SHA-256.
 */
export function recordOf(values: Values): string {
  return Object.entries(values)
    .sort(([a], [b]) => a.localeCompare(b))
    .map(
      ([name, value]) => `${name}=${typeof value === 'string' ? digest(value) : value.map(digest).join('+')}`,
    )
    .join('/');
}

/** What of the values is not as it was recorded. A record that lacks a name knows nothing of it. */
export function changesOf(record: string, values: Values): string[] {
  const recorded = new Map(
    record.split('/').map((part) => {
      const [name = '', digests = ''] = part.split('=');
      return [name, digests];
    }),
  );
  return Object.entries(values).flatMap(([name, value]) => {
    const before = recorded.get(name);
    if (before === undefined) return [];
    if (typeof value === 'string') return before === digest(value) ? [] : [name];
    const known = before === '' ? [] : before.split('+');
    // A shorter list is what is left after a rollback, or fewer members on purpose: the order is what counts.
    return value.some((each, index) => index < known.length && known[index] !== digest(each)) ? [name] : [];
  });
}

const DIGITS = 12;

const digest = (value: string): string => createHash('sha256').update(value).digest('hex').slice(0, DIGITS);
