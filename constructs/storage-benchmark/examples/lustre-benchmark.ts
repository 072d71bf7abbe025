import { App, CfnOutput, Stack } from 'aws-cdk-lib';
import * as ec2 from 'aws-cdk-lib/aws-ec2';
import * as events from 'aws-cdk-lib/aws-events';
import * as subscriptions from 'aws-cdk-lib/aws-sns-subscriptions';
import {
  BenchmarkHosts,
  GridNetwork,
  IntelLustre,
  MeasuredPath,
  SasGridCluster,
  StorageBenchmark,
  StorageTest,
} from '../../index';

const app = new App();
const stack = new Stack(app, 'Grid', { env: { account: '111122223333', region: 'us-east-1' } });
const network = new GridNetwork(stack, 'Network');
// An image of yours with the Lustre server packages, made from RHEL.
const machineImage = ec2.MachineImage.genericLinux({ 'us-east-1': 'ami-0123456789abcdef0' });
const lustre = new IntelLustre(stack, 'Lustre', { network, machineImage });
const grid = new SasGridCluster(stack, 'Grid', {
  network,
  machineImage,
  nodeCount: 2,
  sharedFileSystem: lustre,
});

// A stack of its own comes last, and can go without the others.
const measure = new Stack(app, 'Measure', { env: stack.env });
const benchmark = new StorageBenchmark(measure, 'Benchmark', {
  hosts: BenchmarkHosts.cluster(grid),
  storageServers: BenchmarkHosts.tier(lustre.oss),
  paths: [
    MeasuredPath.scratch(grid.nodes[0]!.scratch!),
    // The grid writes as the account that owns its directories.
    MeasuredPath.shared(grid.lsfDirectory, { fileSystem: lustre, user: 'sas', writeMBpsPerCore: 75 }),
  ],
  tests: [StorageTest.sasIo(), StorageTest.network(), StorageTest.rawDevice()],
  runAfterDeployment: true,
  // When nobody works: it takes all that the storage gives.
  schedule: events.Schedule.cron({ weekDay: 'SUN', hour: '3', minute: '0' }),
});
benchmark.topic.addSubscription(new subscriptions.EmailSubscription('storage-owners@example.com'));
new CfnOutput(measure, 'Estimate', { value: benchmark.estimate });
