import { App, CfnOutput, Stack } from 'aws-cdk-lib';
import { InstanceType, MachineImage } from 'aws-cdk-lib/aws-ec2';
import { GridNetwork, IntelLustre, SasGridCluster, ThroughputPerCore } from '../../index';

const app = new App();
const stack = new Stack(app, 'SasGrid', { env: { region: 'us-east-1' } });
const network = new GridNetwork(stack, 'Network');
const machineImage = MachineImage.genericLinux({ 'us-east-1': 'ami-0123456789abcdef0' });

const nodeInstanceType = new InstanceType('i4i.8xlarge');
const nodeCount = 7;
const wanted = ThroughputPerCore.mbps(75);

// As many object storage servers as 75 MB/s for each core of eight hosts take, the control server among them: four.
const sharedFileSystem = new IntelLustre(stack, 'SasData', {
  network,
  machineImage,
  throughputMBps: wanted.forNodes(nodeCount + 1, nodeInstanceType),
});

// The same wish, looked at from the nodes: their own network counts as well.
const grid = new SasGridCluster(stack, 'Grid', {
  network,
  sharedFileSystem,
  machineImage,
  nodeCount,
  nodeInstanceType,
  sharedThroughput: wanted,
  temporaryThroughput: ThroughputPerCore.mbps(100),
  failOnShortfall: true,
});

new CfnOutput(stack, 'PredictedThroughput', { value: grid.predictedSharedThroughput.text });
