import { RemovalPolicy, Tags, Token } from 'aws-cdk-lib';
import * as ec2 from 'aws-cdk-lib/aws-ec2';
import type * as kms from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';
import { zoneOf } from '../private/subnet-zone';
import { POSITION_TAG, SLOT_TAG, TIER_TAG } from '../private/tags';
import type { Slot, SlotVolume, VolumeReattachmentProps } from './props';

/** Under which name EC2 attaches the volume at a position. Hosts never see it: they find volumes by their id. */
export function deviceName(position: number): string {
  const single = 'fghijklmnop';
  if (position < single.length) return `/dev/sd${single[position]}`;
  return `/dev/sdb${String.fromCharCode('a'.charCodeAt(0) + position - single.length)}`;
}

/** Name of the slot at an index: oss-00 and so on. */
export const slotName = (tier: string, index: number): string => `${tier}-${String(index).padStart(2, '0')}`;

/** The volumes and interfaces of all slots of a tier. */
export class Slots extends Construct {
  readonly all: Slot[];

  constructor(scope: Construct, id: string, props: VolumeReattachmentProps, tierTag: string, key: kms.IKey) {
    super(scope, id);
    // Every resource below is tagged: the reconciler's permissions rest on it.
    Tags.of(this).add(TIER_TAG, tierTag);
    this.all = Array.from({ length: props.slotCount }, (_, index) => {
      const name = slotName(props.tier, index);
      const slot = new Construct(this, name);
      Tags.of(slot).add(SLOT_TAG, name);
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
          return existing ?? newVolume(slot, position, volume, props.subnet, key, networkInterface);
        }),
      };
    });
  }
}

function newVolume(
  slot: Construct,
  position: number,
  volume: SlotVolume,
  subnet: ec2.ISubnet,
  key: kms.IKey,
  networkInterface: ec2.CfnNetworkInterface,
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
  });
  Tags.of(resource).add(POSITION_TAG, String(position));
  // An address that is taken, or a security group of another VPC, fails before there are volumes, which would be kept.
  resource.addResourceDependency(networkInterface);
  // Kept whenever CloudFormation would remove it, also when the update that created it is rolled back: by then a server may have
  // formatted it and clients may have written to it. A failed first deployment leaves blank volumes behind, which is the lesser evil.
  resource.applyRemovalPolicy(RemovalPolicy.RETAIN);
  return Token.asString(resource.ref);
}
