import { App, Size, Stack } from 'aws-cdk-lib';
import { InstanceType, MachineImage } from 'aws-cdk-lib/aws-ec2';
import { GridNetwork, HostRole, Io2BlockExpressGfs2 } from '../../index';

const app = new App();
const stack = new Stack(app, 'SasServer', { env: { region: 'us-east-1' } });
const network = new GridNetwork(stack, 'Network');
const machineImage = MachineImage.genericLinux({ 'us-east-1': 'ami-0123456789abcdef0' });

// 5000 MB/s: two volumes of 20 TiB with 9,537 IOPS each, striped. Re-tested with five percent more.
const data = new Io2BlockExpressGfs2(stack, 'SasData', {
  network,
  machineImage,
  size: Size.tebibytes(40),
  instanceType: new InstanceType('r5b.16xlarge'),
  iopsAdjustment: 5,
});

// What the host is for besides.
data.hosts[0]!.hostBundle.addRole(HostRole.GRID_NODE, {
  HOST_NAME: 'sas',
  SAS_UID: '5000',
  SAS_GID: '5000',
  SHARED_MOUNT: data.mountPoint,
});
