import { recoveryOf } from '../shared/timeline';
import type { Action, SlotDecision } from './actions';
import { afterSnapshot, findingOf } from './after-snapshot';
import { giveUp, isLate, mayGiveUp, repairHeardAt } from './give-up';
import { keptBecause, mustKeep, undeliveredTo } from './kept-launch';
import { fallbackReason } from './no-server';
import type { Annotation, CommandStatus, Member, Order } from './ports';
import { withDetachment, withFailure } from './repair-times';
import {
  BLOCKED_RETRY_MS,
  EXIT_NOT_YET,
  EXIT_OLD_EPOCH,
  EXIT_WRONG_DATA,
  LOST_COMMAND_MS,
  MAX_FAILURES,
  NOT_YET_PAUSE_MS,
  type Settings,
  UNKNOWN_COMMAND_MS,
  UNRECORDED_COMMAND_MS,
} from './settings';
import { claimOf, isUndated, noteOf, type OwnedRow, withNote } from './slot-rows';
import { servedNow } from './unstable';
import type { View } from './view';

/** What is known of the host's answer. */
type Answer =
  /** By which command it came to serve. */
  | { readonly is: 'served'; readonly commandId: string }
  /** To be told, with the number of failures so far; why again, if the row does not say so yet. */
  | {
      readonly is: 'tell';
      readonly failures: number;
      readonly reason?: string;
      readonly repair?: Order['repair'];
    }
  | { readonly is: 'waiting'; readonly reason?: string; readonly moving: boolean }
  /** For snapshots, of which some are still to be made. */
  | {
      readonly is: 'snapshots';
      readonly reason: string;
      readonly finding: string;
      readonly missing: string[];
      readonly stuck: boolean;
    }
  /** It refused, or failed too often. */
  | { readonly is: 'refused'; readonly reason: string; readonly hopeless: boolean };

/** Decides for a slot whose owner runs and holds all its volumes and its interface. */
export function decideServing(row: OwnedRow, member: Member, view: View, settings: Settings): SlotDecision {
  if (row.servedEpoch === row.epoch) return decideServed(row, member, view, settings);

  // First it is written down since when it has the slot: from then on counts how long it may take to serve.
  if (isUndated(row)) {
    const { slot, owner, epoch, reason } = row;
    const decision = {
      slot,
      owner,
      epoch,
      phase: 'serving',
      reason,
      moving: true,
      settled: false,
      actions: [],
    };
    return withNote(row, decision, row.timeline, true);
  }
  return decideByAnswer(row, member, view, settings);
}

/** Decides for an owner that has still to serve, by what its host says. */
function decideByAnswer(row: OwnedRow, member: Member, view: View, settings: Settings): SlotDecision {
  const late = isLate(row, member, view, settings);
  const kept = mayGiveUp(row, member) ? keptBecause(row, view, late) : undefined;
  const base = { slot: row.slot, owner: row.owner, epoch: row.epoch, kept };
  const answer = answerOf(row, view);
  const waitOrGiveUp = (
    phase: string,
    reason: string | undefined,
    moving: boolean,
    hopeless = false,
    actions: Action[] = [],
  ) => {
    const plain = { ...base, phase, reason, moving, settled: false, actions };
    if (!late && !hopeless) return withNote(row, plain);
    const given = giveUp(row, member, view, settings, reason ?? 'the host did not serve in time');
    return withNote(row, { ...plain, reason: given.reason, actions: given.actions });
  };

  switch (answer.is) {
    case 'served': {
      const actions = [markServed(row, answer.commandId, member, view, settings)];
      return { ...base, phase: 'serving', moving: true, settled: false, actions };
    }
    case 'tell': {
      // One that is kept is told on and on: what it lacks may come.
      const reason = answer.reason ?? row.reason;
      if (late && !mustKeep(row, view)) return waitOrGiveUp('serving', reason, true);
      const tell = orderOf({ ...row, reason }, answer.failures, view, answer.repair);
      return { ...base, phase: 'serving', reason, moving: true, settled: false, actions: [tell] };
    }
    case 'waiting':
      return waitOrGiveUp('serving', answer.reason, answer.moving);
    case 'snapshots': {
      const phase = answer.stuck ? 'blocked' : 'serving';
      // First the row says so: what it is told of a snapshot that cannot be made comes after that.
      const noted = row.reason === answer.reason && row.phase === phase;
      return waitOrGiveUp(phase, answer.reason, false, false, noted ? snapshotsOf(row, answer) : []);
    }
    case 'refused':
      return waitOrGiveUp('blocked', answer.reason, false, answer.hopeless && mayGiveUp(row, member));
  }
}

