import { EC2Client, paginateDescribeSnapshots, type Snapshot } from '@aws-sdk/client-ec2';
import { ConfiguredRetryStrategy } from '@smithy/core/retry';
import { BACKUP_TAGS, DEPLOYMENT_TAG } from '../../constructs/private/tags';
import { type FoundSet, momentOf, setsOf } from '../../lambda/shared/backup-set';
import { ATTEMPTS, ask } from '../preflight/aws/ask';
import { delayMs } from '../preflight/aws/clients';

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
  return setsOf(found).sort((a, b) => momentOf(b) - momentOf(a));
}
