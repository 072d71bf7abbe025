import { describeError } from '../shared/log';
import type { Ports } from './ports';
import { outdated } from './retention';

/**
 * Deletes what retention does not keep. What cannot be deleted now is tried again after the next backup: a backup that
 * was made is not called failed for it.
 *
 * @returns a sentence about it, or nothing
 */
export async function deleteOutdated(keep: number, { snapshots, log }: Ports): Promise<string> {
  let sets = 0;
  const failed: string[] = [];
  try {
    for (const { set, snapshots: own } of outdated(await snapshots.sets(), keep)) {
      sets += 1;
      for (const { snapshotId } of own) {
        try {
          await snapshots.delete(snapshotId);
        } catch (error) {
          failed.push(`${snapshotId} (${describeError(error)})`);
        }
      }
      log.info('a set is deleted', { set, snapshots: own.length });
    }
  } catch (error) {
    failed.push(describeError(error));
  }
  if (failed.length > 0) log.error('not all is deleted', { failed });
  const trouble = failed.length > 0 ? ` Not deleted: ${failed.join('; ')}.` : '';
  return `${sets > 0 ? ` Older sets deleted: ${sets}.` : ''}${trouble}`;
}
