import { App, Duration, Stack } from 'aws-cdk-lib';
import { BenchmarkData, BenchmarkHosts, MeasuredPath, StorageBenchmark, StorageTest } from '../../index';

const stack = new Stack(new App(), 'Measure', { env: { account: '111122223333', region: 'us-east-1' } });

// Hosts of another app, found by a tag. Their role needs the right to write results: benchmark.grantHost(role).
new StorageBenchmark(stack, 'Benchmark', {
  hosts: BenchmarkHosts.tagged('role', 'sas-node', { instanceTypes: ['r5b.4xlarge', 'r5b.4xlarge'] }),
  paths: [
    MeasuredPath.io2('/sasdata', {
      storage: { kind: 'xfs', devices: [{ count: 1, type: 'io2', sizeGiB: 40_960, iops: 5000 }] },
    }),
  ],
  // Small enough for the hour that CloudFormation waits.
  tests: [StorageTest.sasIo({ fileMiB: 8192, data: BenchmarkData.RANDOM, timeout: Duration.minutes(30) })],
  runAfterDeployment: true,
  gateDeployment: true,
});
