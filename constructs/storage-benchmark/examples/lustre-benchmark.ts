import { App, Stack } from 'aws-cdk-lib';
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

const stack = new Stack(new App(), 'Grid', { env: { account: '111122223333', region: 'us-east-1' } });
const network = new GridNetwork(stack, 'Network');
// An image of yours with the Lustre server packages, made from RHEL.
const machineImage = ec2.MachineImage.genericLinux({ 'us-east-1': 'ami-0123456789abcdef0' });
const lustre = new IntelLustre(stack, 'Lustre', { network, machineImage });
const grid = new SasGridCluster(stack, 'Grid', {
  network,
  machineImage,
  nodeCount: 4,
  sharedFileSystem: lustre,
});

const benchmark = new StorageBenchmark(stack, 'Benchmark', {
  hosts: BenchmarkHosts.cluster(grid),
  storageServers: BenchmarkHosts.tier(lustre.oss),
  paths: [
    MeasuredPath.temporary('/saswork'),
    MeasuredPath.shared('/sasdata', { fileSystem: lustre, readMBpsPerCore: 75 }),
  ],
  tests: [StorageTest.sasIo(), StorageTest.rawDevice()],
  // Sundays at three, UTC, when nobody works.
  schedule: events.Schedule.cron({ weekDay: 'SUN', hour: '3', minute: '0' }),
});
benchmark.topic.addSubscription(new subscriptions.EmailSubscription('grid-owners@example.com'));
