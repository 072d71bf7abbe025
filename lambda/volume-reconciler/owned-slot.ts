import type { FailedLaunches, Timeline } from '../shared/map';
import type { Action, SlotDecision } from './actions';
import { giveUp, isLate } from './give-up';
import type { Member } from './ports';
import { refusedBefore } from './refused-attach';
import { withDetachment, withFailure, withFencing } from './repair-times';
import { decideServing } from './serving';
import { LINGERING_ATTACHMENT_MS, MISSING_OWNER_GONE_MS, type Settings } from './settings';
import { claimOf, failedWith, isUndated, noteOf, type OwnedRow, withNote } from './slot-rows';
import { type Place, placesOf, type View } from './view';

/**
 * Whether the slot may be taken from its owner: only from an instance that can never write again. Everything the
 * protocol promises rests on this function.
 */
export function mayRelease(row: OwnedRow, view: View): boolean {
  const state = view.instanceOf(row.owner)?.state;
  // Final: an instance never leaves this state and its id is never used again.
  if (state === 'terminated') return true;
  const isMember = view.memberOf(row.owner) !== undefined;
  const holdsSomething = placesOf(row, row.owner, view).some((place) => !FREE.includes(place.at));
  if (isMember || holdsSomething) return false;
  // Stopped, outside the group (which else would replace it), with nothing of the slot: it can start only without it.
  // Or not known to EC2. Answers may be old, of the group too: it was a member when it got the slot, and only much
  // later is what they do not show not there.
  return (state === undefined || state === 'stopped') && isOldClaim(row, view);
}

/** Whether the owner got the slot so long ago that answers which do not show it are not old. */
function isOldClaim(row: OwnedRow, view: View): boolean {
  const claimedAt = Date.parse(row.claimedAt ?? '');
  return Number.isFinite(claimedAt) && view.now - claimedAt > MISSING_OWNER_GONE_MS;
}

/** Where what an owner does not hold may be. */
const FREE: readonly Place['at'][] = ['nowhere', 'foreign', 'dead'];

/** What still hangs on an owner that EC2 has long not known: only a person can tell what that is. */
function heldByForgotten(row: OwnedRow, view: View): string | undefined {
  if (view.memberOf(row.owner) !== undefined || !isOldClaim(row, view)) return undefined;
  const ids = [...row.volumes.map(({ volumeId }) => volumeId), row.networkInterfaceId];
  const places = placesOf(row, row.owner, view);
  return ids.filter((_, position) => !FREE.includes(places[position]!.at)).join(', ');
}

/** Takes the slot from its owner, which `mayRelease` allows. */
export function release(row: OwnedRow, view: View, failed?: FailedLaunches): Action {
  const own = view.rows.owners.find((each) => each.instanceId === row.owner);
  const keepsOwnerRow = own !== undefined && own.slot !== row.slot;
  return { kind: 'release', claim: claimOf(row), timeline: withFencing(row, view), failed, keepsOwnerRow };
}

/** Decides the next steps of a slot that has an owner. */
export function decideOwned(row: OwnedRow, view: View, settings: Settings): SlotDecision {
  const base = { slot: row.slot, owner: row.owner, epoch: row.epoch };
  if (mayRelease(row, view)) {
    return {
      ...base,
      phase: 'vacant',
      moving: true,
      settled: false,
      actions: [release(row, view, failedWith(row, view.now))],
    };
  }
  // The stack is being deleted: nothing is attached or served any more.
  if (row.released) return { ...base, phase: row.phase, moving: false, settled: false, actions: [] };

  const unfit = decideUnlessRunning(row, view);
  if (unfit) return unfit;
  const member = view.memberOf(row.owner);
  if (member === undefined) {
    const reason = `owner ${row.owner} runs outside its group; terminate it or put it back`;
    return unserved(row, { phase: 'blocked', reason, moving: false });
  }
  if (member.lifecycle.startsWith('Terminating')) {
    return ownerEnds(row, view, 'about to be terminated', true);
  }

  const places = placesOf(row, row.owner, view);
  if (places.every((place) => place.at === 'owner')) return decideServing(row, member, view, settings);

  const since = detachedSince(row, places);
  if (since !== undefined) {
    // Somebody took something off by hand. It comes back, and the host is told again.
    // Also where its timeline has been begun anew: one that has served is not given up for its age (give-up.ts).
    const hadServed = row.servedEpoch === row.epoch ? 'served' : undefined;
    const at = new Date(view.now).toISOString();
    const note = noteOf(row, 'attaching', `something of the slot was detached ${since}`, hadServed, at);
    return {
      ...base,
      ...note,
      moving: true,
      settled: false,
      actions: [{ kind: 'unserve', claim: claimOf(row), note }],
    };
  }
  return decideAttaching(row, member, places, view, settings);
}

