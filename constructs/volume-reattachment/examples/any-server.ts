import { App, Size, Stack } from 'aws-cdk-lib';
import * as ec2 from 'aws-cdk-lib/aws-ec2';
import * as sns from 'aws-cdk-lib/aws-sns';
import { GridNetwork, HostBundle, HostRole, VolumeMap, VolumeReattachment } from '../../index';

const stack = new Stack(new App(), 'Storage', { env: { account: '111122223333', region: 'us-east-1' } });
const network = new GridNetwork(stack, 'Network');

// What runs on the servers: a host bundle with a role that brings sas-grid-serve. Here these are the object storage
// servers of a Lustre file system whose management and metadata servers are elsewhere.
const hostBundle = new HostBundle();
hostBundle.addRole(HostRole.LUSTRE_OSS, {
  FSNAME: 'files',
  MGS_NID: '172.16.4.10@tcp',
  SERVICE: 'oss',
  VOLUMES_PER_SLOT: '1',
});

const tier = new VolumeReattachment(stack, 'Files', {
  tier: 'files',
  slotCount: 2,
  volumes: [{ volumeType: ec2.EbsDeviceVolumeType.GP3, size: Size.tebibytes(2), throughputMiBps: 500 }],
  addresses: network.reserveAddresses('files', 2),
  vpc: network.vpc,
  subnet: network.privateSubnets[0]!,
  securityGroup: network.storageSecurityGroup,
  placementGroup: network.placementGroup,
  instanceType: new ec2.InstanceType('m6in.2xlarge'),
  // An image of yours with the Lustre server packages, made from RHEL.
  machineImage: ec2.MachineImage.genericLinux({ 'us-east-1': 'ami-0123456789abcdef0' }),
  rootDeviceName: '/dev/sda1',
  hostBundle,
  volumeMap: new VolumeMap(stack, 'Map'),
  alarmTopic: new sns.Topic(stack, 'Alarms', { enforceSSL: true }),
});

// Whatever needs the servers to serve waits for this.
new sns.Topic(stack, 'NeedsFiles').node.addDependency(tier.served);
