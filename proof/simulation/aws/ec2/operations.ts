import type {
  AttachNetworkInterfaceCommandInput,
  AttachVolumeCommandInput,
  CreateSnapshotCommandInput,
  CreateTagsCommandInput,
  DescribeInstancesCommandInput,
  DescribeNetworkInterfacesCommandInput,
  DescribeSnapshotsCommandInput,
  DescribeVolumesCommandInput,
  DetachNetworkInterfaceCommandInput,
  DetachVolumeCommandInput,
  Filter,
  ModifyInstanceAttributeCommandInput,
  ModifyNetworkInterfaceAttributeCommandInput,
  Tag,
  TerminateInstancesCommandInput,
} from '@aws-sdk/client-ec2';
import type { Call } from '../call';
import { onlyKnows, SimulationError } from '../errors';
import { doomInterface, doomVolumes } from './doom';
import type { SimulatedEc2 } from './ec2';
import { tagAll } from './tagging';

/** What a describe may be asked; ids are left out, since the code under test asks by filter. */
const DESCRIBE = ['Filters', 'MaxResults', 'NextToken'];

/** The operations of EC2 that the functions call. `age` is how old a describe's answer is, in milliseconds. */
export const EC2_OPERATIONS: {
  readonly [operation: string]: (ec2: SimulatedEc2, input: never, call: Call, age: number) => object;
} = {
  DescribeInstances(ec2, input: DescribeInstancesCommandInput, call, age) {
    onlyKnows('DescribeInstances', input, DESCRIBE);
    const found = ec2.instanceViews.seen(age, () => ec2.context.faults.apart?.(call));
    const chosen = choose(
      found,
      input.Filters,
      { 'instance-id': (view) => view.InstanceId, 'instance-state-name': (view) => view.State?.Name },
      (view) => view.Tags,
    );
    return page(chosen, input, (Instances) => ({
      Reservations: Instances.map((one) => ({ Instances: [one] })),
    }));
  },
  DescribeVolumes(ec2, input: DescribeVolumesCommandInput, call, age) {
    onlyKnows('DescribeVolumes', input, DESCRIBE);
    const found = ec2.volumeViews.seen(age, () => ec2.context.faults.apart?.(call));
    const chosen = choose(
      found,
      input.Filters,
      { 'volume-id': (view) => view.VolumeId },
      (view) => view.Tags,
    );
    return page(chosen, input, (Volumes) => ({ Volumes }));
  },
  DescribeNetworkInterfaces(ec2, input: DescribeNetworkInterfacesCommandInput, call, age) {
    onlyKnows('DescribeNetworkInterfaces', input, DESCRIBE);
    const found = ec2.interfaceViews.seen(age, () => ec2.context.faults.apart?.(call));
    const chosen = choose(
      found,
      input.Filters,
      {
        'network-interface-id': (view) => view.NetworkInterfaceId,
        'addresses.private-ip-address': (view) => view.PrivateIpAddress,
      },
      (view) => view.TagSet,
    );
    return page(chosen, input, (NetworkInterfaces) => ({ NetworkInterfaces }));
  },
  DescribeSnapshots(ec2, input: DescribeSnapshotsCommandInput, call, age) {
    onlyKnows('DescribeSnapshots', input, [...DESCRIBE, 'OwnerIds']);
    const found = ec2.snapshots.views.seen(age, () => ec2.context.faults.apart?.(call));
    const chosen = choose(
      found,
      input.Filters,
      { 'snapshot-id': (view) => view.SnapshotId },
      (view) => view.Tags,
    );
    return page(chosen, input, (Snapshots) => ({ Snapshots }));
  },
  CreateSnapshot(ec2, input: CreateSnapshotCommandInput) {
    onlyKnows('CreateSnapshot', input, ['VolumeId', 'Description', 'TagSpecifications']);
    const tags = (input.TagSpecifications ?? []).flatMap(({ Tags }) => Tags ?? []);
    const snapshot = ec2.snapshots.create(
      input.VolumeId!,
      Object.fromEntries(tags.map((tag) => [tag.Key!, tag.Value ?? ''])),
    );
    return { SnapshotId: snapshot.id, VolumeId: snapshot.volumeId, State: 'pending' };
  },
  AttachVolume(ec2, input: AttachVolumeCommandInput, call) {
    onlyKnows('AttachVolume', input, ['VolumeId', 'InstanceId', 'Device']);
    ec2.attachments.volumes.attach(input.VolumeId!, input.InstanceId!, input.Device!, call);
    return {
      VolumeId: input.VolumeId,
      InstanceId: input.InstanceId,
      Device: input.Device,
      State: 'attaching',
    };
  },
  DetachVolume(ec2, input: DetachVolumeCommandInput, call) {
    onlyKnows('DetachVolume', input, ['VolumeId', 'InstanceId', 'Force']);
    ec2.attachments.volumes.detach(input.VolumeId!, input.InstanceId, input.Force === true, call);
    return { VolumeId: input.VolumeId, InstanceId: input.InstanceId, State: 'detaching' };
  },
  AttachNetworkInterface(ec2, input: AttachNetworkInterfaceCommandInput, call) {
    onlyKnows('AttachNetworkInterface', input, ['NetworkInterfaceId', 'InstanceId', 'DeviceIndex']);
    if (input.DeviceIndex !== 1)
      throw new SimulationError(`device index ${input.DeviceIndex} is not simulated`);
    return {
      AttachmentId: ec2.attachments.interfaces.attach(input.NetworkInterfaceId!, input.InstanceId!, call),
    };
  },
  DetachNetworkInterface(ec2, input: DetachNetworkInterfaceCommandInput, call) {
    onlyKnows('DetachNetworkInterface', input, ['AttachmentId']);
    ec2.attachments.interfaces.detach(input.AttachmentId!, call);
    return {};
  },
  ModifyInstanceAttribute(ec2, input: ModifyInstanceAttributeCommandInput) {
    onlyKnows('ModifyInstanceAttribute', input, ['InstanceId', 'BlockDeviceMappings']);
    doomVolumes(ec2, input.InstanceId!, input.BlockDeviceMappings ?? []);
    return {};
  },
  ModifyNetworkInterfaceAttribute(ec2, input: ModifyNetworkInterfaceAttributeCommandInput) {
    onlyKnows('ModifyNetworkInterfaceAttribute', input, ['NetworkInterfaceId', 'Attachment']);
    const { AttachmentId, DeleteOnTermination } = input.Attachment ?? {};
    doomInterface(ec2, input.NetworkInterfaceId!, AttachmentId, DeleteOnTermination === true);
    return {};
  },
  /** No function of the project calls it. */
  TerminateInstances(ec2, input: TerminateInstancesCommandInput) {
    onlyKnows('TerminateInstances', input, ['InstanceIds']);
    for (const id of input.InstanceIds ?? []) ec2.terminate(id);
    return {};
  },
  CreateTags(ec2, input: CreateTagsCommandInput) {
    onlyKnows('CreateTags', input, ['Resources', 'Tags']);
    const tags = Object.fromEntries((input.Tags ?? []).map((tag) => [tag.Key!, tag.Value ?? '']));
    tagAll(ec2, input.Resources ?? [], tags);
    return {};
  },
};

