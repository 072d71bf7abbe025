import type { EC2Client, Filter } from '@aws-sdk/client-ec2';
import {
  AttachNetworkInterfaceCommand,
  AttachVolumeCommand,
  CreateSnapshotCommand,
  CreateTagsCommand,
  DetachNetworkInterfaceCommand,
  DetachVolumeCommand,
  type Instance as Ec2Instance,
  ModifyInstanceAttributeCommand,
  ModifyNetworkInterfaceAttributeCommand,
  paginateDescribeInstances,
  paginateDescribeNetworkInterfaces,
  paginateDescribeSnapshots,
  paginateDescribeVolumes,
} from '@aws-sdk/client-ec2';
import { EC2_FILTER_VALUES, EC2_PAGE, EC2_VOLUMES_PAGE } from '../../constructs/facts/services';
import { FINDING_TAG, FORMATTED_TAG, SLOT_TAG, TIER_TAG } from '../../constructs/private/tags';
import { outcomeOf } from './aws-errors';
import { atFreePlace, devicesFor, INTERFACE_PLACES } from './free-place';
import type { Pace } from './pace';
import type { ComputePort, Instance, NetworkInterface, Outcome, Snapshot, Volume } from './ports';

/** EC2 takes this many values in one filter. */
const FILTER_VALUES = EC2_FILTER_VALUES.value;

/**
 * EC2's largest pages: a tier of 128 servers with eight volumes each is looked at in five calls. Without a page size
 * the calls would count as unpaginated, which EC2 may cut off.
 */
const PAGE = EC2_PAGE.value;
const VOLUMES_PAGE = EC2_VOLUMES_PAGE.value;

/** Errors that say "not now" or "not any more". The next pass sees what is so. */
const ATTACH_REFUSALS = [
  'IncorrectState',
  'IncorrectInstanceState',
  'InvalidInstanceID',
  'InvalidInstanceID.NotFound',
  'InvalidVolume.NotFound',
  'InvalidVolume.ZoneMismatch',
  'VolumeInUse',
  'InvalidNetworkInterface.InUse',
  'InvalidNetworkInterfaceID.NotFound',
  'InvalidAttachment.NotFound',
  'InvalidAttachmentID.NotFound',
  'InvalidParameterValue',
  'InvalidParameterCombination',
  'AttachmentLimitExceeded',
];

/** Errors that say that it hangs there no more, or that the instance has come to its end. */
const KEEP_REFUSALS = [
  'IncorrectInstanceState',
  'IncorrectState',
  'InvalidInstanceID',
  'InvalidInstanceID.NotFound',
  'InvalidInstanceAttributeValue',
  'InvalidAttachment.NotFound',
  'InvalidAttachmentID.NotFound',
  'InvalidNetworkInterfaceID.NotFound',
];

/** One was made just now, which describes do not show yet; or others are made, and this one has to wait. */
const SNAPSHOT_REFUSALS = ['SnapshotCreationPerVolumeRateExceeded', 'ConcurrentSnapshotLimitExceeded'];

/** EC2. What it may change is limited by tag in the function's policy. */
export class Ec2Compute implements ComputePort {
  constructor(
    private readonly client: EC2Client,
    private readonly tierTag: string,
    /** Spreads what changes something; without it calls are made at once. */
    private readonly pace?: Pace,
  ) {}

  async instances(alsoIds: string[]): Promise<Instance[]> {
    const found = new Map<string, Instance>();
    const add = (instance: Ec2Instance): void => {
      if (!instance.InstanceId) return;
      found.set(instance.InstanceId, {
        id: instance.InstanceId,
        state: instance.State?.Name ?? 'unknown',
        zone: instance.Placement?.AvailabilityZone ?? '',
        type: instance.InstanceType,
        name: instance.Tags?.find(({ Key }) => Key === 'Name')?.Value,
        launchedAt: instance.LaunchTime?.getTime() ?? 0,
        endedAt: endOf(instance),
      });
    };
    await this.describeInstances([this.byTier()], add);
    const others = alsoIds.filter((id) => !found.has(id));
    for (let start = 0; start < others.length; start += FILTER_VALUES) {
      // A filter, since naming an unknown id in InstanceIds is an error.
      await this.describeInstances(
        [{ Name: 'instance-id', Values: others.slice(start, start + FILTER_VALUES) }],
        add,
      );
    }
    return [...found.values()];
  }

