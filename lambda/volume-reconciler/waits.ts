import type { SlotRow } from '../shared/map';
import { MOMENTS, type Moment } from '../shared/timeline';
import type { Action, Decision, LastChange, SlotDecision } from './actions';
import type { Applied } from './apply';
import type { View } from './view';

/**
 * When there is something to be seen of a step. Never of what people read, and of what outlives its server, which the
 * next scheduled pass sees.
 */
const SEEN: Readonly<Record<Action['kind'], 'soon' | 'later' | 'never'>> = {
  claim: 'soon',
  release: 'soon',
  'attach-volume': 'soon',
  'detach-volume': 'soon',
  'attach-interface': 'soon',
  'detach-interface': 'soon',
  'keep-volumes': 'never',
  'keep-interface': 'never',
  tell: 'soon',
  'mark-served': 'soon',
  snapshot: 'soon',
  unserve: 'soon',
  annotate: 'never',
  'record-recovery': 'never',
  complete: 'soon',
  heartbeat: 'later',
  'mark-unhealthy': 'soon',
};

/** Whether there is nothing to look at after a step. */
export const isNote = ({ kind }: Action): boolean => SEEN[kind] === 'never';

const MOVING_WAIT = 5;
const LONGEST_WAIT = 15;

/** What follows these takes EC2 or the host seconds: to let go of volumes and attach them, and to serve. */
const QUICK_STEPS: readonly Moment[] = ['claimed', 'attached', 'commandSent'];

/**
 * So long after one of them the next pass follows at once, since every wait would come on top of what EC2 and the host
 * take. A pass of a few slots asks each describe once to thrice, three times a second, of EC2's twenty.
 */
const QUICK_MS = 60_000;
/** So long after any moment of a repair, a second later. */
const SOON_MS = 120_000;
/** More slots than these are limited by EC2's buckets and not by waits. */
const FEW_SLOTS = 4;
/** An execution that goes on and on gets slower, so that its passes last as long as its deadline (`MAX_PASSES`). */
const QUICK_PASSES = 300;
const SOON_PASSES = 600;

/** What the workflow knows of its passes so far. */
export interface Passes {
  /** Passes of this execution before this one. */
  readonly pass: number;
  /** What the last one said to wait, seconds. */
  readonly lastWaitSeconds: number;
}

/**
 * How long to wait for the next pass, in seconds: not at all when the map has changed or a step of EC2 or a host is
 * about to end, shortly while something happens, longer the longer nothing does.
 *
 * @param now milliseconds since 1970
 */
export function waitSeconds(decision: Decision, applied: Applied[], passes: Passes, now: number): number {
  if (applied.some((step) => step.advanced)) return 0;
  // Describes show it a little later; before that it would only be asked for again.
  if (applied.some((step) => step.done && SEEN[step.action.kind] === 'soon')) return 1;
  const since = (time: number | undefined): number => now - (time ?? Number.NEGATIVE_INFINITY);
  const { at, quickStepAt } = decision.lastChange;
  const few = decision.slots.filter((slot) => !slot.settled).length <= FEW_SLOTS;
  const refused = applied.filter((step) => !step.done);
  // What was refused is asked for again: a bucket of EC2's would be empty, and Systems Manager does not know a host for
  // most of its boot.
  if (since(quickStepAt) < QUICK_MS && passes.pass < QUICK_PASSES && few && refused.length === 0) return 0;
  if (since(at) < SOON_MS && passes.pass < SOON_PASSES && (few || refused.length === 0)) return 1;
  const longest = decision.slots.some((slot) => slot.moving) ? MOVING_WAIT : LONGEST_WAIT;
  return Math.min(longest, Math.max(1, Math.ceil(passes.lastWaitSeconds * 1.5)));
}

/**
 * When something last happened to what is on its way to be served, milliseconds since 1970: in the rows of slots that
 * move, and the launch of a server that has not come yet. Undefined when nothing is on its way.
 */
export function lastChangeOf(view: View, slots: readonly SlotDecision[]): LastChange {
  // Of a served one only the group is still at work.
  const moving = new Set(
    slots.filter((slot) => slot.moving && slot.phase !== 'served').map((slot) => slot.slot),
  );
  const rows = view.rows.slots.filter((row) => moving.has(row.slot));
  const waiting = slots.some((slot) => !slot.settled && slot.phase === 'vacant');
  const latest = (times: number[]): number | undefined =>
    times
      .filter((time) => time <= view.now)
      .reduce<number | undefined>((a, b) => Math.max(a ?? b, b), undefined);
  const timesOf = (moments: readonly Moment[]): number[] =>
    rows
      .flatMap(({ timeline }) => moments.map((each) => Date.parse(timeline[each] ?? '')))
      .filter(Number.isFinite);
  return {
    at: latest([...timesOf(MOMENTS), ...(waiting ? launchesOf(view) : [])]),
    quickStepAt: latest([...timesOf(QUICK_STEPS), ...rows.flatMap(sentAtOf)]),
  };
}

/** When the host took the command: the moment of the row is that of the first try. */
function sentAtOf({ command, epoch }: SlotRow): number[] {
  if (command?.id === undefined || command.epoch !== epoch) return [];
  return [Date.parse(command.sentAt)].filter(Number.isFinite);
}

const launchesOf = (view: View): number[] =>
  (view.members ?? [])
    .filter((member) => member.lifecycle.startsWith('Pending'))
    .flatMap((member) => view.instanceOf(member.instanceId)?.launchedAt ?? []);
