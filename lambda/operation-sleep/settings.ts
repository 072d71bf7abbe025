import type { Patience } from '../shared/client';

/** A tier whose servers have volumes by the volume map. */
export interface SleepingTier {
  readonly tier: string;
  readonly table: string;
  readonly group: string;
  /** How many servers its group has at least, one for each slot. */
  readonly slots: number;
  readonly spares: number;
}

/** What a deployment is made of, for whoever puts it to sleep. */
export interface Settings {
  readonly deployment: string;
  /** In the order in which they are started. */
  readonly tiers: readonly SleepingTier[];
  /** Their names in the order in which they are stopped. */
  readonly stopOrder: readonly string[];
  /** Groups of one host each, which share volumes and are in no map. */
  readonly clusterGroups: readonly string[];
  /** The stack whose instances are the grid's nodes, if there is one. */
  readonly nodeStack?: string;
  /** Whether hosts with volumes of their own have users, as nodes of a grid do. */
  readonly hostsHaveUsers: boolean;
  /** The stacks that may be deployed meanwhile. */
  readonly stacks: readonly string[];
  /** Why it cannot sleep; undefined when it can. */
  readonly refusal?: string;
  readonly deadlineSeconds: number;
}

/** What a step cannot learn or do, the next one will. */
export const PATIENCE = { attempts: 4, timeoutMs: 8000 } as const satisfies Patience;

/** A host that has not answered after this long is silent. */
export const ANSWER_MS = 90_000;

/** How long a host may take to unmount: longer than its document allows. */
export const UNMOUNT_MS = 660_000;

/** What the program on the hosts says with (constructs/host/documents/sleep.sh). */
export const EXIT_BUSY = 10;
export const EXIT_NOT_YET = 75;