  async volumes(): Promise<Volume[]> {
    const found: Volume[] = [];
    const attachedAt: number[] = [];
    const pages = paginateDescribeVolumes(
      { client: this.client, pageSize: VOLUMES_PAGE },
      { Filters: [this.byTier()] },
    );
    for await (const page of pages) {
      for (const volume of page.Volumes ?? []) {
        if (!volume.VolumeId) continue;
        attachedAt.push(
          ...(volume.Attachments ?? []).flatMap(({ AttachTime }) => AttachTime?.getTime() ?? []),
        );
        found.push({
          id: volume.VolumeId,
          state: volume.State ?? 'unknown',
          zone: volume.AvailabilityZone ?? '',
          attachments: (volume.Attachments ?? [])
            .filter((attachment) => attachment.InstanceId && attachment.State !== 'detached')
            .map((attachment) => ({
              instanceId: attachment.InstanceId!,
              state: attachment.State ?? 'unknown',
              device: attachment.Device,
              deleteOnTermination: attachment.DeleteOnTermination === true,
            })),
          formatted: (volume.Tags ?? []).some((tag) => tag.Key === FORMATTED_TAG),
          fromSnapshot: Boolean(volume.SnapshotId),
        });
      }
    }
    this.pace?.seen('AttachVolume', attachedAt);
    return found;
  }

  async interfaces(): Promise<NetworkInterface[]> {
    const found: NetworkInterface[] = [];
    const attachedAt: number[] = [];
    const pages = paginateDescribeNetworkInterfaces(
      { client: this.client, pageSize: PAGE },
      { Filters: [this.byTier()] },
    );
    for await (const page of pages) {
      for (const item of page.NetworkInterfaces ?? []) {
        if (!item.NetworkInterfaceId) continue;
        const attachment = item.Attachment;
        if (attachment?.AttachTime) attachedAt.push(attachment.AttachTime.getTime());
        found.push({
          id: item.NetworkInterfaceId,
          status: item.Status ?? 'unknown',
          zone: item.AvailabilityZone ?? '',
          attachment: attachment?.AttachmentId
            ? {
                id: attachment.AttachmentId,
                instanceId: attachment.InstanceId ?? '',
                state: attachment.Status ?? 'unknown',
                deleteOnTermination: attachment.DeleteOnTermination === true,
              }
            : undefined,
        });
      }
    }
    this.pace?.seen('AttachNetworkInterface', attachedAt);
    return found;
  }

  async attachVolume(volumeId: string, instanceId: string, device: string): Promise<Outcome> {
    return atFreePlace(devicesFor(volumeId, device), async (Device) => {
      const command = new AttachVolumeCommand({ VolumeId: volumeId, InstanceId: instanceId, Device });
      await this.pace?.turn('AttachVolume');
      return outcomeOf(this.client.send(command), ATTACH_REFUSALS);
    });
  }

  /** An orderly detach: EC2 waits for the instance to let go. The data may be in its memory still. */
  async detachVolume(volumeId: string, instanceId: string): Promise<Outcome> {
    const command = new DetachVolumeCommand({ VolumeId: volumeId, InstanceId: instanceId });
    await this.pace?.turn('DetachVolume');
    return outcomeOf(this.client.send(command), ATTACH_REFUSALS);
  }

  async attachInterface(interfaceId: string, instanceId: string): Promise<Outcome> {
    const which = { NetworkInterfaceId: interfaceId, InstanceId: instanceId };
    return atFreePlace(INTERFACE_PLACES, async (DeviceIndex) => {
      const command = new AttachNetworkInterfaceCommand({ ...which, DeviceIndex });
      await this.pace?.turn('AttachNetworkInterface');
      return outcomeOf(this.client.send(command), ATTACH_REFUSALS);
    });
  }

  async detachInterface(attachmentId: string): Promise<Outcome> {
    const command = new DetachNetworkInterfaceCommand({ AttachmentId: attachmentId });
    await this.pace?.turn('DetachNetworkInterface');
    return outcomeOf(this.client.send(command), ATTACH_REFUSALS);
  }

