import { App, CfnOutput, DefaultStackSynthesizer, Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { Instance, InstanceType, MachineImage, SecurityGroup } from 'aws-cdk-lib/aws-ec2';
import {
  BenchmarkData,
  BenchmarkHosts,
  GridNetwork,
  MeasuredPath,
  StorageBenchmark,
  StorageTest,
} from '../../../../constructs';

// Two hosts and a benchmark of seconds, in a stack that needs no bootstrapped account. Where WANTED says how much, the
// deployment waits for the verdict. What the built-in validation says of it is of no interest here, and takes seconds.
const app = new App({ builtinCloudFormationValidation: false });
const gated = process.env.WANTED !== undefined;
const stack = new Stack(app, 'Benchmark', {
  env: { account: '000000000000', region: 'us-east-1' },
  synthesizer: new DefaultStackSynthesizer({
    fileAssetsBucketName: 'assets',
    generateBootstrapVersionRule: false,
  }),
});
const network = new GridNetwork(stack, 'Network', { availabilityZone: 'us-east-1a' });
const securityGroup = new SecurityGroup(stack, 'Group', { vpc: network.vpc });
const hosts = ['host1', 'host2'].map(
  (instanceName) =>
    new Instance(stack, instanceName, {
      vpc: network.vpc,
      vpcSubnets: { subnets: [network.privateSubnets[0]!] },
      securityGroup,
      instanceType: new InstanceType('m6i.large'),
      machineImage: MachineImage.latestAmazonLinux2023(),
      requireImdsv2: true,
      instanceName,
    }),
);
const benchmark = new StorageBenchmark(stack, 'Benchmark', {
  hosts: BenchmarkHosts.instances(
    hosts,
    hosts.map(({ role }) => role),
  ),
  paths: [
    MeasuredPath.temporary('/saswork', {
      writeMBpsPerCore: Number(process.env.WANTED ?? 1),
      keepFreePercent: 1,
    }),
  ],
  tests: [
    StorageTest.sasIo({
      fileMiB: 8,
      processes: 2,
      data: BenchmarkData.ZERO,
      timeout: Duration.minutes(1),
    }),
  ],
  busyGuard: { throughputMBps: 0 },
  hostsTimeout: Duration.minutes(1),
  runAfterDeployment: gated,
  gateDeployment: gated,
  benchmarkName: 'two-hosts',
});
benchmark.encryptionKey.applyRemovalPolicy(RemovalPolicy.DESTROY);
new CfnOutput(stack, 'StateMachine', { value: benchmark.stateMachine.stateMachineArn });
new CfnOutput(stack, 'Bucket', { value: benchmark.bucket.bucketName });
new CfnOutput(stack, 'Table', { value: benchmark.table.tableName });
new CfnOutput(stack, 'Estimate', { value: benchmark.estimate });
