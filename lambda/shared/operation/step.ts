import { describeError, type Log } from '../log';
import type { LockPort, Progress } from './lock';

/** What a call of an operation's function gets from its workflow. */
export interface StepEvent {
  /** `stop`, for example. */
  readonly operation: string;
  /** ARN of the execution. */
  readonly execution: string;
  /** When it began, ISO 8601. */
  readonly startedAt: string;
  /** What whoever started it said. */
  readonly input: { readonly [name: string]: unknown };
}

/** What a step came to: `again` after a while, or the end. */
export interface StepResult {
  readonly outcome: 'again' | 'done' | 'refused' | 'failed';
  /** For people: what is under way, what was done, or what to do. */
  readonly message: string;
  /** How long to wait for the next step. */
  readonly waitSeconds: number;
}

/** A step that ends nothing has remembered what the next one has to know. */
export interface Step extends Omit<StepResult, 'waitSeconds'> {
  readonly waitSeconds?: number;
  readonly progress?: Progress;
}

/** Takes the next safe steps of an operation. Whatever it did, the next call looks again. */
export type Work = (event: StepEvent, progress: Progress) => Promise<Step>;

/** What every operation reaches. */
export interface StepPorts {
  readonly log: Log;
  readonly lock: LockPort;
  /** Milliseconds since 1970. */
  now(): number;
}

const WAIT_SECONDS = 5;

/** @throws when the event is none of the workflow's */
export function parseStep(event: unknown): StepEvent {
  const { operation, execution, startedAt, input } = (event ?? {}) as { [name: string]: unknown };
  if (typeof operation !== 'string' || typeof execution !== 'string' || typeof startedAt !== 'string') {
    throw new Error('the event has no operation, execution and startedAt: the workflow calls this function');
  }
  const given = typeof input === 'object' && input !== null && !Array.isArray(input) ? input : {};
  return { operation, execution, startedAt, input: given as StepEvent['input'] };
}

/**
 * One step of an operation, under the lock of the deployment: one operation at a time. An error of AWS is tried again
 * until the operation is out of time; it may die after any call.
 */
export async function takeStep(
  event: StepEvent,
  ports: StepPorts,
  deadlineSeconds: number,
  work: Work,
): Promise<StepResult> {
  const { lock, log, now } = ports;
  const held = await lock.take(event.operation, event.execution, new Date(now()).toISOString());
  if (held.ending) {
    const message = `Waiting for the end of ${held.operation}, whose execution was stopped`;
    return { outcome: 'again', message, waitSeconds: 15 };
  }
  if (held.execution !== event.execution) {
    const message = `${held.operation} is under way since ${held.since}: wait for its end, or stop ${held.execution}`;
    return { outcome: 'refused', message, waitSeconds: 0 };
  }
  const step = await attempt(() => work(event, held.progress));
  const late = now() - Date.parse(event.startedAt) > deadlineSeconds * 1000;
  const result: StepResult =
    step.outcome === 'again' && late
      ? { outcome: 'failed', message: `It took too long. ${step.message}`, waitSeconds: 0 }
      : { outcome: step.outcome, message: step.message, waitSeconds: step.waitSeconds ?? WAIT_SECONDS };
  log.info('step', { operation: event.operation, execution: event.execution, ...result });
  if (result.outcome === 'again')
    await lock.note(event.execution, result.message, step.progress ?? held.progress);
  else await lock.free(event.execution);
  return result;
}

/** An error of AWS is tried again in the next step. */
export async function attempt(work: () => Promise<Step>): Promise<Step> {
  try {
    return await work();
  } catch (error) {
    return { outcome: 'again', message: `AWS refused a call, which is tried again: ${describeError(error)}` };
  }
}
