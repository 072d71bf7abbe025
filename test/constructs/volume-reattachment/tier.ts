import { Size } from 'aws-cdk-lib';
import * as ec2 from 'aws-cdk-lib/aws-ec2';
import type { Construct } from 'constructs';
import { HostBundle, HostRole } from '../../../constructs/host';
import {
  VolumeMap,
  VolumeReattachment,
  type VolumeReattachmentProps,
} from '../../../constructs/volume-reattachment';

/** A tier of two servers with two volumes each, in a subnet 172.16.4.0/24; any property can be replaced. */
export function tierIn(
  scope: Construct,
  props: Partial<VolumeReattachmentProps> = {},
  id = 'Oss',
): VolumeReattachment {
  return new VolumeReattachment(scope, id, { ...tierProps(scope), ...props });
}

export function tierProps(scope: Construct): VolumeReattachmentProps {
  const hostBundle = new HostBundle();
  hostBundle.addRole(HostRole.LUSTRE_OSS, { FSNAME: 'test' });
  const vpc = ec2.Vpc.fromVpcAttributes(scope, 'Vpc', {
    vpcId: 'vpc-0123456789abcdef0',
    availabilityZones: ['us-east-1a'],
  });
  const subnet = ec2.Subnet.fromSubnetAttributes(scope, 'Subnet', {
    subnetId: 'subnet-0123456789abcdef0',
    availabilityZone: 'us-east-1a',
    ipv4CidrBlock: '172.16.4.0/24',
    routeTableId: 'rtb-0123456789abcdef0',
  });
  return {
    tier: 'oss',
    slotCount: 2,
    volumes: [
      { volumeType: ec2.EbsDeviceVolumeType.GP3, size: Size.gibibytes(750) },
      { volumeType: ec2.EbsDeviceVolumeType.IO2, size: Size.gibibytes(100), iops: 80_000 },
    ],
    addresses: ['172.16.4.20', '172.16.4.21'],
    vpc,
    subnet,
    securityGroup: new ec2.SecurityGroup(scope, 'Group', { vpc, allowAllOutbound: true }),
    instanceType: new ec2.InstanceType('m6in.8xlarge'),
    machineImage: ec2.MachineImage.genericLinux({ 'us-east-1': 'ami-0123456789abcdef0' }),
    hostBundle,
    volumeMap: new VolumeMap(scope, 'Map'),
  };
}
