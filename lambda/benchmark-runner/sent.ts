import { COMMAND_INSTANCES } from '../../constructs/facts/services';

/** What was sent for a step. An item of the table, so that a call that comes again sends nothing again. */
export interface Sent {
  /** Grows with each change: writes rest on it. */
  readonly version: number;
  readonly batches: Batch[];
  /** Hosts that nothing was sent to, and why. */
  readonly absent: Record<string, string>;
  /** When the hosts begin, seconds since 1970; 0: at once. */
  readonly startAt: number;
  /** When everything was sent, milliseconds since 1970. */
  readonly sentAt?: number;
  /** When what took too long was cancelled, milliseconds since 1970. */
  readonly cancelledAt?: number;
}

/** One command, of at most 50 hosts. */
export interface Batch {
  readonly hosts: string[];
  /** Somebody is about to send it: milliseconds since 1970. Without `commandId`, it may or may not have been sent. */
  readonly intendedAt?: number;
  readonly commandId?: string;
  /** Systems Manager has refused it since: milliseconds since 1970. */
  readonly refusedAt?: number;
}

/** The most instances that SendCommand takes by their ids. */
const BATCH = COMMAND_INSTANCES.value;

/** How long a command that was sent may be missing from the lists of Systems Manager. */
export const UNSEEN_MS = 90_000;

/** Hosts in lists of 50. */
export function batchesOf(hosts: readonly string[]): Batch[] {
  const batches: Batch[] = [];
  for (let start = 0; start < hosts.length; start += BATCH) {
    batches.push({ hosts: hosts.slice(start, start + BATCH) });
  }
  return batches;
}

/**
 * Tells a command from all others. Systems Manager takes no token: what was sent is found by this comment. At most 100
 * characters.
 */
export const commentOf = (runId: string, stepId: string, batch: number): string =>
  `${runId} ${stepId} ${batch}`.slice(0, 100);
