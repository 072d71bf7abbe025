import type { SlotRow } from '../shared/map';
import type { KeptBecause } from './actions';
import { MAX_FAILED_LAUNCHES, MAX_FAILURES } from './settings';
import type { OwnedRow } from './slot-rows';
import type { View } from './view';

/**
 * Whether launches have failed so often that another one would fail as well: this slot's, or those of all slots
 * together, with none served in between.
 */
export function mustKeep(row: OwnedRow, view: View): boolean {
  if ((row.failedLaunches?.count ?? 0) >= MAX_FAILED_LAUNCHES) return true;
  // What failed for a slot whose update was undone for it says nothing of the others, which were served before.
  const kept = view.rows.slots.filter((each) => !each.released);
  const failed = kept.flatMap((each) => each.failedLaunches ?? []);
  if (failed.reduce((sum, each) => sum + each.count, 0) < MAX_FAILED_LAUNCHES) return false;
  const since = Math.min(...failed.map((each) => Date.parse(each.since)));
  return !kept.some((each) => Date.parse(each.timeline.served ?? '') >= since);
}

/**
 * Whether also the launch that was to be kept has ended without serving: by itself, as when its image stops or its key
 * cannot be used, or by a person's hand. There is nothing to be looked at then, and launches go on failing.
 */
export function hasEndedToo({ released, failedLaunches }: SlotRow): boolean {
  return !released && (failedLaunches?.count ?? 0) > MAX_FAILED_LAUNCHES;
}

/** Why an owner that may be given up is being kept; undefined when it is not, or not yet. */
export function keptBecause(row: OwnedRow, view: View, late: boolean): KeptBecause | undefined {
  if (!mustKeep(row, view)) return undefined;
  const failures = row.command?.epoch === row.epoch ? row.command.failures : 0;
  return late || failures + 1 >= MAX_FAILURES ? causeOf(row) : undefined;
}

/**
 * Whether Systems Manager took no command for the owner, or delivered none; the row says of the last one until the host
 * has been heard.
 */
export function causeOf(row: OwnedRow): KeptBecause {
  const { command } = row;
  if (command?.epoch !== row.epoch) return 'failing';
  return command.unsent || row.reason?.startsWith(undeliveredTo(row.owner)) ? 'unreachable' : 'failing';
}

/** How the reason of a row begins whose owner was told and got nothing. */
export const undeliveredTo = (owner: string): string =>
  `Systems Manager did not deliver the command to ${owner}`;

export function keptReason(owner: string, why: string): string {
  const kept = `; ${owner} is kept for inspection, since ${MAX_FAILED_LAUNCHES} launches before it failed`;
  // What a row says already is the reason of the next pass.
  return why.endsWith(kept) ? why : `${why}${kept}`;
}
