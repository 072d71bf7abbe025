/** What the workflow hands to each pass. */
export interface PassEvent {
  /** Name of the workflow execution, which holds the lease. */
  readonly execution: string;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly deadlineSeconds: number;
  /** Passes of this execution before this one. */
  readonly pass: number;
  /** What the last pass said to wait. */
  readonly lastWaitSeconds: number;
  readonly cause: string;
}

const LONGEST_DEADLINE_SECONDS = 24 * 60 * 60;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isCount = (value: unknown): value is number => Number.isInteger(value) && (value as number) >= 0;

/** Reads an event without trusting it; a text says why it is not one. */
export function parseEvent(event: unknown, groupName: string): PassEvent | string {
  if (!isObject(event)) return 'the event is not an object';
  if (event.action !== 'reconcile') return `the action ${show(event.action)} is unknown; only 'reconcile' is`;
  if (typeof event.execution !== 'string' || event.execution === '') return 'execution is missing';
  const startedAt = typeof event.startedAt === 'string' ? Date.parse(event.startedAt) : Number.NaN;
  if (!Number.isFinite(startedAt)) return `startedAt is ${show(event.startedAt)}, not an ISO 8601 time`;
  const { deadlineSeconds } = event;
  if (!isCount(deadlineSeconds) || deadlineSeconds < 1 || deadlineSeconds > LONGEST_DEADLINE_SECONDS) {
    return `deadlineSeconds is ${show(deadlineSeconds)}; allowed: 1 to ${LONGEST_DEADLINE_SECONDS}`;
  }
  const stranger = groupOf(event.cause);
  if (stranger !== undefined && stranger !== groupName)
    return `the event is about another group, ${show(stranger)}`;
  const previous = isObject(event.previous) ? event.previous : {};
  return {
    execution: event.execution,
    startedAt,
    deadlineSeconds,
    pass: isCount(previous.pass) ? previous.pass : 0,
    lastWaitSeconds: isCount(previous.waitSeconds) ? previous.waitSeconds : 0,
    cause: causeOf(event.cause),
  };
}

function groupOf(cause: unknown): unknown {
  if (!isObject(cause) || !isObject(cause.detail)) return undefined;
  return cause.detail.AutoScalingGroupName;
}

function causeOf(cause: unknown): string {
  if (typeof cause === 'string') return cause.slice(0, 200);
  if (isObject(cause) && typeof cause['detail-type'] === 'string') return cause['detail-type'].slice(0, 200);
  return 'unknown';
}

const show = (value: unknown): string => (JSON.stringify(value) ?? 'missing').slice(0, 100);
