import type { Instance, NetworkInterface, Tag, Volume } from '@aws-sdk/client-ec2';
import type { InstanceTruth, InterfaceTruth, VolumeTruth } from '../state';

export type InstanceView = Instance & { readonly InstanceId: string };
export type VolumeView = Volume & { readonly VolumeId: string };
export type InterfaceView = NetworkInterface & { readonly NetworkInterfaceId: string };

const CODES = { pending: 0, running: 16, 'shutting-down': 32, terminated: 48, stopping: 64, stopped: 80 };

const tagSet = (tags: { [key: string]: string }): Tag[] =>
  Object.entries(tags).map(([Key, Value]) => ({ Key, Value }));

/** What EC2 says of an instance that was stopped or ended by a call: whole seconds (EC2 API reference, "Instance"). */
export function userInitiated(now: number): string {
  const [day, time] = new Date(now).toISOString().split(/[T.]/);
  return `User initiated (${day} ${time} GMT)`;
}

/** An instance as DescribeInstances shows it. */
export function instanceView(instance: InstanceTruth): InstanceView {
  return {
    InstanceId: instance.id,
    InstanceType: instance.type as InstanceView['InstanceType'],
    State: { Code: CODES[instance.state], Name: instance.state },
    Placement: { AvailabilityZone: instance.zone },
    LaunchTime: new Date(instance.launchedAt),
    StateTransitionReason: instance.transitionReason,
    Tags: tagSet(instance.tags),
  };
}

/** A volume as DescribeVolumes shows it. */
export function volumeView(volume: VolumeTruth): VolumeView {
  return {
    VolumeId: volume.id,
    State: volume.state,
    AvailabilityZone: volume.zone,
    SnapshotId: volume.snapshotId,
    MultiAttachEnabled: false,
    Attachments: volume.attachments.map((attachment) => ({
      VolumeId: volume.id,
      InstanceId: attachment.instanceId,
      Device: attachment.device,
      State: attachment.state,
      DeleteOnTermination: attachment.doomedSince !== undefined,
      AttachTime: new Date(attachment.since),
    })),
    Tags: tagSet(volume.tags),
  };
}

/** A network interface as DescribeNetworkInterfaces shows it. */
export function interfaceView(
  networkInterface: InterfaceTruth,
  tags: { [key: string]: string },
): InterfaceView {
  const { attachment } = networkInterface;
  return {
    NetworkInterfaceId: networkInterface.id,
    Status: networkInterface.status === 'deleted' ? 'available' : networkInterface.status,
    AvailabilityZone: networkInterface.zone,
    PrivateIpAddress: networkInterface.address,
    Attachment:
      attachment === undefined
        ? undefined
        : {
            AttachmentId: attachment.id,
            InstanceId: attachment.instanceId,
            DeviceIndex: 1,
            Status: attachment.state,
            DeleteOnTermination: attachment.doomedSince !== undefined,
            AttachTime: new Date(attachment.since),
          },
    TagSet: tagSet(tags),
  };
}
