import type { Sleep, SlotRow } from '../shared/map';
import type { Action, SlotDecision } from './actions';
import { vacantReason } from './no-server';
import type { Member } from './ports';
import { withDetachment, withNewOwner, withoutMoments } from './repair-times';
import type { Settings } from './settings';
import { withNote } from './slot-rows';
import { holdersOf, placesOf, type View } from './view';

/** The members of the group that could serve a slot, also those that have one: alive, in service or waiting for it. */
function ableMembers(view: View): Member[] {
  return (view.members ?? [])
    .filter((member) => member.healthy && ['Pending:Wait', 'InService'].includes(member.lifecycle))
    .filter((member) => view.instanceOf(member.instanceId)?.state === 'running');
}

/** The members of the group that could serve a slot and own nothing. */
export function idleMembers(view: View): Member[] {
  const taken = new Set([
    ...view.rows.owners.map((owner) => owner.instanceId),
    ...view.rows.slots.map((row) => row.owner).filter((owner) => owner !== undefined),
  ]);
  return (
    ableMembers(view)
      .filter((member) => !taken.has(member.instanceId))
      // A spare in service has booted long ago: it serves sooner than a server that has just been launched.
      .sort(
        (a, b) => Number(waitsInHook(a)) - Number(waitsInHook(b)) || a.instanceId.localeCompare(b.instanceId),
      )
  );
}

const waitsInHook = ({ lifecycle }: Member): boolean => lifecycle === 'Pending:Wait';

/** Decides for all slots without an owner at once, since they compete for the same servers. */
export function decideVacant(rows: SlotRow[], view: View, settings: Settings): SlotDecision[] {
  const free = idleMembers(view);
  const takeMember = (wanted: (member: Member) => boolean): Member | undefined => {
    const position = free.findIndex(wanted);
    return position < 0 ? undefined : free.splice(position, 1)[0];
  };
  const chosen = new Map<string, string>();
  const obstacles = new Map<string, string>();
  // A server that already holds something of a slot is the only one that can serve it.
  for (const row of rows) {
    const held = holdersOf(row, view);
    const member = takeMember(
      (candidate) => held.has(candidate.instanceId) && canAttach(row, candidate, view),
    );
    if (member) chosen.set(row.slot, member.instanceId);
  }
  for (const row of rows) {
    if (row.released || chosen.has(row.slot)) continue;
    const obstacle = obstacleOf(row, view);
    if (obstacle) obstacles.set(row.slot, obstacle);
    else {
      const member = takeMember((candidate) => canAttach(row, candidate, view));
      if (member) chosen.set(row.slot, member.instanceId);
    }
  }
  return rows.map((row) => decideOne(row, chosen.get(row.slot), obstacles.get(row.slot), view, settings));
}

/** Volumes and interface can be attached only in their own Availability Zone. */
function canAttach(row: SlotRow, member: Member, view: View): boolean {
  if (row.released) return false;
  const zone = view.instanceOf(member.instanceId)?.zone;
  const zones = [
    ...row.volumes.map((volume) => view.volumeOf(volume.volumeId)?.zone),
    view.interfaceOf(row.networkInterfaceId)?.zone,
  ];
  return zones.every((other) => other === undefined || other === zone);
}

function obstacleOf(row: SlotRow, view: View): string | undefined {
  // One of an earlier epoch was left by such an edit, and has lost the slot since: no other claim would have been made.
  const named = view.rows.owners.find(
    ({ slot, epoch, instanceId }) =>
      slot === row.slot && epoch >= row.epoch && view.instanceOf(instanceId)?.state !== 'terminated',
  );
  if (named) {
    return `the row names no owner, but owner#${named.instanceId} names the slot: the map was edited by hand`;
  }
  const place = placesOf(row, undefined, view).find(
    (each) => each.at === 'foreign' || each.at === 'unusable',
  );
  return place && 'why' in place ? place.why : undefined;
}

/**
 * Why a server that could serve does not get the slot: an owner's row that its slot has left behind, as only an edit by
 * hand does, calls it taken.
 */
function strayOf(row: SlotRow, view: View): string | undefined {
  const left = view.rows.owners.filter(({ instanceId, slot, epoch }) => {
    const named = view.rows.slots.find((each) => each.slot === slot);
    return named !== undefined && named.owner !== instanceId && epoch < named.epoch;
  });
  if (left.length === 0) return undefined;
  const able = ableMembers(view).filter((member) => canAttach(row, member, view));
  const stray = left.find(({ instanceId }) => able.some((member) => member.instanceId === instanceId));
  if (stray === undefined) return undefined;
  const { instanceId, slot, epoch } = stray;
  return (
    `owner#${instanceId} names slot ${slot} at epoch ${epoch}, which it has lost, and keeps that server from ` +
    'serving: delete that row'
  );
}

/** What the row of a slot without an owner says while its tier sleeps. */
const sleepReason = ({ since }: Sleep): string =>
  `the deployment was stopped${since ? ` at ${since}` : ''}; it comes back with start`;

function decideOne(
  row: SlotRow,
  instanceId: string | undefined,
  obstacle: string | undefined,
  view: View,
  settings: Settings,
): SlotDecision {
  const base = { slot: row.slot, epoch: row.epoch, settled: false };
  if (instanceId === undefined) {
    if (row.released) return { ...base, phase: row.phase, moving: false, actions: [] };
    const why = obstacle ?? strayOf(row, view);
    if (why) return withNote(row, { ...base, phase: 'blocked', reason: why, moving: false, actions: [] });
    const { sleep } = view.rows;
    const phase = sleep ? 'asleep' : 'vacant';
    const reason = sleep ? sleepReason(sleep) : vacantReason(row, view, settings);
    const still: SlotDecision = { ...base, phase, reason, moving: false, actions: [] };
    // A night is no repair that took long.
    const timeline = sleep ? withoutMoments(row.timeline) : withDetachment(row, row.timeline, view);
    return withNote(row, still, timeline);
  }
  const claim: Action = {
    kind: 'claim',
    claim: { slot: row.slot, owner: instanceId, epoch: row.epoch },
    timeline: withNewOwner(row, instanceId, view, settings.fallbackTypes),
    serverType: view.instanceOf(instanceId)?.type,
  };
  return { ...base, phase: 'vacant', moving: true, actions: [claim] };
}
