import {
  DescribeNetworkInterfacesCommand,
  DescribeVolumesCommand,
  type EC2Client,
  ModifyInstanceAttributeCommand,
  ModifyNetworkInterfaceAttributeCommand,
  type Volume,
} from '@aws-sdk/client-ec2';
import type { Patience } from '../shared/client';
import { errorName } from '../shared/log';
import { type BegunAt, originOf, snapshotsBegun, type VolumeOrigin } from '../shared/one-moment';
import { labelsOf, labelsOfSet, type SnapshotLabel } from '../shared/snapshot-labels';
import type { AttachmentsPort, Doomed } from './ports';

/** EC2's buckets of requests are shared by all of the account: half a minute on average, one at most. */
export const PATIENCE: Patience = { attempts: 8, timeoutMs: 10_000 };

/**
 * With which EC2 says that what was attached a moment ago is not any more: nothing is left to keep there. EC2 API
 * reference, "Error codes".
 */
const GONE: readonly string[] = [
  'InvalidInstanceID.NotFound',
  'InvalidAttachment.NotFound',
  'InvalidAttachmentID.NotFound',
  'InvalidNetworkInterfaceID.NotFound',
  'InvalidNetworkInterfaceId.NotFound',
];

/** Attachments of volumes and network interfaces in EC2. */
export class Ec2Attachments implements AttachmentsPort {
  readonly begunAt: BegunAt;

  constructor(private readonly client: EC2Client) {
    this.begunAt = snapshotsBegun(client);
  }

  async origins(ids: readonly string[]): Promise<VolumeOrigin[]> {
    const free = (await this.volumes(ids)).filter(({ State }) => State !== 'in-use');
    const origins = new Map(free.map((volume) => [volume.VolumeId, originOf(volume)]));
    return ids.flatMap((id) => origins.get(id) ?? []);
  }

  async inUse(ids: readonly string[]): Promise<string[]> {
    const used = (await this.volumes(ids)).filter(({ State }) => State === 'in-use');
    return used.map(({ VolumeId = '' }) => VolumeId);
  }

  labelsOf(snapshotIds: readonly string[]): Promise<SnapshotLabel[]> {
    return labelsOf(this.client, snapshotIds);
  }

  ofSet(deployment: string, set: string): Promise<SnapshotLabel[]> {
    return labelsOfSet(this.client, deployment, set);
  }

  async doomedVolumes(ids: readonly string[]): Promise<Doomed[]> {
    return (await this.volumes(ids)).flatMap(({ VolumeId: id = '', Attachments }) =>
      (Attachments ?? [])
        .filter(({ DeleteOnTermination }) => DeleteOnTermination === true)
        .map(({ InstanceId = '', Device = '' }) => ({ instanceId: InstanceId, id, attachment: Device })),
    );
  }

  private async volumes(ids: readonly string[]): Promise<Volume[]> {
    // A filter, unlike a list of ids, is no error when one of them is gone.
    const command = new DescribeVolumesCommand({ Filters: [{ Name: 'volume-id', Values: [...ids] }] });
    return (await this.client.send(command)).Volumes ?? [];
  }

  async doomedInterfaces(ids: readonly string[]): Promise<Doomed[]> {
    const { NetworkInterfaces } = await this.client.send(
      new DescribeNetworkInterfacesCommand({
        Filters: [{ Name: 'network-interface-id', Values: [...ids] }],
      }),
    );
    return (NetworkInterfaces ?? []).flatMap(({ NetworkInterfaceId: id = '', Attachment }) =>
      Attachment?.DeleteOnTermination === true
        ? [{ instanceId: Attachment.InstanceId ?? '', id, attachment: Attachment.AttachmentId ?? '' }]
        : [],
    );
  }

  async keepVolume({ instanceId, attachment }: Doomed): Promise<void> {
    const Ebs = { DeleteOnTermination: false };
    const BlockDeviceMappings = [{ DeviceName: attachment, Ebs }];
    const command = new ModifyInstanceAttributeCommand({ InstanceId: instanceId, BlockDeviceMappings });
    await unlessGone(this.client.send(command));
  }

  async keepInterface({ id, attachment }: Doomed): Promise<void> {
    const Attachment = { AttachmentId: attachment, DeleteOnTermination: false };
    const command = new ModifyNetworkInterfaceAttributeCommand({ NetworkInterfaceId: id, Attachment });
    await unlessGone(this.client.send(command));
  }
}

async function unlessGone(call: Promise<unknown>): Promise<void> {
  try {
    await call;
  } catch (error) {
    if (!GONE.includes(errorName(error))) throw error;
  }
}