/** Writes down that the host serves, and by which command it came to. */
function markServed(
  row: OwnedRow,
  commandId: string,
  member: Member,
  view: View,
  settings: Settings,
): Action {
  const at = new Date(view.now).toISOString();
  return {
    kind: 'mark-served',
    claim: claimOf(row),
    commandId,
    // The tag goes first, the row after it: whatever survives a crash in between forbids formatting.
    untagged: row.volumes.map((volume) => volume.volumeId).filter((id) => !view.volumeOf(id)?.formatted),
    servings: servedNow(row, at),
    note: noteOf(row, 'served', undefined, 'served', at),
    afterwards: member.lifecycle === 'Pending:Wait' ? letIn(row, settings) : undefined,
  };
}

function snapshotsOf(row: OwnedRow, wanted: Extract<Answer, { is: 'snapshots' }>): Action[] {
  const note = noteOf(row, 'blocked', wanted.reason);
  const { finding } = wanted;
  return wanted.missing.map((volumeId) => ({
    kind: 'snapshot',
    claim: claimOf(row),
    volumeId,
    finding,
    note,
  }));
}

function orderOf(row: OwnedRow, failures: number, view: View, repair: Order['repair']): Action {
  const at = new Date(view.now).toISOString();
  const before = row.command?.epoch === row.epoch ? row.command.attempts : 0;
  const heardAt = repairHeardAt(row, view);
  const volumes = row.volumes.map((volume) => view.volumeOf(volume.volumeId));
  // Three witnesses, each of which alone forbids it. The host adds a fourth: the device must be blank.
  const mayFormat =
    !row.formatted && volumes.every((volume) => volume && !volume.formatted && !volume.fromSnapshot);
  return {
    kind: 'tell',
    claim: claimOf(row),
    order: {
      slot: row.slot,
      epoch: row.epoch,
      address: row.address,
      volumeIds: row.volumes.map((volume) => volume.volumeId),
      mayFormat,
      ...(repair ? { repair } : {}),
    },
    attempts: before + 1,
    failures,
    ...(heardAt === undefined ? {} : { repairingAt: new Date(heardAt).toISOString() }),
    note: noteOf(
      { ...row, timeline: withDetachment(row, row.timeline, view) },
      'serving',
      row.reason,
      'attached',
      at,
    ),
  };
}

function answerOf(row: OwnedRow, view: View): Answer {
  const command = row.command;
  if (command === undefined || command.epoch !== row.epoch) return { is: 'tell', failures: 0 };
  const sentAt = Date.parse(command.sentAt);
  // A time that cannot be read is long ago: the host is told again, which does no harm.
  const age = Number.isFinite(sentAt) ? view.now - sentAt : Number.POSITIVE_INFINITY;
  const again: Answer = { is: 'tell', failures: command.failures };
  if (command.unsent) return again;
  if (command.id === undefined) {
    // Somebody was about to send it. It may have been sent: the host does the same thing once.
    return age > UNRECORDED_COMMAND_MS ? again : { is: 'waiting', reason: row.reason, moving: true };
  }
  const status: CommandStatus = view.commands[row.slot] ?? { state: 'unknown' };
  if (status.state === 'success') return { is: 'served', commandId: command.id };
  if (status.state === 'unknown') {
    return age > UNKNOWN_COMMAND_MS ? again : { is: 'waiting', reason: row.reason, moving: true };
  }
  if (status.state === 'pending') {
    return age > LOST_COMMAND_MS ? again : { is: 'waiting', reason: row.reason, moving: true };
  }
  if (status.state === 'undelivered') return answerToUndelivered(row, status, command.failures, age);
  return answerToFailure(row, status, command.failures, age, view);
}

/**
 * The host has heard nothing: that is no failure of its own. Only the deadline ends it, as for one that Systems Manager
 * does not know.
 */
