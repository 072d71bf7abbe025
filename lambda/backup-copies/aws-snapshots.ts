import {
  CopySnapshotCommand,
  type CopySnapshotCommandInput,
  DeleteSnapshotCommand,
  EC2Client,
  type EC2ClientConfig,
  ModifySnapshotAttributeCommand,
  paginateDescribeSnapshots,
  type Snapshot,
} from '@aws-sdk/client-ec2';
import { BACKUP_TAGS, DEPLOYMENT_TAG } from '../../constructs/private/tags';
import type { DescribedSnapshot } from '../shared/backup-set';
import { clientOf } from '../shared/client';
import { describeError, errorName } from '../shared/log';
import { setOf } from './choose';
import { type DestinationPort, Refused, type SourcePort } from './ports';
import { COPY_PATIENCE, PATIENCE, type Settings, sourceOf } from './settings';

/** EC2 takes no more copies for now (constructs/facts, `SNAPSHOT_COPIES_AT_ONCE`), or no more calls. */
const FULL: readonly string[] = ['ResourceLimitExceeded', 'RequestLimitExceeded'];

/** Snapshots of the deployment's sets in a region. */
async function listed(client: EC2Client, deployment: string): Promise<DescribedSnapshot[]> {
  const found: Snapshot[] = [];
  const Filters = [
    { Name: `tag:${DEPLOYMENT_TAG}`, Values: [deployment] },
    { Name: 'tag-key', Values: [BACKUP_TAGS.set] },
  ];
  const pages = paginateDescribeSnapshots({ client }, { OwnerIds: ['self'], Filters });
  for await (const { Snapshots } of pages) found.push(...(Snapshots ?? []));
  return found;
}

/** The region that sets are made in. */
export class Ec2Source implements SourcePort {
  private readonly client = new EC2Client(clientOf(PATIENCE));

  constructor(private readonly settings: Settings) {}

  list(): Promise<DescribedSnapshot[]> {
    return listed(this.client, this.settings.deployment);
  }

  async share(snapshotId: string): Promise<void> {
    const account = this.settings.destination.roleArn?.split(':')[4];
    if (account === undefined) return;
    await this.client.send(
      new ModifySnapshotAttributeCommand({
        SnapshotId: snapshotId,
        Attribute: 'createVolumePermission',
        OperationType: 'add',
        UserIds: [account],
      }),
    );
  }
}

/** The region that copies go to: EC2 makes a copy where it is asked for one. */
export class Ec2Destination implements DestinationPort {
  private readonly client: EC2Client;
  private readonly copying: EC2Client;

  /** @param config credentials of the role of another account, or none */
  constructor(
    private readonly settings: Settings,
    config: EC2ClientConfig,
  ) {
    const { region } = settings.destination;
    this.client = new EC2Client({ ...clientOf(PATIENCE), region, ...config });
    this.copying = withPlainPresignedUrl(new EC2Client({ ...clientOf(COPY_PATIENCE), region, ...config }));
  }

  list(): Promise<DescribedSnapshot[]> {
    return listed(this.client, this.settings.deployment);
  }

  async copy(snapshot: DescribedSnapshot): Promise<string> {
    const { deployment, region, destination } = this.settings;
    const kept = (snapshot.Tags ?? []).filter(({ Key }) => !Key?.startsWith('aws:'));
    const Tags = [
      ...kept,
      { Key: BACKUP_TAGS.copyOf, Value: snapshot.SnapshotId },
      { Key: BACKUP_TAGS.copyFrom, Value: sourceOf(this.settings) },
    ];
    try {
      const { SnapshotId } = await this.copying.send(
        new CopySnapshotCommand({
          SourceRegion: region,
          SourceSnapshotId: snapshot.SnapshotId,
          Description: `Copy of ${snapshot.SnapshotId} in ${region}: backup ${setOf(snapshot)} of ${deployment}`,
          // Whatever the region's default is: what is encrypted stays so.
          Encrypted: true,
          KmsKeyId: destination.keyArn,
          TagSpecifications: [{ ResourceType: 'snapshot', Tags }],
        }),
      );
      return SnapshotId ?? '';
    } catch (error) {
      const full = FULL.includes(errorName(error));
      const status = (error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode ?? 0;
      // RequestLimitExceeded is a 503 (EC2 API reference, "Error codes").
      if (!full && (status < 400 || status > 499)) throw error;
      throw new Refused(describeError(error), full);
    }
  }

  async delete(snapshotId: string): Promise<void> {
    try {
      await this.client.send(new DeleteSnapshotCommand({ SnapshotId: snapshotId }));
    } catch (error) {
      if (errorName(error) !== 'InvalidSnapshot.NotFound') throw error;
    }
  }
}

/**
 * With a copy from another region goes a signed request to that one. The SDK writes each parameter into it as a text,
 * of which lists become no texts that EC2 knows. It needs none of them there (EC2 API reference, CopySnapshot,
 * PresignedUrl): the tags are in the request itself, which is written by then.
 */
function withPlainPresignedUrl(client: EC2Client): EC2Client {
  client.middlewareStack.addRelativeTo(withoutTags, {
    name: 'plainPresignedUrl',
    relation: 'before',
    toMiddleware: 'crossRegionPresignedUrlMiddleware',
  });
  return client;
}

function withoutTags<A extends { input: object }, R>(next: (args: A) => Promise<R>) {
  return (args: A): Promise<R> => {
    const { TagSpecifications: _, ...input } = args.input as CopySnapshotCommandInput;
    return next({ ...args, input });
  };
}
