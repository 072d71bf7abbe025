import { PAUSE_MS } from '../../lambda/health-prober/settings';
import {
  BLOCKED_RETRY_MS,
  LEASE_MS,
  LOST_COMMAND_MS,
  MISSING_OWNER_GONE_MS,
  REPAIR_WORD_MS,
} from '../../lambda/volume-reconciler/settings';
import type { Fault } from './faults/kinds';

const MINUTE = 60_000;

/** The schedule of the construct: until then nobody may look, when all events were lost. */
const SCHEDULE_MS = 5 * MINUTE;

/** A lifecycle hook without a sign of life, as the construct sets it. */
const HOOK_MS = 15 * MINUTE;

/**
 * How long a row may say at rest that a slot is served of which something was taken off: until the schedule starts the
 * next pass, whose lease a worker that died may hold, and which itself lasts for less than a lease.
 */
export const NOTICED_MS = SCHEDULE_MS + 2 * LEASE_MS;

/**
 * How long nobody has to tell at rest that clients do not reach a server: a program is in doubt just after a start, a
 * round of the grid's is read by the next one, and one may have died.
 */
export const TOLD_MS = 15 * MINUTE + 3 * SCHEDULE_MS;

/** Until its alarm rings: three whole periods in a row, one of which has begun without. */
export const ALARM_TOLD_MS = TOLD_MS + 4 * SCHEDULE_MS;

/**
 * Twice: notice a dead server, shut it down, launch, boot, install, attach, format, mount; the second for a launch that
 * comes to nothing.
 */
const REPLACEMENT_MS = 2 * 10 * MINUTE;

/**
 * How much longer it takes when only the health probe notices that a service has stopped: the host has just started and
 * is in doubt for so long, three rounds, and a server that was declared unhealthy just before, after which the next one
 * has to wait; then the replacement.
 */
export const PROBE_MS = 15 * MINUTE + 5 * MINUTE + PAUSE_MS + SCHEDULE_MS + REPLACEMENT_MS;

/** How long a snapshot takes (`TIMINGS`). */
const SNAPSHOT_MS = 5 * MINUTE;

/** How long protection keeps a mount waiting when it has noted that interval (ext4_multi_mount_protect()). */
export function protectionMs(intervalSeconds: number): number {
  return 2 * Math.min(2 * intervalSeconds + 1, intervalSeconds + 60) * 1000;
}

/**
 * How long all repairs of file systems take, and the waits for protection, one after the other, each once more for a
 * server that was lost in the middle of one. A server that has repaired has the time of a launch again.
 */
export function repairsMs(faults: readonly Fault[], recoveryTimeoutSeconds: number): number {
  const repairs = faults.flatMap((fault) => {
    if (fault.kind === 'damaged') return [fault.repairMs];
    // e2fsck -p, the snapshot, the repair; another snapshot when a person has seen the first one fail.
    if (fault.kind === 'orphans')
      return [2 * fault.repairMs, (1 + fault.failing) * (SNAPSHOT_MS + BLOCKED_RETRY_MS)];
    return fault.kind === 'slow-volume' ? [protectionMs(fault.intervalSeconds)] : [];
  });
  if (repairs.length === 0) return 0;
  const afterwards = Math.max(recoveryTimeoutSeconds * 1000, REPAIR_WORD_MS);
  return 2 * repairs.reduce((sum, ms) => sum + ms, 0) + afterwards;
}

/**
 * How long after the last fault all slots are served at the latest, in milliseconds: the waits of the protocol's own
 * settings, one after the other, none of which overlap in the worst case.
 *
 * A worker that died holds the lease; the schedule starts the next. It may find an owner that EC2 does not know, or a
 * command that was lost with its host (not both for one slot: a command is sent to an owner that is seen). A launch
 * that can come to nothing, because its server was spent on what failed, is abandoned only after `recoveryTimeout`; a
 * server in service that failed is told again after a pause. Whatever nobody answers for ends with its hook.
 */
export function boundMs(recoveryTimeoutSeconds: number): number {
  return (
    SCHEDULE_MS +
    LEASE_MS +
    Math.max(LOST_COMMAND_MS, MISSING_OWNER_GONE_MS) +
    BLOCKED_RETRY_MS +
    HOOK_MS +
    recoveryTimeoutSeconds * 1000 +
    REPLACEMENT_MS
  );
}
