import type { Patience } from '../shared/client';

/** A tier whose volumes are backed up. */
export interface BackedTier {
  readonly tier: string;
  readonly table: string;
}

/** Volumes that the nodes of a cluster share: no volume map has them. */
export interface BackedCluster {
  /** What stands in the snapshots for a tier and its one slot. */
  readonly tier: string;
  readonly slot: string;
  /** Each is the one instance of a group. */
  readonly nodes: readonly { readonly name: string; readonly group: string }[];
  /** The stack whose output `VolumeIds` has the volumes in their order: an import of them would hold up that stack. */
  readonly stack: string;
}

/** What a deployment is made of, for whoever makes its backups. */
export interface Settings {
  readonly deployment: string;
  /** `nfs`, `io2`, `gfs2`, `lustre` or `fsx-lustre`. */
  readonly kind: string;
  readonly tiers: readonly BackedTier[];
  /** In place of tiers. */
  readonly cluster?: BackedCluster;
  /** The tier whose servers hold what is written, all of it. */
  readonly holder: string;
  /** The stacks that may be deployed meanwhile. */
  readonly stacks: readonly string[];
  /**
   * What AWS runs and backs up itself, with no tier: file systems of FSx (`fs-...`), or volumes of ONTAP (`fsvol-...`).
   */
  readonly managed?: readonly string[];
  /** How many complete sets retention leaves; undefined: it deletes nothing. */
  readonly keep?: number;
  /** Why it has no backups of this kind, and what to do; undefined when it has. */
  readonly refusal?: string;
  readonly deadlineSeconds: number;
}

/** While writes are held, nobody waits long for a call: a torn set is made anew by a person, or the schedule. */
export const PATIENCE = { attempts: 3, timeoutMs: 8000 } as const satisfies Patience;

/** How long a host holds at most, seconds: what its program allows (constructs/host/documents/hold.sh). */
export const HOLD_SECONDS = 60;

/** How long a host may take to write what it has, and to hold; longer than its document allows. */
export const HOLD_MS = 200_000;

/** How long a host may take to let go. It has let go by itself by then. */
export const RELEASE_MS = 90_000;
