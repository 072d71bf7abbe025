import type { Timeline } from '../shared/map';
import type { Action, KeptBecause } from './actions';
import { findingOf } from './after-snapshot';
import { causeOf, keptReason, mustKeep } from './kept-launch';
import type { Member } from './ports';
import {
  EXIT_NOT_YET,
  REPAIR_MS,
  REPAIR_WORD_MS,
  type Settings,
  SILENT_SPARE_MS,
  STILL_BRINGING_UP,
  STILL_INSTALLING,
} from './settings';
import { abandonLaunch, isUndated, type OwnedRow } from './slot-rows';
import type { View } from './view';

/**
 * Whether the group may replace an owner because it does not come to serve: one that is being launched, or a spare that
 * took the slot and has never served it. One that did serve and stopped is another matter: a person looks, since the
 * next server may find the same.
 */
export function mayGiveUp(row: OwnedRow, member: Member): boolean {
  const servedBefore =
    row.servedEpoch === row.epoch || row.timeline.served !== undefined || isBegunAnew(row.timeline);
  return member.lifecycle === 'Pending:Wait' || (member.lifecycle === 'InService' && !servedBefore);
}

/**
 * Whether the times of a repair begin with an owner that has the slot still, as when it was seen to stop and came back:
 * they are begun anew for one that had come into service, and never of one that has still to serve, whose claim is
 * among them (`noticed`).
 */
function isBegunAnew({ detected, claimed, fenced, vacated }: Timeline): boolean {
  return detected !== undefined && [claimed, fenced, vacated].every((moment) => moment === undefined);
}

/**
 * Whether such an owner has had its slot for longer than a repair may take. It counts from the claim: a server that
 * waited for the one before to be gone has not been slow.
 */
export function isLate(row: OwnedRow, member: Member, view: View, settings: Settings): boolean {
  const launchedAt = view.instanceOf(row.owner)?.launchedAt;
  if (launchedAt === undefined || isUndated(row) || !mayGiveUp(row, member)) return false;
  const since = Math.max(launchedAt, Date.parse(row.claimedAt ?? ''));
  const whole = settings.recoveryTimeoutSeconds * 1000;
  // The next server would begin the repair anew, after a wait for the protection that a repair which is cut off leaves
  // behind. When it has ended, the server has the time of a launch to serve.
  const heardAt = repairHeardAt(row, view);
  if (heardAt !== undefined && view.now - since < REPAIR_MS)
    return view.now - heardAt >= Math.max(whole, REPAIR_WORD_MS);
  const short = Math.min(whole, SILENT_SPARE_MS);
  // One that has been up for long before has no boot ahead: a replacement may wait for the slot by now.
  const longUp = member.lifecycle === 'InService' && since - launchedAt >= short;
  return view.now - since >= (longUp && isSilent(row, view) ? short : whole);
}

/**
 * When the host last said that it repairs or mounts a file system of the slot, or waits for snapshots to do so: in its
 * answer to the last command, or to one before.
 */
export function repairHeardAt(row: OwnedRow, view: View): number | undefined {
  const { exitCode, detail } = view.commands[row.slot] ?? {};
  const atWork = STILL_BRINGING_UP.some((words) => detail?.includes(words));
  if (exitCode === EXIT_NOT_YET && atWork) return view.now;
  if (findingOf(view.commands[row.slot]) !== undefined) return view.now;
  const before = row.command?.epoch === row.epoch ? Date.parse(row.command.repairingAt ?? '') : Number.NaN;
  return Number.isFinite(before) ? before : undefined;
}

/** Whether nothing gets through to the owner, or only that its software is not there. */
function isSilent(row: OwnedRow, view: View): boolean {
  const { exitCode, detail } = view.commands[row.slot] ?? {};
  const installing = exitCode === EXIT_NOT_YET && detail?.includes(STILL_INSTALLING);
  return installing === true || causeOf(row) === 'unreachable';
}

/** What is done about an owner that does not serve, and what its row is to say. */
export interface GivenUp {
  readonly reason: string;
  readonly actions: Action[];
  readonly kept?: KeptBecause;
}

/**
 * Lets the group replace the owner: its launch is abandoned, or a spare is called unhealthy; or keeps it, when that
 * would only bring the next one. The slot moves on as always, when the instance was seen terminated.
 */
export function giveUp(row: OwnedRow, member: Member, view: View, settings: Settings, why: string): GivenUp {
  if (mustKeep(row, view)) return { reason: keptReason(row.owner, why), actions: [], kept: causeOf(row) };
  if (member.lifecycle === 'Pending:Wait')
    return { reason: why, actions: [abandonLaunch(row.owner, settings, why)] };
  // It was called so before: the group is at it.
  if (!member.healthy) return { reason: why, actions: [] };
  return { reason: why, actions: [{ kind: 'mark-unhealthy', instanceId: row.owner, why }] };
}
