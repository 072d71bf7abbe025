import { App, Size, Stack } from 'aws-cdk-lib';
import { InstanceType, MachineImage } from 'aws-cdk-lib/aws-ec2';
import { Gfs2OperatingSystem, GridNetwork, Io2BlockExpressGfs2 } from '../../index';

const app = new App();
const stack = new Stack(app, 'SasGrid', { env: { region: 'us-east-1' } });
const network = new GridNetwork(stack, 'Network');

// An image of RHEL 9 with the high-availability and resilient-storage repositories, and SAS.
const machineImage = MachineImage.genericLinux({ 'us-east-1': 'ami-0123456789abcdef0' });

const data = new Io2BlockExpressGfs2(stack, 'SasData', {
  network,
  machineImage,
  operatingSystem: Gfs2OperatingSystem.RHEL_9,
  size: Size.tebibytes(20),
  nodeCount: 4,
  instanceType: new InstanceType('r5b.8xlarge'),
  // Four hosts at 2500 MB/s. Named, so that the volumes stay as they are when the hosts change.
  throughputMBps: 10_000,
});

// The members are the grid nodes: each has its own software, the same file system, and a name and an address that stay.
data.addGrid({ additionalPorts: [8561, 8591] });
