import type { TierRows } from '../shared/map';
import { momentsOf } from '../shared/one-moment';
import { isUsed } from './domain';
import type { Ports, SlotSpec, VolumeFacts } from './ports';

/** Refuses a stripe of volumes that hold different moments. What this map has served already is not looked at. */
export async function refuseMomentsThatDiffer(
  specs: readonly SlotSpec[],
  rows: TierRows,
  facts: readonly VolumeFacts[],
  { volumes, log }: Pick<Ports, 'volumes' | 'log'>,
): Promise<void> {
  const used = new Set(rows.slots.filter(isUsed).map(({ slot }) => slot));
  const known = new Map(facts.map((each) => [each.volumeId, each]));
  for (const spec of specs) {
    if (!spec.striped || used.has(spec.slot)) continue;
    const own = spec.volumes.flatMap(({ volumeId }) => known.get(volumeId) ?? []);
    const { problem, gone } = await momentsOf(own, (ids) => volumes.begunAt(ids));
    if (gone.length > 0) log.info('snapshots are gone: their moment is not known', { slot: spec.slot, gone });
    if (problem !== undefined) throw new Error(`the volumes of slot ${spec.slot} ${problem}`);
  }
}
