import { type EC2Client, type Filter, paginateDescribeSnapshots } from '@aws-sdk/client-ec2';
import { BACKUP_TAGS, DEPLOYMENT_TAG, POSITION_TAG, SLOT_TAG } from '../../constructs/private/tags';

/** What a snapshot of a backup says of itself, by its tags. */
export interface SnapshotLabel {
  readonly snapshotId: string;
  readonly deployment: string;
  readonly set: string;
  readonly state: string;
  readonly tier: string;
  readonly slot: string;
  readonly position: string;
  /** How many snapshots its set has, of all tiers. */
  readonly size: string;
}

/** Where a snapshot belongs. */
export interface SetPlace {
  readonly set: string;
  readonly tier: string;
  readonly slot: string;
  readonly position: number;
}

/** What people do when volumes are not one whole set. */
export const WHOLE_SET = 'Name one complete set as a whole: cdk-sas-grid restore writes the configuration';

/** @returns why a volume that is made of a snapshot is not what is to be in this place; undefined when it is */
export function wrongFor(
  place: SetPlace,
  id: string | undefined,
  label: SnapshotLabel | undefined,
): string | undefined {
  if (id === undefined) return 'is not shown by EC2 as made of a snapshot';
  if (label === undefined) return `is made of ${id}, which is gone, so that nobody can tell what it is of`;
  const { set, state } = label;
  if (set !== place.set)
    return `is made of ${id}, which is of ${set ? `the set ${set}` : 'no set'}, not of ${place.set}`;
  if (state !== 'complete') return `is made of ${id}, whose set ${set} is ${state || 'not judged'}`;
  const { tier, slot, position } = place;
  if (label.tier !== tier || label.slot !== slot || label.position !== String(position))
    return `is made of ${id}, position ${label.position} of ${label.slot}, not position ${position} of ${slot}`;
  return undefined;
}

/** EC2 takes this many values in one filter. */
const FILTER_VALUES = 200;

/** By a filter: a list of ids that has one that is gone is refused as a whole. */
export async function labelsOf(client: EC2Client, snapshotIds: readonly string[]): Promise<SnapshotLabel[]> {
  const found: SnapshotLabel[] = [];
  for (let start = 0; start < snapshotIds.length; start += FILTER_VALUES) {
    const Values = snapshotIds.slice(start, start + FILTER_VALUES);
    found.push(...(await list(client, [{ Name: 'snapshot-id', Values }])));
  }
  return found;
}

export const labelsOfSet = (client: EC2Client, deployment: string, set: string): Promise<SnapshotLabel[]> =>
  list(client, [
    { Name: `tag:${DEPLOYMENT_TAG}`, Values: [deployment] },
    { Name: `tag:${BACKUP_TAGS.set}`, Values: [set] },
  ]);

async function list(client: EC2Client, Filters: Filter[]): Promise<SnapshotLabel[]> {
  const found: SnapshotLabel[] = [];
  for await (const { Snapshots } of paginateDescribeSnapshots({ client }, { Filters })) {
    for (const { SnapshotId = '', Tags } of Snapshots ?? []) {
      const tag = (key: string): string => Tags?.find(({ Key }) => Key === key)?.Value ?? '';
      found.push({
        snapshotId: SnapshotId,
        deployment: tag(DEPLOYMENT_TAG),
        set: tag(BACKUP_TAGS.set),
        state: tag(BACKUP_TAGS.state),
        tier: tag(BACKUP_TAGS.tier),
        slot: tag(SLOT_TAG),
        position: tag(POSITION_TAG),
        size: tag(BACKUP_TAGS.size),
      });
    }
  }
  return found;
}
