import { describeError } from '../shared/log';
import type { Ports, SetsPort } from './ports';
import { outdated } from './retention';

/** How many snapshots are named that could not be deleted: the message of a step is limited, the log has all. */
const NAMED = 3;

/** What a step deletes before the next one goes on: well within a step's time, also when calls are tried again. */
const STEP_MS = 45_000;

/** What came of it. */
export interface Deleted {
  /** A sentence about it, or nothing. */
  readonly said: string;
  /** Time was up before all was tried, and something was deleted: it goes on in the next step. */
  readonly more: boolean;
}

/**
 * Deletes what retention does not keep. What cannot be deleted now is tried again after the next backup: a backup that
 * was made is not called failed for it.
 */
export async function deleteOutdated(
  keep: number,
  { snapshots, log, now }: Pick<Ports, 'log' | 'now'> & { readonly snapshots: SetsPort },
): Promise<Deleted> {
  const end = now() + STEP_MS;
  let sets = 0;
  let deleted = 0;
  const failed: string[] = [];
  try {
    for (const { set, snapshots: own } of outdated(await snapshots.sets(), keep)) {
      sets += 1;
      for (const { snapshotId } of own) {
        if (now() >= end && deleted > 0) return { said: '', more: true };
        try {
          await snapshots.delete(snapshotId);
          deleted += 1;
        } catch (error) {
          failed.push(`${snapshotId} (${describeError(error).slice(0, 300)})`);
        }
        // Nothing can be deleted: not for want of time.
        if (now() >= end && deleted === 0) throw new Error('nothing could be deleted in time');
      }
      log.info('a set is deleted', { set, snapshots: own.length });
    }
  } catch (error) {
    failed.push(describeError(error));
  }
  if (failed.length > 0) log.error('not all is deleted', { failed });
  const others = failed.length > NAMED ? `, and ${failed.length - NAMED} more` : '';
  const trouble = failed.length > 0 ? ` Not deleted: ${failed.slice(0, NAMED).join('; ')}${others}.` : '';
  return { said: `${sets > 0 ? ` Older sets deleted: ${sets}.` : ''}${trouble}`, more: false };
}
