import { EC2Client, paginateDescribeSnapshots, type Snapshot } from '@aws-sdk/client-ec2';
import { ConfiguredRetryStrategy } from '@smithy/core/retry';
import { REGIONS_WITHOUT_TYPES } from '../../constructs/facts/regions';
import { BACKUP_TAGS, DEPLOYMENT_TAG } from '../../constructs/private/tags';
import { type FoundSet, momentOf, setsOf } from '../../lambda/shared/backup-set';
import { ATTEMPTS, ask, isUnchecked } from '../preflight/aws/ask';
import { delayMs } from '../preflight/aws/clients';
import { fsxSets } from './fsx';

/** The sets of a deployment in a region, also when nothing else of it is there; the newest first. */
export async function backupSets(deployment: string, region: string): Promise<FoundSet[]> {
  const client = new EC2Client({ region, retryStrategy: new ConfiguredRetryStrategy(ATTEMPTS, delayMs) });
  const Filters = [
    { Name: `tag:${DEPLOYMENT_TAG}`, Values: [deployment] },
    { Name: 'tag-key', Values: [BACKUP_TAGS.set] },
  ];
  const found = await ask('ec2:DescribeSnapshots', async () => {
    const all: Snapshot[] = [];
    for await (const { Snapshots } of paginateDescribeSnapshots({ client }, { OwnerIds: ['self'], Filters }))
      all.push(...(Snapshots ?? []));
    return all;
  });
  const hasFsx = !REGIONS_WITHOUT_TYPES.value['AWS::FSx::']?.includes(region);
  const ofFsx = await (hasFsx ? fsxSets(deployment, region) : Promise.resolve([])).catch((error: unknown) => {
    // Whoever has sets of snapshots need not have the right to see what FSx has.
    if (found.length > 0 && isUnchecked(error)) return [];
    throw error;
  });
  return [...setsOf(found), ...ofFsx].sort((a, b) => momentOf(b) - momentOf(a));
}
