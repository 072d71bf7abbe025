import { bySlot, type SlotRow } from '../shared/map';
import type { Action, Decision, SlotDecision } from './actions';
import { doomedOf, endsSomething, keepDoomed } from './doomed';
import { hasEndedToo } from './kept-launch';
import { decideOwned, mayRelease, release } from './owned-slot';
import type { Member, Observation } from './ports';
import { BEAT_MS, type Settings, SPARE_GRACE_MS } from './settings';
import { abandonLaunch, type OwnedRow } from './slot-rows';
import { isUnstable } from './unstable';
import { decideVacant, idleMembers } from './vacant-slot';
import { isOlder, type View, viewOf } from './view';
import { lastChangeOf } from './waits';

/**
 * Decides every next safe step of a tier from what was seen, and nothing else: the same observation gives the same
 * decision. No step presumes that another one of the same pass worked.
 */
export function decide(observation: Observation, settings: Settings): Decision {
  const view = viewOf(observation);
  const { rows } = view;
  const unseeded = rows.slots.length === 0 && rows.broken.length === 0;
  const released = rows.slots.length > 0 && rows.slots.every((row) => row.released);

  const doubtful = doublyOwned(rows.slots, view);
  // A slot that an undone update had added: nothing is done for it but to get rid of its server.
  const retired = released ? [] : rows.slots.filter((row) => row.released && !doubtful.has(row.slot));
  const sound = rows.slots.filter((row) => !doubtful.has(row.slot) && !retired.includes(row));
  const owned = sound.filter((row): row is OwnedRow => row.owner !== undefined);
  const vacant = sound.filter((row) => row.owner === undefined);
  const undecided: SlotDecision[] = [
    ...owned.map((row) => decideOwned(row, view, settings)),
    ...decideVacant(vacant, view, settings),
    ...[...doubtful].map(([slot, reason]) => blockedSlot(slot, reason)),
    ...rows.broken.map(({ slot, problem }) =>
      blockedSlot(slot, `its row in the map cannot be read: ${problem}`),
    ),
    ...(unseeded ? [] : missingRows(view, settings)),
  ].sort(bySlot);

  // Nobody's end is begun that would take volumes with it: they are kept first, and seen to be kept.
  const doomed = doomedOf(view);
  const endsSomethingHeld = (action: Action) => endsSomething(action, doomed, view, settings);
  const withoutEndings = (actions: Action[]) => actions.filter((action) => !endsSomethingHeld(action));
  const slots = undecided.map((slot) => ({
    ...slot,
    serverType: slot.owner === undefined ? undefined : view.instanceOf(slot.owner)?.type,
    actions: withoutEndings(slot.actions),
  }));

  const ofRetired = retired.flatMap((row) => decideRetired(row, view, settings));
  const ofMembers = decideMembers(view, slots, ofRetired, released, settings);
  const asleep = !released && sleeps(view);
  // A tier that sleeps lacks no spare.
  const spares =
    settings.spareServers > 0 ? (asleep ? settings.spareServers : sparesOf(view).length) : undefined;
  const others = [...ofRetired, ...ofMembers];
  const actions = [
    ...keepDoomed(doomed, view),
    ...withoutEndings(others),
    ...holdBack(others.filter(endsSomethingHeld), view, settings),
  ];
  const unstable = rows.slots.filter((row) => !row.released && isUnstable(row, view.now)).length;
  const endedLaunches = rows.slots.filter(hasEndedToo).length;
  return {
    slots,
    actions,
    released,
    asleep,
    unseeded,
    spares,
    fallbacks: settings.fallbackTypes && fallbacksOf(view, settings.fallbackTypes),
    unstable,
    doomed: doomed.length,
    endedLaunches,
    lastChange: lastChangeOf(view, slots),
  };
}

/**
 * Whether the tier sleeps. Whoever gives it servers, by mistake or by a deployment, wants them to serve, and to hear
 * when they do not.
 */
const sleeps = ({ rows, members = [] }: View): boolean =>
  rows.sleep !== undefined && members.every(({ lifecycle }) => lifecycle.startsWith('Terminating'));

