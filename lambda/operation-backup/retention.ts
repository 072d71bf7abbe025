/** A snapshot of a set, as its tags and EC2 say. */
export interface FoundSnapshot {
  readonly snapshotId: string;
  /** pending, completed, error, or another state of EC2. */
  readonly status: string;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
}

/** What is there of a set. */
export interface FoundSet {
  readonly set: string;
  /** By its tag: `taking`, `complete` or `torn`. One that is not alike on all snapshots is `torn`. */
  readonly state: string;
  /** How many it is to have; 0 when nobody knows. */
  readonly size: number;
  readonly protect: boolean;
  readonly snapshots: readonly FoundSnapshot[];
}

/** Whether it can be restored: judged, all there, and EBS has copied all. */
export const isUsable = ({ state, size, snapshots }: FoundSet): boolean =>
  state === 'complete' &&
  size > 0 &&
  snapshots.length === size &&
  snapshots.every(({ status }) => status === 'completed');

export const momentOf = ({ snapshots }: FoundSet): number =>
  Math.min(...snapshots.map(({ startedAt }) => startedAt));

/**
 * What retention deletes: of complete sets those beyond the newest ones; of others those that are older than a set that
 * can be restored. Never the newest that can be restored, nor what is newer than that, nor what somebody protects.
 *
 * @param keep how many complete sets stay, at least one
 */
export function outdated(sets: readonly FoundSet[], keep: number): FoundSet[] {
  const byAge = sets
    .filter(({ snapshots }) => snapshots.length > 0)
    .sort((a, b) => momentOf(b) - momentOf(a));
  const usable = byAge.filter(isUsable);
  const newest = usable[0];
  if (newest === undefined) return [];
  // Those that are protected are kept besides, and do not push others out.
  const kept = new Set(usable.filter(({ protect }) => !protect).slice(0, Math.max(1, keep)));
  return byAge.filter(
    (each) => each !== newest && !each.protect && !kept.has(each) && momentOf(each) < momentOf(newest),
  );
}
