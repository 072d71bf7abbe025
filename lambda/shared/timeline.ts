import type { Timeline } from './map';

/**
 * The moments of a repair, in the order in which they usually come. Of each the first time counts; only `launched` and
 * what follows `claimed` are those of the server that serves in the end.
 *
 * - failed: EC2's own word for when the instance began to end; missing when EC2 names no time
 * - detected: a pass saw that the owner ends, is gone, or is called unhealthy
 * - launched: EC2 launched the server that took over; long before `detected` when it was a spare
 * - fenced: a pass saw that the old owner can never write again
 * - detached: nothing of the slot hangs on another server any more
 * - vacated: the map says that the slot has no owner
 * - claimed, attached, commandSent, served: it has one, which has its things, was told, and serves
 * - completed: the group has its server in service
 */
export const MOMENTS = [
  'failed',
  'detected',
  'launched',
  'fenced',
  'detached',
  'vacated',
  'claimed',
  'attached',
  'commandSent',
  'served',
  'completed',
] as const;

/**
 * Beside the moments: when a spare was found to take the slot. It cannot be told from when it was launched, since the
 * group may launch a replacement before anybody here has noticed the failure.
 */
export const BY_SPARE = 'spare';

/**
 * Beside the moments: when a server of another type, outside of the placement group, was found to take the slot. The
 * report of a game day calls it by this name: other words would replace deployed documents.
 */
export const BY_FALLBACK = 'fallback';

export type Moment = (typeof MOMENTS)[number] | typeof BY_SPARE | typeof BY_FALLBACK;

/** A stretch of a repair. */
export interface Phase {
  readonly name: PhaseName;
  /** Milliseconds since 1970. */
  readonly from: number;
  readonly to: number;
  readonly seconds: number;
}

export type PhaseName = 'detect' | 'launch' | 'fence' | 'detach' | 'wait' | 'attach' | 'serve' | 'complete';

/**
 * What a phase lasts from and to. Detect, fence, wait, attach, serve and complete follow each other and make up the
 * whole; launch and detach run beside them.
 */
const PHASES: readonly (readonly [PhaseName, Moment, Moment])[] = [
  ['detect', 'failed', 'detected'],
  ['launch', 'detected', 'launched'],
  ['fence', 'detected', 'fenced'],
  ['detach', 'fenced', 'detached'],
  ['wait', 'fenced', 'claimed'],
  ['attach', 'claimed', 'attached'],
  ['serve', 'attached', 'served'],
  ['complete', 'served', 'completed'],
];

/** The names of all phases, in order. */
export const PHASE_NAMES: readonly PhaseName[] = PHASES.map(([name]) => name);

/** A repair that has ended. */
export interface Recovery {
  /** Milliseconds since 1970: when the server failed or, when nobody knows that, when it was detected. */
  readonly startedAt: number;
  readonly completedAt: number;
  readonly seconds: number;
  /** Those whose both ends are known. */
  readonly phases: Phase[];
  /** The server that took over was in service before: a spare. */
  readonly bySpare: boolean;
  /** The server that took over is of another type: EC2 had none of the tier's own in the placement group. */
  readonly byFallback: boolean;
}

function timeOf(timeline: Timeline, moment: Moment): number | undefined {
  const time = Date.parse(timeline[moment] ?? '');
  return Number.isFinite(time) ? time : undefined;
}

/** The phases of a repair as far as it has come; what ended before it began (a spare's launch) takes no time. */
export function phasesOf(timeline: Timeline): Phase[] {
  return PHASES.flatMap(([name, first, last]) => {
    const [from, end] = [timeOf(timeline, first), timeOf(timeline, last)];
    if (from === undefined || end === undefined) return [];
    const to = Math.max(from, end);
    return [{ name, from, to, seconds: (to - from) / 1000 }];
  });
}

/** The repair that a timeline tells of; undefined while it goes on, and when no server had owned the slot before. */
export function recoveryOf(timeline: Timeline): Recovery | undefined {
  const startedAt = timeOf(timeline, 'failed') ?? timeOf(timeline, 'detected') ?? timeOf(timeline, 'vacated');
  const completedAt = timeOf(timeline, 'completed');
  const taken = timeOf(timeline, 'vacated') !== undefined && timeOf(timeline, 'claimed') !== undefined;
  if (startedAt === undefined || completedAt === undefined || !taken) return undefined;
  return {
    startedAt,
    completedAt,
    seconds: Math.max(0, completedAt - startedAt) / 1000,
    phases: phasesOf(timeline),
    bySpare: timeline[BY_SPARE] !== undefined,
    byFallback: timeline[BY_FALLBACK] !== undefined,
  };
}

/** A recovery as CloudWatch counts it: the whole and each phase, in seconds. */
export function recoveryMetrics(recovery: Recovery): Record<string, number> {
  const metrics: Record<string, number> = { RecoverySeconds: recovery.seconds };
  for (const { name, seconds } of recovery.phases) {
    metrics[`${name[0]!.toUpperCase()}${name.slice(1)}Seconds`] = seconds;
  }
  return metrics;
}