/**
 * Terminations that wait until what the instance has is kept go on waiting, should somebody have forbidden that: for as
 * long as a hook can wait.
 */
function holdBack(withheld: Action[], view: View, settings: Settings): Action[] {
  const instanceIds = withheld.flatMap((action) =>
    action.kind === 'complete' && action.hook === settings.terminateHook ? [action.instanceId] : [],
  );
  return heartbeats(instanceIds, view, settings.terminateHook);
}

/** When it is time for one again. */
function heartbeats(instanceIds: string[], view: View, hook: string): Action[] {
  if (instanceIds.length === 0 || view.now - view.beatAt < BEAT_MS) return [];
  return [{ kind: 'heartbeat', instanceIds, hook }];
}

function decideRetired(row: SlotRow, view: View, settings: Settings): Action[] {
  if (row.owner === undefined) return [];
  const owned: OwnedRow = { ...row, owner: row.owner };
  if (mayRelease(owned, view)) return [release(owned, view)];
  const why = `slot ${row.slot} is not part of the tier any more`;
  const member = view.memberOf(owned.owner);
  if (member?.lifecycle === 'Pending:Wait') return [abandonLaunch(owned.owner, settings, why)];
  // A spare that had it already would have it for ever, and be none any more. Where there may be data, only the
  // deletion of the stack goes on.
  const isUnused = !row.formatted && !row.formatOffered && row.servedEpoch === 0;
  const isSpare = member?.lifecycle === 'InService' && member.healthy;
  return isUnused && isSpare ? [{ kind: 'mark-unhealthy', instanceId: owned.owner, why }] : [];
}

/**
 * Rows that contradict each other about who owns what. Only a person can say which is right; unless it makes no
 * difference, because the owner is terminated: then each of its slots is released, and one that in truth has another
 * owner is found to be held by that one.
 */
function doublyOwned(slots: SlotRow[], view: View): Map<string, string> {
  const doubtful = new Map<string, string>();
  for (const row of slots) {
    if (row.owner === undefined) continue;
    const ended = view.instanceOf(row.owner)?.state === 'terminated';
    const twin = slots.find((other) => other.slot !== row.slot && other.owner === row.owner);
    if (twin && !ended)
      doubtful.set(
        row.slot,
        `${row.owner} is named as owner of ${twin.slot} too: the map was edited by hand`,
      );
    const named = view.rows.owners.find((owner) => owner.instanceId === row.owner);
    if (named && named.slot !== row.slot) {
      if (!ended)
        doubtful.set(row.slot, `owner#${row.owner} names slot ${named.slot}: the map was edited by hand`);
    } else if (named && named.epoch !== row.epoch) {
      // A claim writes both. An epoch that was set back could make a slot look served.
      doubtful.set(
        row.slot,
        `its epoch is ${row.epoch}, that of owner#${row.owner} is ${named.epoch}: the map was edited by hand`,
      );
    }
  }
  return doubtful;
}

function missingRows(view: View, settings: Settings): SlotDecision[] {
  const known = new Set([...view.rows.slots, ...view.rows.broken].map((row) => row.slot));
  return settings.slots
    .filter((slot) => !known.has(slot))
    .map((slot) =>
      blockedSlot(slot, 'it has no row in the map; a change of the tier in the stack seeds it again'),
    );
}

function blockedSlot(slot: string, reason: string): SlotDecision {
  return { slot, epoch: 0, phase: 'blocked', reason, moving: false, settled: false, actions: [] };
}

/** Members that were launched outside of the placement group. */
const fallbacksOf = (view: View, types: readonly string[]): number =>
  (view.members ?? []).filter(({ instanceId }) => types.includes(view.instanceOf(instanceId)?.type ?? ''))
    .length;

/** The members in service that could take a slot at once. */
const sparesOf = (view: View): Member[] =>
  idleMembers(view).filter((member) => member.lifecycle === 'InService');

