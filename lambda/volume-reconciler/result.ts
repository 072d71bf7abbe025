import { SERVICE_LIMITS } from '../../constructs/sizing/service-limits';
import { recoveryMetrics } from '../shared/timeline';
import type { Decision, SlotDecision } from './actions';
import type { Applied } from './apply';
import { isNote } from './waits';

/**
 * What a pass ends with. The workflow goes on after `pending` and, if it owes somebody an answer, after `busy` and
 * `unseeded`.
 */
export type PassOutcome =
  | 'served'
  | 'asleep'
  | 'pending'
  | 'busy'
  | 'unseeded'
  | 'released'
  | 'out-of-time'
  | 'ignored';

/** The answer of a pass to the workflow. */
export interface PassResult {
  readonly outcome: PassOutcome;
  readonly waitSeconds: number;
  readonly pass: number;
  readonly servedSlots: number;
  readonly slots: {
    readonly slot: string;
    readonly owner?: string;
    readonly serverType?: string;
    readonly epoch: number;
    readonly phase: string;
    readonly reason?: string;
  }[];
  readonly actions: string[];
}

/** Whether every slot is served and no step was taken that another pass should look at. */
export function isConverged(decision: Decision, applied: Applied[]): boolean {
  const steps = applied.filter((step) => !isNote(step.action));
  return !decision.unseeded && decision.slots.every((slot) => slot.settled) && steps.length === 0;
}

/** Whether a tier that was put to sleep has let all its servers go: nothing is to be done until it wakes. */
export function isAsleep(decision: Decision, applied: Applied[]): boolean {
  const steps = applied.filter((step) => !isNote(step.action));
  return decision.asleep && steps.length === 0 && decision.slots.every(({ phase }) => phase === 'asleep');
}

/** Whether a tier that is being deleted needs no more looking after for now. */
export function isLetGo(decision: Decision, applied: Applied[]): boolean {
  return decision.released && applied.length === 0;
}

const MAX_REASON = 300;
const MAX_ACTIONS = 200;

/** What Step Functions carries from state to state, with room for what goes along with it. */
const MAX_BYTES = SERVICE_LIMITS.workflowStateBytes.value - 32 * 1024;

/** The answer to the workflow. Long words of many hosts are cut, so that it is never too long to be carried. */
export function resultOf(
  outcome: PassOutcome,
  pass: number,
  wait: number,
  slots: SlotDecision[],
  applied: Applied[],
): PassResult {
  const whole = withWords(MAX_REASON, outcome, pass, wait, slots, applied);
  if (Buffer.byteLength(JSON.stringify(whole)) <= MAX_BYTES) return whole;
  return withWords(MAX_REASON / 5, outcome, pass, wait, slots, applied);
}

function withWords(
  characters: number,
  outcome: PassOutcome,
  pass: number,
  wait: number,
  slots: SlotDecision[],
  applied: Applied[],
): PassResult {
  return {
    outcome,
    waitSeconds: wait,
    pass,
    servedSlots: slots.filter((slot) => slot.settled).length,
    slots: slots.map(({ slot, owner, serverType, epoch, phase, reason }) => ({
      slot,
      owner,
      serverType,
      epoch,
      phase,
      reason: reason?.slice(0, characters),
    })),
    actions: applied.slice(0, MAX_ACTIONS).map((step) => step.text.slice(0, characters)),
  };
}

/** The metrics of a pass. */
export function metricsOf(decision: Decision, expected: number): Record<string, number> {
  const { slots, asleep } = decision;
  const served = slots.filter((slot) => slot.settled).length;
  const total = Math.max(slots.length, expected);
  return {
    ServedSlots: served,
    // Also of a tier that is let go: the deletion of a stack takes the alarm first, and whatever else lets a tier go is
    // to be heard.
    // A tier that sleeps lacks nothing.
    UnservedSlots: asleep ? 0 : total - served,
    VacantSlots: slots.filter((slot) => slot.owner === undefined).length,
    BlockedSlots: slots.filter((slot) => slot.phase === 'blocked').length,
    UnreachableLaunchesKept: slots.filter((slot) => slot.kept === 'unreachable').length,
    FailingLaunchesKept: slots.filter((slot) => slot.kept === 'failing').length,
    UnstableSlots: decision.unstable,
    AttachmentsNotKept: decision.doomed,
    EndedLaunches: decision.endedLaunches,
    ...(decision.fallbacks === undefined ? {} : { FallbackServers: decision.fallbacks }),
    ...(decision.spares === undefined ? {} : { SpareServers: decision.spares }),
  };
}

/** The metrics of each repair that ended in this pass. */
export function recoveriesOf(applied: Applied[]): Record<string, number>[] {
  return applied.flatMap(({ action, done }) =>
    action.kind === 'record-recovery' && done ? [recoveryMetrics(action.recovery)] : [],
  );
}