/** Decides for an owner that EC2 does not show as running. */
function decideUnlessRunning(row: OwnedRow, view: View): SlotDecision | undefined {
  const state = view.instanceOf(row.owner)?.state;
  const starting = (what: string) =>
    unserved(row, { phase: 'attaching', reason: `owner ${row.owner} is ${what}`, moving: true });
  if (state === undefined) {
    const left = heldByForgotten(row, view);
    if (left === undefined) return starting('not seen yet');
    const reason = `EC2 does not know the owner ${row.owner}, to which ${left} is attached; detach it, without force`;
    return unserved(row, { phase: 'blocked', reason, moving: false });
  }
  if (state === 'pending') return starting('starting');
  if (state === 'shutting-down') return ownerEnds(row, view, 'shutting down', true);
  if (state !== 'running') return ownerEnds(row, view, state, false);
  return undefined;
}

/** Decides for an owner that runs, is a member and has still to get something of the slot. */
function decideAttaching(
  row: OwnedRow,
  member: Member,
  places: Place[],
  view: View,
  settings: Settings,
): SlotDecision {
  const actions = attachActions(row, places, view);
  const refused = refusedBefore(row, actions);
  const late = isLate(row, member, view, settings);
  const obstacle = places.find((place) => place.at === 'foreign' || place.at === 'unusable');
  if (obstacle && 'why' in obstacle) {
    const blocked = { phase: 'blocked', moving: false };
    if (!late) return unserved(row, { ...blocked, reason: obstacle.why, actions });
    const { reason, kept, actions: giving } = giveUp(row, member, view, settings, obstacle.why);
    return { ...unserved(row, { ...blocked, reason, actions: [...actions, ...giving] }), kept };
  }
  const attaching = { phase: 'attaching', moving: true };
  if (late) {
    const why = refused ?? 'volumes or interface were not attached in time';
    const { reason, kept, actions: giving } = giveUp(row, member, view, settings, why);
    // One that is kept goes on: what comes late comes.
    return { ...unserved(row, { ...attaching, reason, actions: kept ? actions : giving }), kept };
  }
  return unserved(row, { ...attaching, reason: refused, actions }, withDetachment(row, row.timeline, view));
}

/** Decides for an owner that goes away, or does not run any more. */
function ownerEnds(row: OwnedRow, view: View, what: string, moving: boolean): SlotDecision {
  const reason = `owner ${row.owner} is ${what}`;
  return unserved(row, { phase: 'attaching', reason, moving }, withFailure(row, view));
}

/** A slot whose owner does not serve it, or not yet. */
function unserved(
  row: OwnedRow,
  state: Pick<SlotDecision, 'phase' | 'reason' | 'moving'> & { readonly actions?: Action[] },
  timeline: Timeline = row.timeline,
): SlotDecision {
  const { slot, owner, epoch } = row;
  const { phase, reason, moving, actions = [] } = state;
  const decision = { slot, owner, epoch, phase, reason, moving, settled: false, actions };
  return withNote(row, decision, timeline, isUndated(row));
}

/**
 * A host is told when it holds everything. What it lacks later came off since, and what it says of the time before
 * counts no more: what it had mounted is dead, also when the same volume comes back.
 */
function detachedSince(row: OwnedRow, places: Place[]): string | undefined {
  if (row.servedEpoch === row.epoch) return 'while it was served';
  const told = row.command?.epoch === row.epoch && row.command.id !== undefined;
  const lacking = places.some((place) => place.at !== 'owner' && place.at !== 'moving');
  return told && lacking ? 'after the host was told' : undefined;
}

/**
 * Attaches what lies free, and detaches (never by force) what EC2 left on a dead instance.
 *
 * An attach cannot be made conditional on the map. It needs no condition: it names the instance that the row named as
 * owner, and the slot leaves that instance only after it was seen terminated (or stopped without the slot). A worker
 * that is late therefore asks to attach to a terminated instance, whose id is never used again, and EC2 refuses.
 */
function attachActions(row: OwnedRow, places: Place[], view: View): Action[] {
  const actions: Action[] = [];
  const lingers =
    row.claimedAt !== undefined && view.now - Date.parse(row.claimedAt) > LINGERING_ATTACHMENT_MS;
  row.volumes.forEach(({ volumeId, device }, position) => {
    const place = places[position]!;
    const common = { slot: row.slot, volumeId };
    if (place.at === 'nowhere')
      actions.push({ kind: 'attach-volume', ...common, instanceId: row.owner, device });
    if (place.at === 'dead' && lingers) {
      actions.push({ kind: 'detach-volume', ...common, instanceId: place.instanceId });
    }
  });
  const place = places[row.volumes.length]!;
  if (place.at === 'nowhere') {
    const interfaceId = row.networkInterfaceId;
    actions.push({ kind: 'attach-interface', slot: row.slot, interfaceId, instanceId: row.owner });
  }
  if (place.at === 'dead' && lingers && place.attachmentId !== undefined) {
    const { attachmentId, instanceId } = place;
    actions.push({ kind: 'detach-interface', slot: row.slot, attachmentId, instanceId });
  }
  return actions;
}
