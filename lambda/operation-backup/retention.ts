import { type FoundSet, isUsable, momentOf } from '../shared/backup-set';

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
