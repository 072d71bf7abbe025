import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Duration, Stack } from 'aws-cdk-lib';
import type * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import * as ec2 from 'aws-cdk-lib/aws-ec2';
import * as events from 'aws-cdk-lib/aws-events';
import * as targets from 'aws-cdk-lib/aws-events-targets';
import type * as iam from 'aws-cdk-lib/aws-iam';
import type * as kms from 'aws-cdk-lib/aws-kms';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import * as sns from 'aws-cdk-lib/aws-sns';
import type { IStateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import { Construct, type IDependable } from 'constructs';
import { tellTopic } from '../private/alarm-topic';
import type { BenchmarkDefinition } from '../private/benchmark-definition';
import { checkArguments } from '../private/inputs/check';
import { PACKAGE_ROOT } from '../private/package-root';
import { keptKey } from '../private/retained-key';
import { placeOfAccount, takeName } from '../private/shared-names';
import { invalid } from '../private/validation';
import { AfterDeployment } from './after-deployment';
import { benchmarkAlarms } from './alarms';
import { checkProps } from './checks';
import { BenchmarkDashboard, perCoreMetric, verdictMetric } from './dashboard';
import { definitionOf } from './definition';
import { estimateOf, summaryOf } from './estimate';
import { dashboardUrl, gateFunction, judgeFunction, runnerFunction, widgetFunction } from './functions';
import type { BenchmarkHosts } from './hosts';
import { hostPolicy, type Rights } from './permissions';
import type { StorageBenchmarkProps } from './props';
import { Results } from './results';
import { BenchmarkDocuments } from './ssm-documents';
import { StorageTest } from './storage-test';
import { BenchmarkWorkflow } from './workflow';

/**
 * Measures what a deployment gives SAS, in MB/s per physical core, and says pass or fail: tests that run on the hosts
 * through Systems Manager, a workflow that sends them, a function that judges them against what the papers want, and a
 * history.
 *
 * It runs when somebody starts it, on a schedule, or after a deployment, which can wait for the verdict.
 */
export class StorageBenchmark extends Construct {
  /** Name of the benchmark: of its history, its metrics and its dashboard. */
  readonly benchmarkName: string;

  /** The workflow. Start an execution of it for a run. */
  readonly stateMachine: IStateMachine;

  /** Outputs, results and reports. Kept when the stack is deleted. */
  readonly bucket: IBucket;

  /** The history: partition key `benchmark`, sort key `runId`. Kept when the stack is deleted. */
  readonly table: ITable;

  /** Where each verdict is told. */
  readonly topic: sns.ITopic;

  /** Encrypts the results, the history, the topic and logs. */
  readonly encryptionKey: kms.IKey;

  /** Where the history is shown. */
  readonly dashboardUrl: string;

  /**
   * What a run is expected to take, to write and to cost, in words: for an output of the stack. Each run tells its own
   * in the output of its state `Prepare`, from the hosts that it finds.
   */
  readonly estimate: string;

  private readonly rights: Rights;
  private hostPolicies = 0;

  /**
   * @throws when a property is out of its range, when directories or tests are named twice or not at all, or when the
   * deployment is to wait for a run that takes longer than CloudFormation does
   */
  constructor(scope: Construct, id: string, props: StorageBenchmarkProps) {
    ({ props } = checkArguments('StorageBenchmark', { scope, id, props }));
    super(scope, id);
    const tests = props.tests ?? [StorageTest.sasIo()];
    checkProps(this, props, tests);
    this.benchmarkName = props.benchmarkName ?? defaultName(this);
    this.encryptionKey =
      props.encryptionKey ?? keptKey(this, 'Key', `Results of the benchmark ${this.node.path}`);
    const results = new Results(this, 'Results', this.encryptionKey, props.keepResults ?? Duration.days(365));
    this.bucket = results.bucket;
    this.table = results.table;
    const definition = this.define(props, tests);
    const estimate = estimateOf(props, definition);
    this.estimate = summaryOf(estimate);
    this.rights = { results, key: this.encryptionKey, definition };
    const roles = new Set([...props.hosts._roles, ...(props.storageServers?._roles ?? [])]);
    openPorts(props.hosts, tests);
    const policies = [...roles].map((role) => this.addHost(role));

    this.topic = props.topic ?? this.newTopic();
    const dashboardName = ownDashboardName(this, this.benchmarkName);
    this.dashboardUrl = dashboardUrl(this, dashboardName);
    const runner = runnerFunction(this, this.rights);
    const judge = judgeFunction(this, this.rights, this.topic, this.dashboardUrl);
    const waits = props.gateDeployment ?? false;
    const gate = props.runAfterDeployment
      ? gateFunction(this, this.encryptionKey, this.benchmarkName, waits)
      : undefined;
    const { stateMachine } = new BenchmarkWorkflow(this, 'Workflow', {
      definition,
      bucketName: results.bucket.bucketName,
      runner,
      judge,
      gate,
      waits,
      key: this.encryptionKey,
    });
    this.stateMachine = stateMachine;
    new BenchmarkDashboard(this, 'History', {
      dashboardName,
      definition,
      widget: widgetFunction(this, this.rights),
    });
    tellTopic(benchmarkAlarms(this), props.alarmTopic);
    if (props.schedule) this.addSchedule(props.schedule);
    if (gate) {
      const after = [runner, judge, ...policies, ...measuredResources(props)];
      new AfterDeployment(this, 'AfterDeployment', {
        definition,
        gate,
        stateMachine,
        waits,
        estimate,
        after,
      });
    }
  }

  /** Lets somebody start runs, look at them and stop them. */
  grantStart(grantee: iam.IGrantable): iam.Grant {
    checkArguments('StorageBenchmark#grantStart', { grantee }, this);
    this.stateMachine.grantRead(grantee);
    this.stateMachine.grantExecution(grantee, 'states:StopExecution', 'states:DescribeExecution');
    return this.stateMachine.grantStartExecution(grantee);
  }

  /** Lets somebody read results and reports. */
  grantReadResults(grantee: iam.IGrantable): iam.Grant {
    checkArguments('StorageBenchmark#grantReadResults', { grantee }, this);
    this.encryptionKey.grantDecrypt(grantee);
    return this.bucket.grantRead(grantee, 'runs/*');
  }

  /**
   * Lets a host that was found by a tag put what its tests print into the bucket. Roles that were given with the hosts
   * have that right.
   *
   * @param role the role of the host's instance profile
   */
  grantHost(role: iam.IRole): void {
    checkArguments('StorageBenchmark#grantHost', { role }, this);
    this.addHost(role);
  }

  /** 1 for a run that passed, 0 for one that did not. */
  metricVerdict(): cloudwatch.Metric {
    return verdictMetric(this.benchmarkName);
  }

  /**
   * MB/s per physical core of one figure. Each run is one point.
   *
   * @param test the test, `sas-io` for example
   * @param directory one of the measured directories
   * @param phase `write`, `read`, `write-random-data`, `read-random-data`, ...
   */
  metricThroughputPerCore(test: string, directory: string, phase: string): cloudwatch.Metric {
    ({ test, directory, phase } = checkArguments(
      'StorageBenchmark#metricThroughputPerCore',
      { test, directory, phase },
      this,
    ));
    return perCoreMetric(this.benchmarkName, test, directory, phase);
  }

  private define(props: StorageBenchmarkProps, tests: StorageTest[]): BenchmarkDefinition {
    const documents = new BenchmarkDocuments(
      this,
      'Documents',
      tests.map(({ name }) => name),
    );
    return definitionOf(props, {
      benchmark: this.benchmarkName,
      packageVersion: packageVersion(),
      documents: documents.definitions,
      hosts: props.hosts._select(this, 'host'),
      servers: props.storageServers?._select(this, 'server') ?? [],
      tests,
      hostsTimeoutSeconds: (props.hostsTimeout ?? Duration.minutes(15)).toSeconds(),
    });
  }

  private addHost(role: iam.IRole): iam.Policy {
    this.hostPolicies += 1;
    return hostPolicy(this, `Host${this.hostPolicies}`, role, this.rights);
  }

  private newTopic(): sns.Topic {
    return new sns.Topic(this, 'Topic', {
      displayName: 'Storage benchmark',
      enforceSSL: true,
      masterKey: this.encryptionKey,
    });
  }

  private addSchedule(schedule: events.Schedule): void {
    new events.Rule(this, 'Schedule', {
      description: `Runs the benchmark ${this.node.path}`,
      schedule,
      targets: [
        new targets.SfnStateMachine(this.stateMachine, {
          input: events.RuleTargetInput.fromObject({ cause: 'schedule' }),
          // Hours later somebody may work there.
          maxEventAge: Duration.minutes(15),
          retryAttempts: 5,
        }),
      ],
    });
  }
}

/** What is there before the first run. */
const measuredResources = ({ hosts, storageServers, paths }: StorageBenchmarkProps): IDependable[] => [
  ...hosts._after,
  ...(storageServers?._after ?? []),
  ...paths.flatMap(({ _after }) => _after),
];

/** Hosts that measure the network between them reach each other. */
function openPorts({ _connections }: BenchmarkHosts, tests: StorageTest[]): void {
  for (const { name, _parameters } of tests) {
    if (name !== 'network' || _parameters.Mode?.value === 'lnet') continue;
    const port = ec2.Port.tcp(Number(_parameters.Port?.value));
    for (const connections of _connections) connections.allowInternally(port, 'Storage benchmark: iperf3');
  }
}

/** The stack's name and the path in it, with nothing that a dimension of a metric may not hold. */
function defaultName(scope: Construct): string {
  const stack = Stack.of(scope);
  const names = scope.node.scopes.slice(stack.node.scopes.length).map((each) => each.node.id);
  const path = names.join('-').replace(/[^A-Za-z0-9._-]/g, '-');
  return `${stack.stackName}-${path.length <= 60 ? path : `${path.slice(0, 51)}-${scope.node.addr.slice(-8)}`}`;
}

/**
 * Dashboards are of an account, not of a region (CloudWatch API Reference, PutDashboard): a second one of a name takes
 * the place of the first.
 */
function ownDashboardName(scope: Construct, benchmarkName: string): string {
  const name = benchmarkName.replace(/[^A-Za-z0-9_-]/g, '-');
  const other = takeName(scope, ['dashboard', ...placeOfAccount(scope)], name);
  if (!other) return name;
  const allowed = `a name that ${other} does not have in the account, in any region`;
  throw invalid(
    scope,
    'benchmarkName',
    benchmarkName,
    allowed,
    'Name one of the two, with its region for example.',
  );
}

function packageVersion(): string {
  return JSON.parse(readFileSync(join(PACKAGE_ROOT, 'package.json'), 'utf8')).version;
}
