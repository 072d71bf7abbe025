import { historyKey, TIME_TO_LIVE } from '../../constructs/private/recoveries';
import type { Plain } from './attributes';
import type { Timeline } from './map';
import { type Recovery, recoveryOf } from './timeline';

/** How long the table keeps a recovery: a year, and some time to compare it with the one before. */
const KEPT_DAYS = 400;

const DAY_SECONDS = 24 * 60 * 60;

/** What is kept of a recovery. */
export interface RecoveryRow {
  readonly slot: string;
  /** The epoch that was served in the end. */
  readonly epoch: number;
  /** The server that took over. */
  readonly owner: string;
  /** Its type; unknown of a recovery of long ago. */
  readonly serverType?: string;
  readonly timeline: Timeline;
}

/** The item of a recovery. Its sort key begins with the time of its end: a query has the last ones first or last. */
export function recoveryItem(tier: string, row: RecoveryRow, recovery: Recovery): { [key: string]: Plain } {
  const completed = new Date(recovery.completedAt).toISOString();
  return {
    tier: historyKey(tier),
    item: `${completed}#${row.slot}#${row.epoch}`,
    slot: row.slot,
    epoch: row.epoch,
    owner: row.owner,
    ...(row.serverType ? { serverType: row.serverType } : {}),
    timeline: { ...row.timeline },
    seconds: recovery.seconds,
    [TIME_TO_LIVE]: Math.floor(recovery.completedAt / 1000) + KEPT_DAYS * DAY_SECONDS,
  };
}

/** Reads an item without trusting it; undefined when it is not a recovery. */
export function parseRecovery(item: { [key: string]: Plain }): (RecoveryRow & Recovery) | undefined {
  const { slot, epoch, owner, serverType, timeline } = item;
  if (typeof slot !== 'string' || typeof epoch !== 'number' || typeof owner !== 'string') return undefined;
  if (typeof timeline !== 'object' || timeline === null || Array.isArray(timeline)) return undefined;
  const times = Object.fromEntries(
    Object.entries(timeline).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
  const recovery = recoveryOf(times);
  const type = typeof serverType === 'string' ? { serverType } : {};
  return recovery && { slot, epoch, owner, ...type, timeline: times, ...recovery };
}