/** Lifecycle actions of instances that do not depend on one slot. */
function decideMembers(
  view: View,
  slots: SlotDecision[],
  others: Action[],
  released: boolean,
  settings: Settings,
): Action[] {
  const members = view.members ?? [];
  const actions: Action[] = members
    .filter((member) => member.lifecycle === 'Terminating:Wait')
    // The shutdown of the operating system unmounts; the slot moves on only after the instance was seen terminated.
    .map((member) =>
      completeLifecycleAction(member, settings.terminateHook, 'CONTINUE', 'nothing holds a termination back'),
    );

  const launching = members.filter((member) => member.lifecycle === 'Pending:Wait');
  if (released) {
    return [
      ...actions,
      ...launching.map((member) =>
        completeLifecycleAction(member, settings.launchHook, 'CONTINUE', 'tier is released'),
      ),
    ];
  }
  const done = new Set([...slots.flatMap((slot) => slot.actions), ...others].flatMap(completedInstances));
  const allSettled = slots.length > 0 && slots.every((slot) => slot.settled);
  const owners = new Set(slots.map((slot) => slot.owner));
  const allOwned = slots.length > 0 && slots.every((slot) => slot.owner !== undefined);
  let missing = settings.spareServers - sparesOf(view).length;
  const idle = new Set(idleMembers(view).map((member) => member.instanceId));
  const waiting: Member[] = [];
  for (const member of launching) {
    const id = member.instanceId;
    if (done.has(id)) continue;
    const lost = lostBecause(member, view);
    if (lost !== undefined) {
      actions.push(abandonLaunch(id, settings, lost));
      continue;
    }
    const longWaiting = isOlder(id, view, settings.recoveryTimeoutSeconds);
    // A slot that a person has to look at does not cost the spare its place.
    if (idle.has(id) && missing > 0 && (allSettled || (longWaiting && allOwned))) {
      missing -= 1;
      actions.push(completeLifecycleAction(member, settings.launchHook, 'CONTINUE', 'it is the spare'));
      // One that waits for a slot goes on waiting: the next one would wait for the same.
    } else if (!owners.has(id) && allSettled && isOlder(id, view, SPARE_GRACE_MS / 1000)) {
      // More servers than slots, for example while an instance refresh launches before it terminates.
      actions.push(
        completeLifecycleAction(member, settings.launchHook, 'CONTINUE', 'every slot is served by another'),
      );
    } else waiting.push(member);
  }
  // Of one that EC2 does not show nobody knows that it lives: it has the time that its hook gives it. Terminated ones
  // are forgotten after a while.
  const known = waiting.map((member) => member.instanceId).filter((id) => view.instanceOf(id) !== undefined);
  return [...actions, ...heartbeats(known, view, settings.launchHook)];
}

/** States of an instance that serves nothing any more. */
const ENDED: readonly string[] = ['shutting-down', 'terminated', 'stopping', 'stopped'];

/**
 * Why a launch that waits can never serve. EC2 Auto Scaling checks the health of members in service only (its user
 * guide, "Health checks for instances in an Auto Scaling group"): kept waiting by heartbeats, a dead one would count as
 * a member for a day, and nothing would be launched for it. Its slot, if it owns one, leaves it as any other
 * (`mayRelease`).
 */
function lostBecause({ instanceId, healthy }: Member, { instanceOf, rows }: View): string | undefined {
  const state = instanceOf(instanceId)?.state;
  if (state !== undefined && ENDED.includes(state)) return `its instance is ${state}`;
  const owns =
    rows.slots.some((row) => row.owner === instanceId) ||
    rows.owners.some((row) => row.instanceId === instanceId);
  return healthy || owns ? undefined : 'it was called unhealthy and owns no slot';
}

function completeLifecycleAction(
  member: Member,
  hook: string,
  result: 'CONTINUE' | 'ABANDON',
  why: string,
): Action {
  return { kind: 'complete', instanceId: member.instanceId, hook, result, why };
}

const completedInstances = (action: Action): string[] =>
  action.kind === 'complete' ? [action.instanceId] : [];
