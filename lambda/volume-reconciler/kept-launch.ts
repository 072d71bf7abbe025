import type { Action, KeptBecause } from './actions';
import type { Member } from './ports';
import { MAX_FAILED_LAUNCHES, MAX_FAILURES, type Settings } from './settings';
import { abandon, type OwnedRow } from './slot-rows';
import type { View } from './view';

/**
 * Whether a launch has had its slot for longer than a repair may take. It counts from the claim: a server that waited for the one before
 * to be gone has not been slow.
 */
export function isOverdue(row: OwnedRow, view: View, settings: Settings): boolean {
  const launchedAt = view.instanceOf(row.owner)?.launchedAt;
  if (launchedAt === undefined) return false;
  const claimedAt = Date.parse(row.claimedAt ?? '');
  const since = Number.isFinite(claimedAt) ? Math.max(launchedAt, claimedAt) : launchedAt;
  return view.now - since >= settings.recoveryTimeoutSeconds * 1000;
}

/**
 * Whether launches have failed so often that another one would fail as well: this slot's, or those of all slots together, with none
 * served in between.
 */
export function mustKeep(row: OwnedRow, view: View): boolean {
  if ((row.failedLaunches?.count ?? 0) >= MAX_FAILED_LAUNCHES) return true;
  const failed = view.rows.slots.flatMap((each) => each.failedLaunches ?? []);
  if (failed.reduce((sum, each) => sum + each.count, 0) < MAX_FAILED_LAUNCHES) return false;
  const since = Math.min(...failed.map((each) => Date.parse(each.since)));
  return !view.rows.slots.some((each) => Date.parse(each.timeline.served ?? '') >= since);
}

/** What is done about a launch that does not serve, and what its row is to say. */
export interface GivenUp {
  readonly reason: string;
  readonly actions: Action[];
  readonly kept?: KeptBecause;
}

/** Gives a launch up, or keeps it when giving it up would only bring the next one. */
export function giveUp(row: OwnedRow, view: View, settings: Settings, why: string): GivenUp {
  if (!mustKeep(row, view)) return { reason: why, actions: [abandon(row.owner, settings, why)] };
  return { reason: keptReason(row.owner, why), actions: [], kept: causeOf(row) };
}

/** Why the launch of a slot is being kept; undefined when it is not, or not yet. */
export function keptBecause(
  row: OwnedRow,
  member: Member,
  view: View,
  settings: Settings,
): KeptBecause | undefined {
  if (member.lifecycle !== 'Pending:Wait' || !mustKeep(row, view)) return undefined;
  const failures = row.command?.epoch === row.epoch ? row.command.failures : 0;
  return isOverdue(row, view, settings) || failures + 1 >= MAX_FAILURES ? causeOf(row) : undefined;
}

function causeOf(row: OwnedRow): KeptBecause {
  return row.command?.epoch === row.epoch && row.command.unsent ? 'unreachable' : 'failing';
}

function keptReason(owner: string, why: string): string {
  const kept = `; ${owner} is kept for inspection, since ${MAX_FAILED_LAUNCHES} launches before it failed`;
  // What a row says already is the reason of the next pass.
  return why.endsWith(kept) ? why : `${why}${kept}`;
}
