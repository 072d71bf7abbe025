import { outdated } from '../operation-backup/retention';
import { type FoundSet, isUsable, momentOf } from '../shared/backup-set';
import { describeError } from '../shared/log';
import type { Ports } from './ports';

/**
 * Deletes copies as retention deletes sets where they are made; and what will never be whole, since the set that it is
 * of is gone, once a newer one is there. What somebody protects stays.
 *
 * @param sets those that this function has copied
 * @param doing the set that is being copied
 * @returns how many snapshots were deleted
 */
export async function retainCopies(
  own: readonly FoundSet[],
  sets: readonly FoundSet[],
  doing: string | undefined,
  keep: number,
  { destination, log }: Ports,
): Promise<number> {
  const newest = Math.max(Number.NEGATIVE_INFINITY, ...sets.filter(isUsable).map(momentOf));
  const inVain = sets.filter(
    (each) =>
      !each.protect &&
      each.snapshots.length < each.size &&
      momentOf(each) < newest &&
      !own.some(({ set }) => set === each.set),
  );
  const leaving = new Set([...outdated(sets, keep), ...inVain].filter(({ set }) => set !== doing));
  let deleted = 0;
  for (const { set, snapshots } of leaving) {
    for (const { snapshotId } of snapshots) {
      try {
        await destination.delete(snapshotId);
        deleted += 1;
      } catch (error) {
        // Tried again in the next pass.
        log.error('a copy could not be deleted', { set, copy: snapshotId, error: describeError(error) });
      }
    }
  }
  return deleted;
}
