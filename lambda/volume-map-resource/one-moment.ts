import { SAME_MOMENT_TAG } from '../../constructs/private/tags';
import type { TierRows } from '../shared/map';
import { TOGETHER_MS } from '../shared/snapshot-set';
import { isUsed } from './domain';
import type { Ports, SlotSpec, VolumeFacts } from './ports';

/**
 * Refuses a stripe that is put together from different moments: LVM and the file system find their own marks on each
 * volume and serve it, and files are a mixture of both. Only volumes that this map has not served yet are looked at.
 * Where a snapshot is gone nobody can tell.
 */
export async function refuseMomentsThatDiffer(
  specs: readonly SlotSpec[],
  rows: TierRows,
  facts: readonly VolumeFacts[],
  { volumes, log }: Pick<Ports, 'volumes' | 'log'>,
): Promise<void> {
  const used = new Set(rows.slots.filter(isUsed).map(({ slot }) => slot));
  for (const spec of specs) {
    if (!spec.striped || used.has(spec.slot)) continue;
    const own = spec.volumes.flatMap(
      (volume) => facts.find(({ volumeId }) => volumeId === volume.volumeId) ?? [],
    );
    // The first one's id: snapshots take their volumes' tags along, and a word about others must not count.
    const [first] = spec.volumes;
    if (own.every(({ sameMoment }) => sameMoment === first!.volumeId)) continue;
    const snapshotIds = new Set(own.flatMap(({ snapshotId }) => snapshotId ?? []));
    const begun = snapshotIds.size > 0 ? await volumes.begunAt([...snapshotIds]) : new Map<string, number>();
    const origins = own.map((volume) => originOf(volume, begun));
    const unknown = origins.filter(({ is }) => is === 'gone');
    if (unknown.length > 0)
      log.info('snapshots are gone: their moment is not known', { slot: spec.slot, unknown });
    if (!differ(origins)) continue;
    throw new Error(
      `the volumes of slot ${spec.slot} hold different moments of one file system: ` +
        `${origins.map(({ said }) => said).join(', ')}. Make all of them of one set of snapshots. If they are of one ` +
        'moment all the same (copies of a set, or nothing was written in between), say so: give each the tag ' +
        `${SAME_MOMENT_TAG} with the value ${first!.volumeId}`,
    );
  }
}

/** Where a volume's content comes from. */
interface Origin {
  readonly is: 'own' | 'gone' | 'dated';
  /** The moment that it was made of, milliseconds since 1970. */
  readonly at?: number;
  readonly said: string;
}

function originOf({ volumeId, snapshotId, copiedAt }: VolumeFacts, begun: Map<string, number>): Origin {
  const source = copiedAt === undefined ? snapshotId : 'a copy';
  if (source === undefined) return { is: 'own', said: `${volumeId} (made of no snapshot)` };
  const at = copiedAt ?? begun.get(source);
  if (at === undefined) return { is: 'gone', said: `${volumeId} (${source}, which is gone)` };
  return { is: 'dated', at, said: `${volumeId} (${source} of ${new Date(at).toISOString()})` };
}

function differ(origins: readonly Origin[]): boolean {
  const own = origins.filter(({ is }) => is === 'own').length;
  if (own > 0) return own < origins.length;
  const moments = origins.flatMap(({ at }) => at ?? []);
  return moments.length > 1 && Math.max(...moments) - Math.min(...moments) > TOGETHER_MS;
}
