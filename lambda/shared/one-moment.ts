import { type EC2Client, paginateDescribeSnapshots, type Volume } from '@aws-sdk/client-ec2';
import { SAME_MOMENT_TAG } from '../../constructs/private/tags';
import { TOGETHER_MS } from './snapshot-set';

/** Where the content of a volume comes from, as EC2 says. */
export interface VolumeOrigin {
  readonly volumeId: string;
  /** The snapshot that it was made of. */
  readonly snapshotId?: string;
  /** When it was made as a copy of another volume, milliseconds since 1970. */
  readonly copiedAt?: number;
  /** A person's word: it holds the moment of the volume with this id (`SAME_MOMENT_TAG`). */
  readonly sameMoment?: string;
}

/** When snapshots were begun, milliseconds since 1970, by id; without those that are gone. */
export type BegunAt = (snapshotIds: string[]) => Promise<Map<string, number>>;

/** What is known of the moments that volumes hold. */
export interface Moments {
  /** Why they are no stripe of one moment; undefined when they are, or nobody can tell. */
  readonly problem?: string;
  /** Snapshots that are gone, so that nobody can tell when they were made. */
  readonly gone: readonly string[];
}

/**
 * Whether volumes of one stripe hold one moment. Those of different ones are served all the same: LVM and the file
 * system find their own marks on each, and files are a mixture.
 *
 * @param volumes in serving order
 */
export async function momentsOf(volumes: readonly VolumeOrigin[], begunAt: BegunAt): Promise<Moments> {
  const first = volumes[0]?.volumeId;
  // The first one's id: snapshots take their volumes' tags along, and a word about others must not count.
  if (volumes.every(({ sameMoment }) => sameMoment === first)) return { gone: [] };
  const snapshotIds = new Set(volumes.flatMap(({ snapshotId }) => snapshotId ?? []));
  const begun = snapshotIds.size > 0 ? await begunAt([...snapshotIds]) : new Map<string, number>();
  const gone = [...snapshotIds].filter((id) => !begun.has(id));
  const contents = volumes.map((volume) => contentOf(volume, begun));
  if (!differInTime(contents)) return { gone };
  const problem =
    `hold different moments of one file system: ${contents.map(({ said }) => said).join(', ')}. Make all of them of ` +
    'one set of snapshots. If they are of one moment all the same (copies of a set, or nothing was written in ' +
    `between), say so: give each the tag ${SAME_MOMENT_TAG} with the value ${first}`;
  return { problem, gone };
}

interface Content {
  readonly is: 'own' | 'gone' | 'dated';
  /** The moment that it was made of, milliseconds since 1970. */
  readonly at?: number;
  readonly said: string;
}

function contentOf({ volumeId, snapshotId, copiedAt }: VolumeOrigin, begun: Map<string, number>): Content {
  const source = copiedAt === undefined ? snapshotId : 'a copy';
  if (source === undefined) return { is: 'own', said: `${volumeId} (made of no snapshot)` };
  const at = copiedAt ?? begun.get(source);
  if (at === undefined) return { is: 'gone', said: `${volumeId} (${source}, which is gone)` };
  return { is: 'dated', at, said: `${volumeId} (${source} of ${new Date(at).toISOString()})` };
}

function differInTime(contents: readonly Content[]): boolean {
  const own = contents.filter(({ is }) => is === 'own').length;
  if (own > 0) return own < contents.length;
  const moments = contents.flatMap(({ at }) => at ?? []);
  return moments.length > 1 && Math.max(...moments) - Math.min(...moments) > TOGETHER_MS;
}

/** What EC2's description of a volume says of its content. */
export function originOf({ VolumeId, SnapshotId, SourceVolumeId, CreateTime, Tags }: Volume): VolumeOrigin {
  return {
    volumeId: VolumeId ?? '',
    snapshotId: SnapshotId || undefined,
    copiedAt: SourceVolumeId ? CreateTime?.getTime() : undefined,
    sameMoment: Tags?.find(({ Key }) => Key === SAME_MOMENT_TAG)?.Value,
  };
}

/** EC2 takes this many values in one filter. */
const FILTER_VALUES = 200;

/** Asks EC2 when snapshots were begun. */
export const snapshotsBegun =
  (client: EC2Client): BegunAt =>
  async (snapshotIds) => {
    const begun = new Map<string, number>();
    for (let start = 0; start < snapshotIds.length; start += FILTER_VALUES) {
      // By a filter: a list of ids that has one that is gone is refused as a whole.
      const filter = { Name: 'snapshot-id', Values: snapshotIds.slice(start, start + FILTER_VALUES) };
      for await (const { Snapshots } of paginateDescribeSnapshots({ client }, { Filters: [filter] }))
        for (const { SnapshotId, StartTime } of Snapshots ?? [])
          if (SnapshotId && StartTime) begun.set(SnapshotId, StartTime.getTime());
    }
    return begun;
  };