  async keepVolumes(instanceId: string, devices: string[]): Promise<Outcome> {
    const command = new ModifyInstanceAttributeCommand({
      InstanceId: instanceId,
      BlockDeviceMappings: devices.map((DeviceName) => ({ DeviceName, Ebs: { DeleteOnTermination: false } })),
    });
    await this.pace?.turn('ModifyInstanceAttribute');
    return outcomeOf(this.client.send(command), KEEP_REFUSALS);
  }

  async keepInterface(interfaceId: string, attachmentId: string): Promise<Outcome> {
    const command = new ModifyNetworkInterfaceAttributeCommand({
      NetworkInterfaceId: interfaceId,
      Attachment: { AttachmentId: attachmentId, DeleteOnTermination: false },
    });
    await this.pace?.turn('ModifyNetworkInterfaceAttribute');
    return outcomeOf(this.client.send(command), KEEP_REFUSALS);
  }

  async snapshots(findings: string[]): Promise<Snapshot[]> {
    const found: Snapshot[] = [];
    for (let start = 0; start < findings.length; start += FILTER_VALUES) {
      const Filters = [
        this.byTier(),
        { Name: `tag:${FINDING_TAG}`, Values: findings.slice(start, start + FILTER_VALUES) },
      ];
      const input = { OwnerIds: ['self'], Filters };
      for await (const page of paginateDescribeSnapshots({ client: this.client, pageSize: PAGE }, input)) {
        for (const { SnapshotId, VolumeId, State, Tags } of page.Snapshots ?? []) {
          const finding = Tags?.find((tag) => tag.Key === FINDING_TAG)?.Value;
          if (!SnapshotId || !VolumeId || !finding) continue;
          found.push({ id: SnapshotId, volumeId: VolumeId, state: State ?? 'unknown', finding });
        }
      }
    }
    return found;
  }

  async createSnapshot(volumeId: string, slot: string, finding: string): Promise<Outcome> {
    const tags = {
      Name: `${slot} before the repair ${finding}`,
      [TIER_TAG]: this.tierTag,
      [SLOT_TAG]: slot,
      [FINDING_TAG]: finding,
    };
    const command = new CreateSnapshotCommand({
      VolumeId: volumeId,
      Description: `${slot}, before e2fsck repairs what e2fsck -p does not (${finding})`,
      TagSpecifications: [
        {
          ResourceType: 'snapshot',
          Tags: Object.entries(tags).map(([Key, Value]) => ({ Key, Value })),
        },
      ],
    });
    return outcomeOf(this.client.send(command), SNAPSHOT_REFUSALS);
  }

  markFormatted(volumeIds: string[], slot: string): Promise<Outcome> {
    const command = new CreateTagsCommand({
      Resources: volumeIds,
      Tags: [{ Key: FORMATTED_TAG, Value: slot }],
    });
    return outcomeOf(this.client.send(command), ['InvalidVolume.NotFound']);
  }

  nameInstance(instanceId: string, name: string): Promise<Outcome> {
    const command = new CreateTagsCommand({ Resources: [instanceId], Tags: [{ Key: 'Name', Value: name }] });
    return outcomeOf(this.client.send(command), ['InvalidInstanceID.NotFound']);
  }

  private byTier(): Filter {
    return { Name: `tag:${TIER_TAG}`, Values: [this.tierTag] };
  }

  private async describeInstances(filters: Filter[], add: (instance: Ec2Instance) => void): Promise<void> {
    const pages = paginateDescribeInstances({ client: this.client, pageSize: PAGE }, { Filters: filters });
    for await (const page of pages) {
      for (const reservation of page.Reservations ?? [])
        for (const instance of reservation.Instances ?? []) add(instance);
    }
  }
}

/**
 * The time in `StateTransitionReason`, such as `User initiated (2026-01-01 12:00:00 GMT)`: whole seconds, and only of
 * an instance that stops or terminates (EC2 API reference, "Instance").
 */
function endOf({ State, StateTransitionReason }: Ec2Instance): number | undefined {
  if (State?.Name === 'running' || State?.Name === 'pending') return undefined;
  const found = /\((\d{4}-\d{2}-\d{2}) (\d{2}:\d{2}:\d{2}) (?:GMT|UTC)\)/.exec(StateTransitionReason ?? '');
  const time = found ? Date.parse(`${found[1]}T${found[2]}Z`) : Number.NaN;
  return Number.isFinite(time) ? time : undefined;
}
