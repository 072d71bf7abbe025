import type { CommandStatus, Order, Snapshot } from './ports';
import { BLOCKED_RETRY_MS, EXIT_AFTER_SNAPSHOT, NOT_YET_PAUSE_MS } from './settings';
import type { OwnedRow } from './slot-rows';
import type { View } from './view';

/** What follows when a host has found damage that may be repaired after a snapshot of each volume. */
export type AfterSnapshot =
  /** All are completed. */
  | { readonly is: 'repair'; readonly repair: NonNullable<Order['repair']> }
  /** Some are missing or not completed; `missing` are the volumes that have none. */
  | {
      readonly is: 'wait';
      readonly reason: string;
      readonly finding: string;
      readonly missing: string[];
      /** A snapshot failed or could not be made: a person decides. */
      readonly stuck: boolean;
    }
  /** The host may have been helped by a person meanwhile. */
  | { readonly is: 'ask' };

/**
 * The number that a host gives the damage it found; undefined when it says something else. It is of this host, epoch
 * and time: the next damage has another one, so that no snapshot of before counts for it.
 */
export function findingOf(status: CommandStatus | undefined): string | undefined {
  if (status?.state !== 'failed' || status.exitCode !== EXIT_AFTER_SNAPSHOT) return undefined;
  return /finding ([0-9a-f]{16})$/.exec(status.detail ?? '')?.[1];
}

/** Decides from the snapshots that there are. `age` of the command that said so, milliseconds. */
export function afterSnapshot(
  row: OwnedRow,
  status: CommandStatus,
  finding: string,
  view: View,
  age: number,
): AfterSnapshot {
  const of = row.volumes.map(({ volumeId }) => ({
    volumeId,
    snapshot: bestSnapshot(
      (view.snapshots ?? []).filter((each) => each.volumeId === volumeId && each.finding === finding),
    ),
  }));
  const snapshotIds = of.flatMap(({ snapshot }) => (snapshot?.state === 'completed' ? snapshot.id : []));
  if (snapshotIds.length === row.volumes.length && age > NOT_YET_PAUSE_MS)
    return { is: 'repair', repair: { finding, snapshotIds } };
  if (age > BLOCKED_RETRY_MS) return { is: 'ask' };
  const why = `host ${row.owner} waits for snapshots: ${status.detail}`;
  const missing = of.filter(({ snapshot }) => snapshot === undefined).map(({ volumeId }) => volumeId);
  const failed = of.find(({ snapshot }) => snapshot?.state === 'error');
  if (failed !== undefined) {
    const reason = `${failed.snapshot!.id} of ${failed.volumeId} has failed; ${why}`;
    return { is: 'wait', reason, finding, missing: [], stuck: true };
  }
  // What is said of one that could not be made stands before it, until it is there.
  const refused = missing.length > 0 && row.reason?.endsWith(`; ${why}`) === true;
  return { is: 'wait', reason: refused ? row.reason! : why, finding, missing, stuck: refused };
}

/** Describes may show a snapshot late, so that another one was made: one that is completed is enough. */
function bestSnapshot(snapshots: Snapshot[]): Snapshot | undefined {
  const inState = (wanted: (state: string) => boolean) => snapshots.find(({ state }) => wanted(state));
  return inState((state) => state === 'completed') ?? inState((state) => state !== 'error') ?? snapshots[0];
}
