import type { Patience } from '../shared/client';

/** What one tier's prober knows from its deployment. */
export interface Settings {
  readonly tier: string;
  /** Value of the tag cdk-sas-grid:tier. */
  readonly tierTag: string;
  readonly groupName: string;
  /** The slots the tier has. */
  readonly slotCount: number;
  /** Time between two rounds of probes, in seconds. */
  readonly intervalSeconds: number;
  /** Hash of the program that the servers are asked with. */
  readonly program: string;
  /** Rounds in a row that a server may miss before it is declared unhealthy. */
  readonly misses: number;
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;

/** What a round cannot learn or do, the next one will, a minute later. */
export const PATIENCE = { attempts: 3, timeoutMs: 5 * SECOND } as const satisfies Patience;

/**
 * After this long a round can be read: what was delivered has ended, or hangs. Less than the shortest interval, since
 * rules of EventBridge are not exact.
 */
export const ROUND_MS = 50 * SECOND;

/** Rounds in a row: one that was counted longer ago than this many intervals is not the one before. */
export const CONSECUTIVE_INTERVALS = 3;

/** Of so many servers at most one in ten may miss a round, or none of them is to blame. One server always may. */
export const MISSING_SHARE = 0.1;

/** When more servers than this share are silent, the way to the servers is in doubt, and all answers with it. */
export const UNKNOWN_SHARE = 0.5;

/** How long the operation that puts a tier to sleep may take (constructs/operations/sleep.ts, `DEADLINE`). */
export const GOING_TO_SLEEP_MS = 180 * MINUTE;

/** Pause between two servers of a tier that are declared unhealthy: a replacement must have come, and proved itself. */
export const PAUSE_MS = 15 * MINUTE;

/** A slot whose servers were declared unhealthy so often within a day has a fault that no server mends. */
export const MARKS_PER_DAY = 3;
export const DAY_MS = 24 * 60 * MINUTE;

/** Exit codes of the probe on the host. */
export const EXIT_FAILS = 20;

/** In place of a slot: the host knows none. */
export const NO_SLOT = '-';

/**
 * Processes of the group. Without them a server would be terminated and not replaced, or somebody stopped them for a
 * reason.
 */
export const NEEDED_PROCESSES: readonly string[] = ['Launch', 'Terminate', 'HealthCheck', 'ReplaceUnhealthy'];
