import { type EC2Client, type Filter, paginateDescribeSnapshots } from '@aws-sdk/client-ec2';
import { BACKUP_TAGS, DEPLOYMENT_TAG, POSITION_TAG, SLOT_TAG } from '../../constructs/private/tags';
import type { SnapshotLabel } from './ports';

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
