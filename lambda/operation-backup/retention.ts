import { type FoundSet, isUsable, momentOf } from '../shared/backup-set';

/**
 * What retention deletes: of complete sets those beyond the newest ones, also when they cannot be restored now; of
 * others those that are older than a set that can be restored. Never the newest that can be restored, nor what is newer
 * than that, nor what somebody protects, nor what somebody has copied beside it with all tags.
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
  const kept = usable.filter(({ protect }) => !protect).slice(0, Math.max(1, keep));
  const oldest = kept.length < keep ? Number.NEGATIVE_INFINITY : Math.min(...kept.map(momentOf));
  return byAge.filter((each) => {
    if (each === newest || each.protect || kept.includes(each)) return false;
    if (each.state !== 'complete' || neverUsable(each)) return momentOf(each) < momentOf(newest);
    return each.snapshots.length <= each.size && momentOf(each) < oldest;
  });
}

/** EBS has given up to copy a part of it. */
const neverUsable = ({ size, snapshots }: FoundSet): boolean =>
  snapshots.length <= size && snapshots.some(({ status }) => status === 'error');
