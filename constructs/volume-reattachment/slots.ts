import { CfnOutput, Fn, NestedStack, RemovalPolicy, Tags, Token } from 'aws-cdk-lib';
import * as ec2 from 'aws-cdk-lib/aws-ec2';
import type * as kms from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';
import { HostRole } from '../host';
import { deviceName } from '../private/device-name';
import { addOwnTag, keepRemovalPolicies } from '../private/last-word';
import { zoneOf } from '../private/subnet-zone';
import { POSITION_TAG, SLOT_TAG, TIER_TAG } from '../private/tags';
import type { Slot, SlotVolume, VolumeReattachmentProps } from './props';
import { slotCounts, stacksOfSlots } from './slot-stacks';

/** Whether the volumes of a slot make up one file system; those of a Lustre server are a target each. */
export const isStriped = ({ hostBundle, volumes }: VolumeReattachmentProps): boolean =>
  volumes.length > 1 &&
  [HostRole.NFS_SERVER, HostRole.LOCAL_VOLUMES].some((role) => hostBundle.hasRole(role));

/** Name of the slot at an index: oss-00 and so on. */
const slotName = (tier: string, index: number): string => `${tier}-${String(index).padStart(2, '0')}`;

/**
 * The volumes and interfaces of all slots of a tier: in the tier's stack as far as there is room, else in nested
 * stacks.
 */
export class Slots extends Construct {
  readonly all: Slot[];

  /** What the custom resource of the volume map is told of each slot. */
  readonly descriptions: object[];

  constructor(scope: Construct, id: string, props: VolumeReattachmentProps, tierTag: string, key: kms.IKey) {
    super(scope, id);
    // Every resource below is tagged: the reconciler's permissions rest on it.
    addOwnTag(this, TIER_TAG, tierTag);
    const made = stacksOfSlots(slotCounts(props)).map((number, index) => {
      if (number === 0) {
        const slot = newSlot(this, index, props, key);
        return { slot, description: describe(slot, origin(index, props)) };
      }
      const nested = nestedStack(this, number, props.tier);
      return asSeenOutside(newSlot(nested, index, props, key), nested, props, origin(index, props));
    });
    this.all = made.map(({ slot }) => slot);
    this.descriptions = made.map(({ description }) => description);
  }
}

/** Where the volumes of a slot come from, and whether they have to be of one moment. */
interface Origin {
  readonly adopted: boolean;
  readonly striped?: boolean;
  readonly backupSet?: string;
}

// Rows of new volumes say nothing of stripes: what the custom resource is told of deployed slots stays as it is.
const origin = (index: number, props: VolumeReattachmentProps): Origin => {
  const adopted = index < slotCounts(props).adoptedSlots;
  const { restoreFrom } = props;
  if (restoreFrom && index * props.volumes.length < restoreFrom.snapshots.length)
    return { adopted, backupSet: restoreFrom.set };
  return adopted && isStriped(props) ? { adopted, striped: true } : { adopted };
};

function describe(slot: Slot, from: Origin): object {
  return {
    slot: slot.name,
    networkInterfaceId: slot.networkInterfaceId,
    address: slot.address,
    ...from,
    volumes: slot.volumeIds.map((volumeId, position) => ({ volumeId, device: deviceName(position) })),
  };
}

function nestedStack(scope: Construct, number: number, tier: string): NestedStack {
  const id = `Stack${number}`;
  return (
    (scope.node.tryFindChild(id) as NestedStack | undefined) ??
    new NestedStack(scope, id, {
      description: `More slots of tier ${tier}`,
      // Spaces would be a third of a template that has a limit.
      suppressTemplateIndentation: true,
    })
  );
}

function newSlot(scope: Construct, index: number, props: VolumeReattachmentProps, key: kms.IKey): Slot {
  const name = slotName(props.tier, index);
  const slot = new Construct(scope, name);
  addOwnTag(slot, SLOT_TAG, name);
  Tags.of(slot).add('Name', name);
  const networkInterface = new ec2.CfnNetworkInterface(slot, 'Interface', {
    subnetId: props.subnet.subnetId,
    groupSet: [props.securityGroup.securityGroupId],
    privateIpAddress: props.addresses?.[index],
    description: `Fixed address of slot ${name}`,
  });
  return {
    name,
    networkInterfaceId: networkInterface.ref,
    address: props.addresses?.[index] ?? networkInterface.attrPrimaryPrivateIpAddress,
    volumeIds: props.volumes.map((volume, position) => {
      const existing = props.existingVolumes?.[index * props.volumes.length + position];
      const snapshot = props.restoreFrom?.snapshots[index * props.volumes.length + position];
      return existing ?? newVolume(slot, position, volume, props.subnet, key, networkInterface, snapshot);
    }),
  };
}

/**
 * A slot in a nested stack, for those outside of it: by one output of that stack, since it may have 200. The custom
 * resource gets the output as it is, which is a fifth of what its parts take in a template that has a limit.
 */
function asSeenOutside(
  { name, networkInterfaceId, address, volumeIds }: Slot,
  nested: NestedStack,
  { addresses, existingVolumes }: VolumeReattachmentProps,
  from: Origin,
): { slot: Slot; description: object } {
  const parts = [networkInterfaceId, address, ...volumeIds];
  const output = new CfnOutput(nested, `${name}-ids`, { value: Fn.join(',', parts) });
  const joined = nested.nestedStackResource!.getAtt(`Outputs.${output.logicalId}`).toString();
  // What the caller gave needs no way back to it.
  const given = new Set([...(addresses ?? []), ...(existingVolumes ?? [])]);
  const outside = (part: string, position: number): string =>
    given.has(part) ? part : Fn.select(position, Fn.split(',', joined));
  const slot = {
    name,
    networkInterfaceId: outside(networkInterfaceId, 0),
    address: outside(address, 1),
    volumeIds: volumeIds.map((id, position) => outside(id, position + 2)),
  };
  const devices = volumeIds.map((_, position) => deviceName(position)).join(',');
  return { slot, description: { slot: name, ...from, interfaceAddressVolumes: joined, devices } };
}

function newVolume(
  slot: Construct,
  position: number,
  volume: SlotVolume,
  subnet: ec2.ISubnet,
  key: kms.IKey,
  networkInterface: ec2.CfnNetworkInterface,
  snapshotId?: string,
): string {
  // The L1, since ec2.Volume refuses more than 500 IOPS per GiB for io2 while Block Express allows 1,000.
  const resource = new ec2.CfnVolume(slot, `Volume${position}`, {
    availabilityZone: zoneOf(subnet),
    encrypted: true,
    kmsKeyId: key.keyArn,
    size: volume.size.toGibibytes(),
    volumeType: volume.volumeType,
    iops: volume.iops,
    throughput: volume.throughputMiBps,
    snapshotId,
  });
  addOwnTag(resource, POSITION_TAG, String(position));
  // An address that is taken, or a security group of another VPC, fails before there are volumes, which would be kept.
  resource.addResourceDependency(networkInterface);
  // Kept whenever CloudFormation would remove it, also when the update that created it is rolled back: by then a server
  // may have formatted it and clients may have written to it. A failed first deployment leaves blank volumes behind,
  // which is the lesser evil.
  resource.applyRemovalPolicy(RemovalPolicy.RETAIN);
  keepRemovalPolicies(resource);
  return Token.asString(resource.ref);
}
