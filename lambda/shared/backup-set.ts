import { BACKUP_TAGS, POSITION_TAG, SLOT_TAG } from '../../constructs/private/tags';

/** What a file system was bought with that AWS runs: one of its backups is restored to the same only. */
export interface MadeWith {
  readonly capacityGiB?: number;
  readonly throughputPerTiB?: number;
  /** Of Intelligent-Tiering. */
  readonly throughputMBps?: number;
}

/** A snapshot of a set, as its tags and EC2 say. */
export interface FoundSnapshot {
  readonly snapshotId: string;
  /** pending, completed, error, or another state of EC2. */
  readonly status: string;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly tier: string;
  readonly slot: string;
  /** Place in its slot, from 0; undefined until the set is judged. */
  readonly position?: number;
  readonly address: string;
  /** Of a file system that AWS runs. */
  readonly madeWith?: MadeWith;
}

/** What is there of a set. */
export interface FoundSet {
  readonly set: string;
  /** `nfs`, `io2`, `gfs2`, `lustre` or `fsx-lustre`. */
  readonly kind: string;
  /** By its tag: `taking`, `complete` or `torn`. One that is not alike on all snapshots is `torn`. */
  readonly state: string;
  /** How many it is to have; 0 when nobody knows. */
  readonly size: number;
  readonly protect: boolean;
  /** Of copies: the account and the region that they come from. */
  readonly from?: string;
  readonly snapshots: readonly FoundSnapshot[];
}

/** What EC2's description of a snapshot has, as far as it is needed. */
export interface DescribedSnapshot {
  readonly SnapshotId?: string;
  readonly State?: string;
  readonly StartTime?: Date;
  readonly Tags?: readonly { readonly Key?: string; readonly Value?: string }[];
  readonly madeWith?: MadeWith;
}

/** Sorts the snapshots of one deployment into sets. */
export function setsOf(snapshots: readonly DescribedSnapshot[]): FoundSet[] {
  const bySet = new Map<string, DescribedSnapshot[]>();
  for (const snapshot of snapshots) {
    const set = tagOf(snapshot, BACKUP_TAGS.set);
    if (set !== undefined) bySet.set(set, [...(bySet.get(set) ?? []), snapshot]);
  }
  return [...bySet].map(([set, own]): FoundSet => {
    const [from, ...others] = new Set(own.map((each) => tagOf(each, BACKUP_TAGS.copyFrom)));
    const states = new Set(own.map((each) => tagOf(each, BACKUP_TAGS.state) ?? 'taking'));
    return {
      set,
      kind: tagOf(own[0]!, BACKUP_TAGS.kind) ?? '',
      // Parts of two deployments of one name may be as many as one set has.
      state: states.size === 1 && others.length === 0 ? [...states][0]! : 'torn',
      size: Number(tagOf(own[0]!, BACKUP_TAGS.size) ?? 0),
      protect: own.some((each) => tagOf(each, BACKUP_TAGS.protect) !== undefined),
      ...(from !== undefined && { from }),
      snapshots: own.map(found),
    };
  });
}

function found(snapshot: DescribedSnapshot): FoundSnapshot {
  const position = tagOf(snapshot, POSITION_TAG);
  return {
    snapshotId: snapshot.SnapshotId ?? '',
    status: snapshot.State ?? 'unknown',
    startedAt: snapshot.StartTime?.getTime() ?? 0,
    tier: tagOf(snapshot, BACKUP_TAGS.tier) ?? '',
    slot: tagOf(snapshot, SLOT_TAG) ?? '',
    address: tagOf(snapshot, BACKUP_TAGS.address) ?? '',
    ...(position !== undefined && /^[0-9]+$/.test(position) ? { position: Number(position) } : {}),
    ...(snapshot.madeWith && { madeWith: snapshot.madeWith }),
  };
}

/** Whether it can be restored: judged, all there, and EBS has copied all. */
export const isUsable = ({ state, size, snapshots }: FoundSet): boolean =>
  state === 'complete' &&
  size > 0 &&
  snapshots.length === size &&
  snapshots.every(({ status }) => status === 'completed');

/** A copy starts when it is copied: the name of a set, which its tags keep, says when it was made. */
export function momentOf({ set, snapshots }: Pick<FoundSet, 'set' | 'snapshots'>): number {
  const [, year, month, day, hour, minute, second] =
    /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(set) ?? [];
  const named = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  return Number.isNaN(named) ? Math.min(...snapshots.map(({ startedAt }) => startedAt)) : named;
}

const tagOf = ({ Tags }: DescribedSnapshot, key: string): string | undefined =>
  Tags?.find(({ Key }) => Key === key)?.Value;