/**
 * Filters as EC2 has them: all must match, each with one of its values (EC2 user guide, "Filter the resources").
 * Wildcards are not simulated.
 */
function choose<View>(
  views: View[],
  filters: Filter[] | undefined,
  shownBy: { readonly [filter: string]: (view: View) => string | undefined },
  tagsOf: (view: View) => Tag[] | undefined,
): View[] {
  let chosen = views;
  for (const { Name = '', Values = [] } of filters ?? []) {
    if (Values.some((value) => /[*?\\]/.test(value)))
      throw new SimulationError('wildcards are not simulated');
    const value = shownBy[Name];
    if (value !== undefined) {
      const wanted = new Set<string | undefined>(Values);
      chosen = chosen.filter((view) => wanted.has(value(view)));
    } else if (Name.startsWith('tag:')) {
      const key = Name.slice('tag:'.length);
      chosen = chosen.filter((view) =>
        (tagsOf(view) ?? []).some((tag) => tag.Key === key && Values.includes(tag.Value ?? '')),
      );
    } else throw new SimulationError(`the filter ${Name} is not simulated`);
  }
  return chosen;
}

/** Everything on one page, unless MaxResults asks for less (EC2 API reference, "Pagination"). */
function page<View>(
  chosen: View[],
  input: { MaxResults?: number; NextToken?: string },
  answer: (views: View[]) => object,
): object {
  if (input.MaxResults === undefined && input.NextToken === undefined) return answer(chosen);
  const start = Number(input.NextToken ?? 0);
  const end = start + (input.MaxResults ?? chosen.length);
  return { ...answer(chosen.slice(start, end)), NextToken: end < chosen.length ? String(end) : undefined };
}
