import { type SetPlace, WHOLE_SET, wrongFor } from '../shared/snapshot-labels';
import type { Ports, Settings } from './ports';

/** Volumes that were just made: for so long EC2 may not show all of them, milliseconds. */
const PATIENCE_MS = 60_000;
const PAUSE_MS = 2_000;

/**
 * Nobody asks while nodes have any of the volumes: their snapshots may be gone since.
 *
 * @throws when the volumes are not made of one complete set, each in its place
 */
export async function requireWholeSet(
  ports: Ports,
  { volumeIds }: Settings,
  wanted: Omit<SetPlace, 'position'>,
): Promise<void> {
  const { attachments } = ports;
  if ((await attachments.inUse(volumeIds)).length > 0) return;
  const snapshotOf = await snapshots(ports, volumeIds);
  const labels = new Map(
    (await attachments.labelsOf([...snapshotOf.values()])).map((label) => [label.snapshotId, label]),
  );
  for (const [position, volumeId] of volumeIds.entries()) {
    const id = snapshotOf.get(volumeId);
    const problem = wrongFor({ ...wanted, position }, id, id === undefined ? undefined : labels.get(id));
    if (problem) throw new Error(`volume ${volumeId} ${problem}. ${WHOLE_SET}`);
  }
  const [first, ...others] = labels.values();
  const stranger = others.find(({ deployment }) => deployment !== first!.deployment);
  if (stranger)
    throw new Error(`the snapshots are of ${first!.deployment} and ${stranger.deployment}. ${WHOLE_SET}`);
  const whole = await attachments.ofSet(first!.deployment, wanted.set);
  if (whole.length !== labels.size || String(labels.size) !== first!.size)
    throw new Error(
      `the set ${wanted.set} had ${first!.size} snapshots, ${whole.length} are there, and ${labels.size} are named. ` +
        WHOLE_SET,
    );
}

/** The snapshots that the volumes are made of, by volume. */
async function snapshots(
  { attachments, timer }: Ports,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const end = timer.now() + PATIENCE_MS;
  for (;;) {
    const found = await attachments.origins(ids);
    if (found.length === ids.length)
      return new Map(
        found.flatMap(({ volumeId, snapshotId }) => (snapshotId ? [[volumeId, snapshotId]] : [])),
      );
    if (timer.now() >= end) {
      const known = new Set(found.map(({ volumeId }) => volumeId));
      throw new Error(`EC2 does not know ${ids.filter((id) => !known.has(id)).join(', ')}`);
    }
    await timer.sleep(PAUSE_MS);
  }
}
