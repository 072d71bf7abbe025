import type { Action } from './actions';
import type { Member } from './ports';
import type { Settings } from './settings';
import { abandon, type OwnedRow } from './slot-rows';
import { isOverdue, type View } from './view';

/**
 * Whether the owner was a spare that took the slot and has never served it. One that did serve and stopped is another matter: a person
 * looks, since the next server may find the same.
 */
function isUntriedSpare(row: OwnedRow, member: Member): boolean {
  const servedBefore = row.servedEpoch === row.epoch || row.timeline.served !== undefined;
  return member.lifecycle === 'InService' && !servedBefore;
}

/** Whether the owner has had the time that a repair may take: since its launch or, for a spare, since it took the slot. */
export function isLate(row: OwnedRow, member: Member, view: View, settings: Settings): boolean {
  if (member.lifecycle === 'Pending:Wait') return isOverdue(row.owner, view, settings.recoveryTimeoutSeconds);
  const claimedAt = Date.parse(row.claimedAt ?? '');
  return isUntriedSpare(row, member) && view.now - claimedAt >= settings.recoveryTimeoutSeconds * 1000;
}

/**
 * Lets the group replace an owner that does not come to serve: its launch is abandoned, or a spare is called unhealthy. The slot moves on
 * as always, when the instance was seen terminated.
 */
export function giveUp(row: OwnedRow, member: Member, settings: Settings, why: string): Action[] {
  if (member.lifecycle === 'Pending:Wait') return [abandon(row.owner, settings, why)];
  if (!isUntriedSpare(row, member) || !member.healthy) return [];
  return [{ kind: 'mark-unhealthy', instanceId: row.owner, why }];
}
