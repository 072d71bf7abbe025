import {
  CreateSnapshotsCommand,
  CreateTagsCommand,
  DeleteSnapshotCommand,
  type EC2Client,
  paginateDescribeInstances,
  paginateDescribeSnapshots,
  type Snapshot,
} from '@aws-sdk/client-ec2';
import { BACKUP_TAGS, DEPLOYMENT_TAG, POSITION_TAG, SLOT_TAG } from '../../constructs/private/tags';
import { type FoundSet, setsOf } from '../shared/backup-set';
import { errorName } from '../shared/log';
import type { Begun, Label, PlannedServer, SnapshotsPort } from './ports';

/** CreateTags takes a thousand resources (EC2 API reference); fewer are tried again as one. */
const AT_ONCE = 200;

/** Snapshots of one deployment, which their tags tell from all others. */
export class Ec2Snapshots implements SnapshotsPort {
  constructor(
    private readonly client: EC2Client,
    private readonly deployment: string,
  ) {}

  async attachedTo(instanceId: string): Promise<string[]> {
    const found: string[] = [];
    const pages = paginateDescribeInstances({ client: this.client }, { InstanceIds: [instanceId] });
    for await (const { Reservations } of pages) {
      for (const { RootDeviceName, BlockDeviceMappings } of (Reservations ?? []).flatMap(
        (each) => each.Instances ?? [],
      )) {
        for (const { DeviceName, Ebs } of BlockDeviceMappings ?? [])
          if (DeviceName !== RootDeviceName && Ebs?.VolumeId) found.push(Ebs.VolumeId);
      }
    }
    return found;
  }

  async create(server: PlannedServer, { set, kind, protect, size }: Label): Promise<Begun[]> {
    const { instanceId, tier, slot, address, epoch, others } = server;
    const tags: { [key: string]: string } = {
      [DEPLOYMENT_TAG]: this.deployment,
      [BACKUP_TAGS.set]: set,
      [BACKUP_TAGS.state]: 'taking',
      [BACKUP_TAGS.size]: String(size),
      [BACKUP_TAGS.kind]: kind,
      [BACKUP_TAGS.tier]: tier,
      [SLOT_TAG]: slot,
      [BACKUP_TAGS.address]: address,
      [BACKUP_TAGS.epoch]: String(epoch),
      ...(protect ? { [BACKUP_TAGS.protect]: 'yes' } : {}),
      Name: `${this.deployment} ${slot}`,
    };
    const { Snapshots } = await this.client.send(
      new CreateSnapshotsCommand({
        InstanceSpecification: {
          InstanceId: instanceId,
          ExcludeBootVolume: true,
          ...(others.length > 0 ? { ExcludeDataVolumeIds: [...others] } : {}),
        },
        Description: `Backup ${set} of ${this.deployment}, slot ${slot}`,
        TagSpecifications: [
          { ResourceType: 'snapshot', Tags: Object.entries(tags).map(([Key, Value]) => ({ Key, Value })) },
        ],
      }),
    );
    return (Snapshots ?? []).map(({ SnapshotId = '', VolumeId = '' }) => ({
      snapshotId: SnapshotId,
      volumeId: VolumeId,
    }));
  }

  async ofSet(set: string): Promise<Begun[]> {
    const found = await this.list({ Name: `tag:${BACKUP_TAGS.set}`, Values: [set] });
    return found.map(({ SnapshotId = '', VolumeId = '' }) => ({
      snapshotId: SnapshotId,
      volumeId: VolumeId,
    }));
  }

  place(snapshotIds: readonly string[], position: number): Promise<void> {
    return this.tag(snapshotIds, POSITION_TAG, String(position));
  }

  judge(snapshotIds: readonly string[], state: 'complete' | 'torn'): Promise<void> {
    return this.tag(snapshotIds, BACKUP_TAGS.state, state);
  }

  async sets(): Promise<FoundSet[]> {
    return setsOf(await this.list({ Name: 'tag-key', Values: [BACKUP_TAGS.set] }));
  }

  async delete(snapshotId: string): Promise<void> {
    try {
      await this.client.send(new DeleteSnapshotCommand({ SnapshotId: snapshotId }));
    } catch (error) {
      if (errorName(error) !== 'InvalidSnapshot.NotFound') throw error;
    }
  }

  private async tag(snapshotIds: readonly string[], Key: string, Value: string): Promise<void> {
    for (let start = 0; start < snapshotIds.length; start += AT_ONCE) {
      const Resources = snapshotIds.slice(start, start + AT_ONCE);
      await this.client.send(new CreateTagsCommand({ Resources, Tags: [{ Key, Value }] }));
    }
  }

  /**
   * The tag says whose they are: nobody else's are looked at, and none of the tier's other snapshots. What another
   * deployment of this name has copied here is not its own, also when both began at the same second.
   */
  private async list(filter: { Name: string; Values: string[] }): Promise<Snapshot[]> {
    const found: Snapshot[] = [];
    const Filters = [filter, { Name: `tag:${DEPLOYMENT_TAG}`, Values: [this.deployment] }];
    const pages = paginateDescribeSnapshots({ client: this.client }, { OwnerIds: ['self'], Filters });
    for await (const { Snapshots } of pages) found.push(...(Snapshots ?? []));
    return found.filter(({ Tags }) => !Tags?.some(({ Key }) => Key === BACKUP_TAGS.copyOf));
  }
}