function answerToUndelivered(row: OwnedRow, status: CommandStatus, failures: number, age: number): Answer {
  const why = `${undeliveredTo(row.owner)}: ${status.detail ?? 'no word why'}`;
  // What is said of a launch that is kept stands behind it.
  const reason = row.reason?.startsWith(why) ? row.reason : why;
  return age > NOT_YET_PAUSE_MS ? { is: 'tell', failures, reason } : { is: 'waiting', reason, moving: true };
}

function answerToFailure(
  row: OwnedRow,
  status: CommandStatus,
  failures: number,
  age: number,
  view: View,
): Answer {
  const said = status.detail ? `: ${status.detail}` : '';
  if (status.exitCode === EXIT_NOT_YET) {
    const reason = `host ${row.owner} cannot serve yet${said}`;
    return age > NOT_YET_PAUSE_MS ? { is: 'tell', failures } : { is: 'waiting', reason, moving: true };
  }
  if (status.exitCode === EXIT_OLD_EPOCH || status.exitCode === EXIT_WRONG_DATA) {
    const what =
      status.exitCode === EXIT_OLD_EPOCH ? 'knows a newer epoch' : 'found data that is not the slot’s';
    const reason = `host ${row.owner} refuses to serve, it ${what}${said}`;
    // Another server would find the same data: only the deadline ends this launch.
    return age > BLOCKED_RETRY_MS ? { is: 'tell', failures } : { is: 'refused', reason, hopeless: false };
  }
  const finding = findingOf(status);
  if (finding !== undefined) {
    const next = afterSnapshot(row, status, finding, view, age);
    if (next.is === 'wait') return { ...next, is: 'snapshots' };
    return { is: 'tell', failures, ...(next.is === 'repair' ? { repair: next.repair } : {}) };
  }
  if (failures + 1 >= MAX_FAILURES) {
    const reason = `host ${row.owner} failed to serve ${failures + 1} times${said}`;
    return age > BLOCKED_RETRY_MS ? { is: 'tell', failures } : { is: 'refused', reason, hopeless: true };
  }
  const reason = `host ${row.owner} failed to serve, exit code ${status.exitCode ?? 'unknown'}${said}`;
  return age > NOT_YET_PAUSE_MS
    ? { is: 'tell', failures: failures + 1 }
    : { is: 'waiting', reason, moving: true };
}

/** Out of service by hand, and a member still: the group does not look at its health. */
const STANDBY = 'Standby';

function decideServed(row: OwnedRow, member: Member, view: View, settings: Settings): SlotDecision {
  const base = { slot: row.slot, owner: row.owner, epoch: row.epoch, phase: 'served' };
  if (member.lifecycle === 'Pending:Wait') {
    return { ...base, moving: true, settled: false, actions: [letIn(row, settings)] };
  }
  if (member.lifecycle !== 'InService') {
    const { lifecycle } = member;
    const reason = `owner ${row.owner} is ${lifecycle}`;
    const decision = { ...base, reason, moving: lifecycle !== STANDBY, settled: false, actions: [] };
    // A person has put it there and has to take it back, and reads why the alarm rings. Every other state passes.
    return lifecycle === STANDBY ? withNote(row, decision) : decision;
  }
  const reason = fallbackReason(row.owner, view, settings);
  const settled: SlotDecision = { ...base, reason, moving: false, settled: true, actions: [] };
  // It serves until the group has terminated it; that begins the times of its repair.
  if (!member.healthy) return withNote(row, settled, withFailure(row, view));
  if (row.timeline.completed) return withNote(row, settled);
  const note = noteOf(row, 'served', reason, 'completed', new Date(view.now).toISOString());
  return { ...settled, actions: [recordEnd(row, note, view.instanceOf(row.owner)?.type)] };
}

/** Completes the launch of a server that serves. */
function letIn(row: OwnedRow, settings: Settings): Action {
  const why = `slot ${row.slot} is served`;
  return { kind: 'complete', instanceId: row.owner, hook: settings.launchHook, result: 'CONTINUE', why };
}

function recordEnd(row: OwnedRow, note: Annotation, serverType: string | undefined): Action {
  const recovery = recoveryOf(note.timeline);
  if (recovery) return { kind: 'record-recovery', claim: claimOf(row), note, recovery, serverType };
  return { kind: 'annotate', slot: row.slot, owner: row.owner, epoch: row.epoch, note };
}
