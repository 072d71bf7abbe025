import { App, Stack } from 'aws-cdk-lib';
import { InstanceType, MachineImage } from 'aws-cdk-lib/aws-ec2';
import { GridNetwork, IntelLustre, SasGridCluster, ThroughputPerCore } from '../../index';

const app = new App();
const stack = new Stack(app, 'SasGrid', { env: { region: 'us-east-1' } });
const network = new GridNetwork(stack, 'Network');

const sharedFileSystem = new IntelLustre(stack, 'SasData', {
  network,
  machineImage: MachineImage.genericLinux({ 'us-east-1': 'ami-0123456789abcdef0' }),
});

const grid = new SasGridCluster(stack, 'Grid', {
  network,
  sharedFileSystem,
  // The image with SAS installed.
  machineImage: MachineImage.genericLinux({ 'us-east-1': 'ami-0fedcba9876543210' }),
  nodeCount: 3,
  nodeInstanceType: new InstanceType('i3en.12xlarge'),
  // What the papers ask for: synthesis fails when the file system or the disks of the nodes give less.
  sharedThroughput: ThroughputPerCore.mbps(75),
  temporaryThroughput: ThroughputPerCore.mbps(100),
  failOnShortfall: true,
  // The metadata server, the object spawner and its operator port.
  additionalPorts: [8561, 8581, 8582],
});

for (const node of grid.nodes) {
  console.log(node.fullName);
}
