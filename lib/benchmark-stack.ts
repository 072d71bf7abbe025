import { CfnOutput, Duration, Stack, type StackProps } from 'aws-cdk-lib';
import { Schedule } from 'aws-cdk-lib/aws-events';
import type * as sns from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import {
  BenchmarkHosts,
  type GridNode,
  IntelLustre,
  Io2BlockExpressGfs2,
  type ISharedFileSystem,
  MeasuredPath,
  NfsStorageServer,
  StorageBenchmark,
  StorageTest,
} from '../constructs';
import type { BenchmarkConfig } from './config-types';
import type { GridStack } from './grid-stack';

export interface BenchmarkStackProps extends StackProps {
  readonly benchmark: BenchmarkConfig;
  readonly sharedFileSystem: ISharedFileSystem;
  /** Undefined where the hosts that have the volumes are the grid. */
  readonly grid?: GridStack;
  readonly alarmTopic?: sns.ITopic;
}

/** Measures what the deployment gives SAS. A stack of its own: it comes last, and can go without the others. */
export class BenchmarkStack extends Stack {
  public readonly benchmark: StorageBenchmark;

  public constructor(scope: Construct, id: string, props: BenchmarkStackProps) {
    // The programs that run on the hosts are in the documents, line by line.
    super(scope, id, { ...props, suppressTemplateIndentation: true });
    const { benchmark: config, sharedFileSystem, grid, alarmTopic } = props;
    const schedule = config.schedule ? Schedule.expression(config.schedule) : undefined;
    this.benchmark = new StorageBenchmark(this, 'Benchmark', {
      hosts: hostsOf(sharedFileSystem, grid),
      storageServers: serversOf(sharedFileSystem),
      paths: pathsOf(sharedFileSystem, grid, config),
      tests: (config.tests ?? ['sas-io']).map((name) => TESTS[name](config)),
      parallel: config.parallel,
      schedule,
      runAfterDeployment: config.runAfterDeployment,
      gateDeployment: config.gateDeployment,
      busyGuard: config.busyMBps === undefined ? undefined : { throughputMBps: config.busyMBps },
      keepResults: config.keepResultsDays ? Duration.days(config.keepResultsDays) : undefined,
      alarmTopic,
      benchmarkName: this.stackName,
    });
    this.addOutputs();
  }

  private addOutputs(): void {
    const { stateMachine, bucket, table, topic, dashboardUrl, estimate } = this.benchmark;
    const outputs: Record<string, [value: string, description: string]> = {
      BenchmarkEstimate: [estimate, 'What a run is expected to take and to cost'],
      BenchmarkWorkflow: [stateMachine.stateMachineArn, 'Start an execution of it for a run'],
      BenchmarkResults: [bucket.bucketName, 'Bucket of outputs, results and reports'],
      BenchmarkHistory: [table.tableName, 'Table of the runs'],
      BenchmarkTopic: [topic.topicArn, 'Subscribe to it who wants to know the verdicts'],
      BenchmarkDashboard: [dashboardUrl, 'The history'],
    };
    for (const [name, [value, description]] of Object.entries(outputs)) {
      new CfnOutput(this, name, { value, description });
    }
  }
}

const TESTS: Record<NonNullable<BenchmarkConfig['tests']>[number], (config: BenchmarkConfig) => StorageTest> =
  {
    'sas-io': ({ fileMiB, processes }) => StorageTest.sasIo({ fileMiB, processes }),
    iozone: ({ fileMiB }) => StorageTest.iozone({ fileMiB }),
    fio: ({ fileMiB, processes }) => StorageTest.fio({ fileMiB, processes }),
    'mixed-sas': () => StorageTest.mixedSas(),
    network: () => StorageTest.network(),
    'raw-device': () => StorageTest.rawDevice(),
  };

function hostsOf(fileSystem: ISharedFileSystem, grid: GridStack | undefined): BenchmarkHosts {
  return fileSystem instanceof Io2BlockExpressGfs2
    ? BenchmarkHosts.io2(fileSystem)
    : BenchmarkHosts.cluster(grid!.cluster);
}

/** The servers that the deployment has itself. */
function serversOf(fileSystem: ISharedFileSystem): BenchmarkHosts | undefined {
  if (fileSystem instanceof IntelLustre) return BenchmarkHosts.tier(fileSystem.oss);
  if (fileSystem instanceof NfsStorageServer && fileSystem.reattachment) {
    return BenchmarkHosts.tier(fileSystem.reattachment);
  }
  return undefined;
}

function pathsOf(
  fileSystem: ISharedFileSystem,
  grid: GridStack | undefined,
  { temporaryMBpsPerCore, sharedMBpsPerCore }: BenchmarkConfig,
): MeasuredPath[] {
  const shared = { fileSystem, writeMBpsPerCore: sharedMBpsPerCore };
  if (fileSystem instanceof Io2BlockExpressGfs2) return [MeasuredPath.io2(fileSystem.mountPoint, shared)];
  const { nodes, lsfDirectory } = grid!.cluster;
  const scratch = (nodes[0] as GridNode).scratch;
  return [
    ...(scratch ? [MeasuredPath.scratch(scratch, { writeMBpsPerCore: temporaryMBpsPerCore })] : []),
    // The account that owns the directory: on NFS root is nobody.
    MeasuredPath.shared(lsfDirectory, { ...shared, user: 'sas' }),
  ];
}
