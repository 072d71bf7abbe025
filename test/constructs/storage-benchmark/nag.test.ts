import { Schedule } from 'aws-cdk-lib/aws-events';
import {
  BenchmarkHosts,
  GridNetwork,
  IntelLustre,
  MeasuredPath,
  SasGridCluster,
  StorageBenchmark,
  StorageTest,
} from '../../../constructs';
import { nagFindings } from '../../helpers/app';
import { IMAGE } from '../sas-grid-cluster/stack';

test('cdk-nag has nothing to say that nobody answered', () => {
  const findings = nagFindings((scope) => {
    const network = new GridNetwork(scope, 'Network');
    const lustre = new IntelLustre(scope, 'Lustre', { network, machineImage: IMAGE });
    const grid = new SasGridCluster(scope, 'Grid', {
      network,
      sharedFileSystem: lustre,
      machineImage: IMAGE,
      nodeCount: 2,
    });
    new StorageBenchmark(scope, 'Benchmark', {
      hosts: BenchmarkHosts.cluster(grid),
      storageServers: BenchmarkHosts.tier(lustre.oss),
      paths: [
        MeasuredPath.scratch(grid.nodes[0]!.scratch!),
        MeasuredPath.shared('/sasdata', { fileSystem: lustre }),
      ],
      tests: [StorageTest.sasIo()],
      schedule: Schedule.cron({ weekDay: 'SUN', hour: '3', minute: '0' }),
      runAfterDeployment: true,
    });
  });
  expect(findings).toEqual([]);
});
