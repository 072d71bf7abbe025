import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib';
import { Schedule } from 'aws-cdk-lib/aws-events';
import type * as sns from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import {
  BenchmarkHosts,
  type ISharedFileSystem,
  MeasuredPath,
  type MeasuredPathProps,
  type SasGridCluster,
  StorageBenchmark,
  StorageTest,
} from '../constructs';
import type { BenchmarkConfig } from './config-types';
import type { MadeFileSystem } from './file-systems/made';

/** What is measured. */
export interface BenchmarkStackProps extends StackProps {
  readonly benchmark: BenchmarkConfig;
  readonly storage: MadeFileSystem;
  /** The hosts that mount it, and where; undefined where those that have the volumes are the grid. */
  readonly grid?: { readonly cluster: SasGridCluster; readonly mountPoint: string };
  readonly alarmTopic?: sns.ITopic;
}

type TestName = NonNullable<BenchmarkConfig['tests']>[number];

const TESTS: Readonly<Record<TestName, (config: BenchmarkConfig) => StorageTest>> = {
  'sas-io': () => StorageTest.sasIo(),
  iozone: () => StorageTest.iozone(),
  fio: () => StorageTest.fio(),
  'mixed-sas': () => StorageTest.mixedSas(),
  network: () => StorageTest.network(),
  'raw-device': () => StorageTest.rawDevice(),
  'lustre-server': ({ acceptRiskForDataOnTargets = false }) =>
    StorageTest.lustreServer({ acceptRiskForDataOnTargets }),
};

const OF_SERVERS: readonly TestName[] = ['raw-device', 'lustre-server'];

/**
 * The benchmark of a deployment, in a stack of its own: a verdict that fails a deployment fails this one, and leaves
 * the storage and the grid as they are.
 */
export class BenchmarkStack extends Stack {
  public readonly benchmark: StorageBenchmark;

  public constructor(scope: Construct, id: string, props: BenchmarkStackProps) {
    super(scope, id, props);
    const { tests = ['sas-io'], schedule, busyMBps, ...config } = props.benchmark;
    this.benchmark = new StorageBenchmark(this, 'Benchmark', {
      benchmarkName: config.name,
      hosts: hostsOf(props),
      // Only where a test needs them: the benchmark has rights on its hosts.
      storageServers: tests.some((name) => OF_SERVERS.includes(name)) ? props.storage.servers?.() : undefined,
      paths: pathsOf(props),
      tests: tests.map((name) => TESTS[name](props.benchmark)),
      schedule: schedule === undefined ? undefined : Schedule.expression(schedule),
      busyGuard: busyMBps === undefined ? undefined : { throughputMBps: busyMBps },
      parallel: config.parallel,
      runAfterDeployment: config.runAfterDeployment ?? config.gateDeployment,
      gateDeployment: config.gateDeployment,
      alarmTopic: props.alarmTopic,
    });
    this.addOutputs();
  }

  private addOutputs(): void {
    const { stateMachine, bucket, dashboardUrl, topic, estimate } = this.benchmark;
    new CfnOutput(this, 'BenchmarkWorkflow', {
      value: stateMachine.stateMachineArn,
      description: 'Start an execution of it to measure',
    });
    new CfnOutput(this, 'BenchmarkBucket', {
      value: bucket.bucketName,
      description: 'Results and reports: runs/<run>/report.html',
    });
    new CfnOutput(this, 'BenchmarkDashboard', { value: dashboardUrl, description: 'The history' });
    new CfnOutput(this, 'BenchmarkTopic', {
      value: topic.topicArn,
      description: 'Subscribe to it who wants to know each verdict',
    });
    new CfnOutput(this, 'BenchmarkEstimate', { value: estimate, description: 'What a run takes' });
  }
}

const hostsOf = ({ grid, storage }: BenchmarkStackProps): BenchmarkHosts =>
  storage.ownHosts?.benchmark() ?? BenchmarkHosts.cluster(grid!.cluster);

/** SASWORK on the nodes' own disks, where they have some, and the shared space. */
function pathsOf({
  grid,
  storage: { fileSystem, ownHosts },
  benchmark,
}: BenchmarkStackProps): MeasuredPath[] {
  const { temporaryMBpsPerCore, sharedMBpsPerCore } = benchmark;
  const wanted = (both: number | undefined): MeasuredPathProps =>
    both === undefined ? {} : { writeMBpsPerCore: both, readMBpsPerCore: both };
  if (ownHosts) return [ownHosts.path(wanted(sharedMBpsPerCore))];
  const { cluster, mountPoint } = grid!;
  const scratch = cluster.nodes[0]?.scratch;
  return [
    ...(scratch ? [MeasuredPath.scratch(scratch, wanted(temporaryMBpsPerCore))] : []),
    MeasuredPath.shared(mountPoint, { ...wanted(sharedMBpsPerCore), fileSystem, user: userOn(fileSystem) }),
  ];
}

/**
 * Where root of a client is nobody, the account of SAS writes: it is made on every node, and the root of an export is
 * for everybody.
 */
const userOn = ({ squashesRoot }: ISharedFileSystem): string => (squashesRoot ? 'sas' : 'root');
