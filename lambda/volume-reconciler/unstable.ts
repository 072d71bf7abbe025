import type { SlotRow } from '../shared/map';
import { UNSTABLE_MS, UNSTABLE_SERVINGS } from './settings';

/** The times at which the slot came to be served, with now. */
export const servedNow = (row: SlotRow, at: string): string[] =>
  [...row.servings, at].slice(-UNSTABLE_SERVINGS);

/**
 * Whether servers serve the slot and fail again, one after the other, as when what is on the volumes makes each of them
 * panic. Every repair ends well, so that nothing else would tell.
 */
export function isUnstable(row: SlotRow, now: number): boolean {
  const [first] = row.servings.slice(-UNSTABLE_SERVINGS);
  return row.servings.length >= UNSTABLE_SERVINGS && now - Date.parse(first ?? '') < UNSTABLE_MS;
}
