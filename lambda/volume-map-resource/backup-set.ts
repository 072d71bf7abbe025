import type { TierRows } from '../shared/map';
import { WHOLE_SET, wrongFor } from '../shared/snapshot-labels';
import { isUsed } from './domain';
import type { Ports, SlotSpec, VolumeFacts } from './ports';

/**
 * Refuses volumes of a set that is incomplete, mixed, or not in its places. What this map has served already is not
 * looked at: its snapshots may be gone since.
 */
export async function refuseOtherSets(
  { tier, slots }: { readonly tier: string; readonly slots: readonly SlotSpec[] },
  rows: TierRows,
  facts: readonly VolumeFacts[],
  { volumes }: Pick<Ports, 'volumes'>,
): Promise<void> {
  const used = new Set(rows.slots.filter(isUsed).map(({ slot }) => slot));
  const restored = slots.filter(({ slot, backupSet }) => backupSet !== undefined && !used.has(slot));
  if (restored.length === 0) return;
  const snapshotOf = new Map(facts.map(({ volumeId, snapshotId }) => [volumeId, snapshotId]));
  const ids = restored.flatMap((spec) =>
    spec.volumes.flatMap(({ volumeId }) => snapshotOf.get(volumeId) ?? []),
  );
  const labels = new Map((await volumes.labelsOf(ids)).map((label) => [label.snapshotId, label]));
  for (const spec of restored) {
    for (const [position, { volumeId }] of spec.volumes.entries()) {
      const id = snapshotOf.get(volumeId);
      const place = { set: spec.backupSet!, tier, slot: spec.slot, position };
      const problem = wrongFor(place, id, id === undefined ? undefined : labels.get(id));
      if (problem) throw new Error(`volume ${volumeId} of slot ${spec.slot} ${problem}. ${WHOLE_SET}`);
    }
  }
  const [first] = labels.values();
  const deployments = new Set([...labels.values()].map(({ deployment }) => deployment));
  if (deployments.size > 1)
    throw new Error(`the snapshots are of ${[...deployments].join(' and ')}. ${WHOLE_SET}`);
  const whole = await volumes.ofSet(first!.deployment, first!.set);
  // When some slots are served, the others may be what is left of the set.
  const left = whole.filter(
    (each) => each.tier === tier && !labels.has(each.snapshotId) && !used.has(each.slot),
  );
  if (left.length > 0) {
    const names = left.map(({ slot, snapshotId }) => `${snapshotId} of ${slot}`).join(', ');
    throw new Error(`the set ${first!.set} has ${names} besides, which would be left behind. ${WHOLE_SET}`);
  }
  // What was deleted shows in the number only: a tier would come up with fewer servers than it had.
  if (used.size === 0 && String(whole.length) !== first!.size)
    throw new Error(
      `the set ${first!.set} had ${first!.size} snapshots, of which ${whole.length} are left. ${WHOLE_SET}`,
    );
}
