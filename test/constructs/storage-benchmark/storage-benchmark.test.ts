import { Duration, Stack } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { AutoScalingGroup, HealthChecks } from 'aws-cdk-lib/aws-autoscaling';
import * as ec2 from 'aws-cdk-lib/aws-ec2';
import { Schedule } from 'aws-cdk-lib/aws-events';
import * as iam from 'aws-cdk-lib/aws-iam';
import {
  BenchmarkHosts,
  GridNetwork,
  IntelLustre,
  MeasuredPath,
  SasGridCluster,
  StorageBenchmark,
  type StorageBenchmarkProps,
  StorageTest,
} from '../../../constructs';
import { TEST_ENV, testApp, testStack } from '../../helpers/app';
import { gridStack, IMAGE, OtherFileSystem } from '../sas-grid-cluster/stack';
import { tierIn } from '../volume-reattachment/tier';

// biome-ignore lint/suspicious/noExplicitAny: parts of a template
type Json = any;

/** A grid of three nodes and a benchmark of their scratch and of the shared file system. */
function benchmark(props: Partial<StorageBenchmarkProps> = {}) {
  const made = gridStack();
  const { stack, grid, fileSystem } = made;
  const measured = new StorageBenchmark(stack, 'Benchmark', {
    hosts: BenchmarkHosts.cluster(grid),
    paths: [
      MeasuredPath.scratch(grid.nodes[0]!.scratch!),
      MeasuredPath.shared('/sasdata/lsf', { fileSystem, user: 'sas' }),
    ],
    ...props,
  });
  const template = Template.fromStack(stack);
  return { ...made, measured, template, definition: definitionIn(template), states: statesIn(template) };
}

/** The definition of the workflow, with a mark for each value that CloudFormation fills in. */
function statesIn(template: Template): Record<string, Json> {
  const machines = Object.values(template.findResources('AWS::StepFunctions::StateMachine')).map(
    (machine) => {
      const parts: unknown[] = machine.Properties.DefinitionString['Fn::Join'][1];
      return JSON.parse(parts.map((part) => (typeof part === 'string' ? part : '<token>')).join('')).States;
    },
  );
  return machines.find(({ Prepare }) => Prepare !== undefined);
}

const definitionIn = (template: Template) =>
  (statesIn(template).Prepare as unknown as { Parameters: { definition: Json } }).Parameters
    .definition as unknown as {
    hosts: { key: string; values: string[] }[];
    servers: { key: string; values: unknown[] }[];
    tests: Record<string, unknown>[];
    benchmark: string;
    parallel: boolean;
    tools: string[];
  };

const statementsOf = (template: Template, path: RegExp) =>
  Object.entries(template.findResources('AWS::IAM::Policy'))
    .filter(([id]) => path.test(id))
    .flatMap(([, policy]) => policy.Properties.PolicyDocument.Statement as Json[]);

describe('what it makes', () => {
  const { stack, template, definition, measured } = benchmark({
    schedule: Schedule.rate(Duration.days(7)),
    keepResults: Duration.days(30),
  });

  test('results that are private, encrypted, kept, and outputs that go after their time', () => {
    template.hasResource('AWS::S3::Bucket', {
      DeletionPolicy: 'Retain',
      Properties: {
        PublicAccessBlockConfiguration: { BlockPublicAcls: true, RestrictPublicBuckets: true },
        BucketEncryption: {
          ServerSideEncryptionConfiguration: [
            { ServerSideEncryptionByDefault: { SSEAlgorithm: 'aws:kms' }, BucketKeyEnabled: true },
          ],
        },
        LifecycleConfiguration: {
          Rules: [
            {
              Prefix: 'runs/',
              ExpirationInDays: 30,
              AbortIncompleteMultipartUpload: { DaysAfterInitiation: 1 },
            },
          ],
        },
        VersioningConfiguration: Match.absent(),
      },
    });
    template.hasResourceProperties('AWS::S3::BucketPolicy', {
      PolicyDocument: {
        Statement: [
          Match.objectLike({ Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } } }),
        ],
      },
    });
    template.hasResource('AWS::DynamoDB::Table', {
      DeletionPolicy: 'Retain',
      Properties: {
        BillingMode: 'PAY_PER_REQUEST',
        PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
        SSESpecification: { SSEEnabled: true, SSEType: 'KMS' },
        TimeToLiveSpecification: { AttributeName: 'deleteAfter', Enabled: true },
        KeySchema: [
          { AttributeName: 'benchmark', KeyType: 'HASH' },
          { AttributeName: 'runId', KeyType: 'RANGE' },
        ],
      },
    });
  });

  test('a test for each path, with thresholds of the papers and what is behind the path', () => {
    expect(definition.benchmark).toBe('Test-Benchmark');
    expect(definition.tests).toMatchObject([
      {
        id: '1-sas-io-saswork',
        on: 'hosts',
        path: {
          directory: '/saswork',
          use: 'temporary',
          writeMBpsPerCore: 100,
          readMBpsPerCore: 100,
          storage: { kind: 'xfs', servers: 0, devices: [{ type: 'instance-store' }] },
        },
        parameters: {
          Directory: '/saswork',
          User: 'root',
          RequireMount: 'yes',
          KeepFreePercent: '10',
          BusyMBps: '10',
        },
      },
      {
        id: '2-sas-io-sasdata-lsf',
        path: { directory: '/sasdata/lsf', use: 'shared', writeMBpsPerCore: 50, readMBpsPerCore: 50 },
        parameters: { User: 'sas', Data: 'both', FileMiB: '0' },
      },
    ]);
  });

  test('nodes that are found by a tag, and not the control server', () => {
    const [selector] = definition.hosts;
    const tagged = Object.entries(template.findResources('AWS::EC2::Instance')).filter(([, { Properties }]) =>
      (Properties.Tags as { Key: string; Value: string }[]).some(
        ({ Key, Value }) => Key === selector!.key && Value === selector!.values[0],
      ),
    );
    expect(tagged.map(([id]) => id.replace(/[0-9A-F]{8}$/, ''))).toEqual(
      ['GridNode1Instance', 'GridNode2Instance', 'GridNode3Instance'].map((id) =>
        expect.stringContaining(id.slice(0, 9)),
      ),
    );
    expect(selector).toEqual({
      key: expect.stringMatching(/^cdk-sas-grid:benchmark-host-/),
      values: ['Test'],
    });
  });

  test('a runner that sends these documents to these hosts, and nothing else to nobody else', () => {
    const statements = statementsOf(template, /RunnerRole/);
    const sends = statements.filter(({ Action }) => Action === 'ssm:SendCommand');
    expect(sends).toHaveLength(2);
    expect(JSON.stringify(sends[0]!.Resource)).toMatch(/Documentssasio.*Documentscleanup/);
    expect(sends[0]).not.toHaveProperty('Condition');
    const { key, values } = definition.hosts[0]!;
    expect(sends[1]!.Condition).toEqual({ StringEquals: { [`ssm:resourceTag/${key}`]: values } });
    expect(JSON.stringify(sends[1]!.Resource)).toContain(':instance/*');
    const keys = statements.flatMap(
      ({ Condition }) => Condition?.['ForAllValues:StringEquals']?.['dynamodb:LeadingKeys'] ?? [],
    );
    expect(keys).toEqual(['Test-Benchmark#lock', 'Test-Benchmark#sent']);
    const actions = statements.flatMap(({ Action }) => Action as string | string[]);
    expect(actions.filter((action) => /\*|Delete(?!Item)|Terminate|PassRole/.test(action))).toEqual([]);
  });

  test('a judge that writes results and reports and no outputs, and a widget that reads the history', () => {
    const judge = statementsOf(template, /JudgeRole/);
    const put = judge.find(({ Action }) => Action === 's3:PutObject')!;
    expect(JSON.stringify(put.Resource)).toMatch(/result\.json.*report\.html/);
    expect(JSON.stringify(judge)).not.toMatch(/ssm:|ec2:/);
    expect(
      statementsOf(template, /WidgetRole/).flatMap(({ Action }) => Action as string | string[]),
    ).not.toContain('dynamodb:PutItem');
  });

  test('hosts that may put outputs, and read nothing', () => {
    const [put, key] = statementsOf(template, /BenchmarkHost1/);
    expect(put!.Action).toEqual(['s3:PutObject', 's3:AbortMultipartUpload']);
    expect(JSON.stringify(put!.Resource)).toContain('/runs/*/outputs/*');
    expect(key!.Action).toEqual(['kms:GenerateDataKey', 'kms:Decrypt']);
    expect(key!.Condition).toEqual({ StringLike: { 'kms:ViaService': 's3.us-east-1.amazonaws.com*' } });
    template.hasResourceProperties('AWS::IAM::Policy', {
      PolicyName: Match.stringLikeRegexp('BenchmarkHost1'),
      Roles: [stack.resolve(benchmarkRole(stack))],
    });
  });

  test('a schedule, a dashboard with what is wanted, and alarms', () => {
    template.hasResourceProperties('AWS::Events::Rule', {
      ScheduleExpression: 'rate(7 days)',
      Targets: [Match.objectLike({ Input: '{"cause":"schedule"}' })],
    });
    const [dashboard] = Object.values(template.findResources('AWS::CloudWatch::Dashboard'));
    const body = JSON.stringify(dashboard!.Properties.DashboardBody);
    expect(body).toContain('ThroughputPerCore');
    expect(body).toMatch(/value[^0-9]+100[^0-9]/);
    template.hasResourceProperties('AWS::CloudWatch::Alarm', {
      Namespace: 'SasGrid/StorageBenchmark',
      MetricName: 'Verdict',
      Threshold: 1,
      ComparisonOperator: 'LessThanThreshold',
      TreatMissingData: 'ignore',
      AlarmActions: Match.absent(),
    });
    // A run that is refused, or that nobody could judge, has no verdict.
    for (const MetricName of ['ExecutionsFailed', 'ExecutionsTimedOut']) {
      template.hasResourceProperties('AWS::CloudWatch::Alarm', { Namespace: 'AWS/States', MetricName });
    }
    expect(measured.dashboardUrl).toBe(
      'https://us-east-1.console.aws.amazon.com/cloudwatch/home?region=us-east-1#dashboards/dashboard/Test-Benchmark',
    );
  });

  test('an estimate before anything is deployed', () => {
    expect(measured.estimate).toMatch(/^about \d+ minutes, \d+ GB written, \d+\.\d\d USD for the run itself/);
  });

  test('nothing after a deployment, unless it is asked for', () => {
    template.resourceCountIs('Custom::SasGridBenchmark', 0);
    expect(Object.keys(statesIn(template))).not.toContain('Tell the verdict');
  });
});

const benchmarkRole = (stack: Stack) => (stack.node.findChild('Grid') as SasGridCluster).role.roleName;

describe('the workflow', () => {
  const { states } = benchmark({ runAfterDeployment: true });
  type State = {
    Type: string;
    Next?: string;
    Default?: string;
    Choices?: { Next: string }[];
    Catch?: { Next: string; ErrorEquals: string[] }[];
    Retry?: { ErrorEquals: string[]; MaxAttempts: number }[];
    TimeoutSeconds?: number;
  };
  const all = states as unknown as Record<string, State>;
  const next = (state: State): string[] => [
    ...(state.Next ? [state.Next] : []),
    ...(state.Default ? [state.Default] : []),
    ...(state.Choices ?? []).map((choice) => choice.Next),
    ...(state.Catch ?? []).map((one) => one.Next),
  ];
  /** All that can be reached from a state, without going through others. */
  const reachable = (from: string, without: string[] = []): Set<string> => {
    const seen = new Set<string>();
    const visit = (name: string): void => {
      if (seen.has(name) || without.includes(name)) return;
      seen.add(name);
      for (const one of next(all[name]!)) visit(one);
    };
    visit(from);
    return seen;
  };

  test('has a time-out and retries for every call, and a way out of each failure', () => {
    const tasks = Object.entries(all).filter(([, { Type }]) => Type === 'Task');
    expect(tasks.map(([name]) => name).sort()).toEqual(
      ['Check', 'Finish', 'Judge', 'Prepare', 'Start', 'Tell the verdict', 'Tell why not'].sort(),
    );
    for (const [name, { TimeoutSeconds, Retry, Catch }] of tasks) {
      expect({ name, timeout: TimeoutSeconds! > 0 && TimeoutSeconds! <= 360 }).toEqual({
        name,
        timeout: true,
      });
      expect({
        name,
        retries: Retry!.some(
          ({ ErrorEquals, MaxAttempts }) => ErrorEquals[0] === 'States.ALL' && MaxAttempts >= 2,
        ),
      }).toEqual({ name, retries: true });
      if (!name.startsWith('Tell')) expect(Catch).toMatchObject([{ ErrorEquals: ['States.ALL'] }]);
    }
    // What is refused is not asked again.
    expect(all.Prepare!.Retry![0]).toMatchObject({
      ErrorEquals: ['BenchmarkRefused', 'LockLost'],
      MaxAttempts: 0,
    });
  });

  test('cleans up before it ends, whatever step fails', () => {
    for (const name of ['Start', 'Check']) {
      expect(next({ ...all[name]!, Next: undefined })).toEqual(['Is it cleaning up already?']);
    }
    // When the time is over, at once: hundreds of tests may be left.
    expect(all['Is it sent?']!.Choices).toContainEqual(
      expect.objectContaining({ StringEquals: 'over', Next: 'Go on to the clean-up' }),
    );
    expect(next(all['Is it cleaning up already?']!).sort()).toEqual(['Go on to the clean-up', 'Next step']);
    // From there on there is no way past the steps that are left.
    expect([...reachable('Go on to the clean-up', ['Is a step left?'])]).toEqual(['Go on to the clean-up']);
  });

  test('answers CloudFormation on each way to an end', () => {
    const ends = Object.entries(all)
      .filter(([, { Type }]) => ['Succeed', 'Fail'].includes(Type))
      .map(([name]) => name);
    expect(ends.sort()).toEqual(['Failed', 'Incomplete', 'Not done', 'Passed']);
    // With the choices, which let executions pass for which nobody waits, taken out, no end is reached.
    const choices = Object.keys(all).filter((name) => name.endsWith('does CloudFormation wait?'));
    expect(choices).toHaveLength(2);
    const without = reachable('Begin', choices);
    expect(ends.filter((end) => without.has(end))).toEqual([]);
    for (const name of choices) expect(next(all[name]!)).toContain(name.split(':')[0]);
  });

  test('ends well only when the verdict is passed', () => {
    expect(all['What is the verdict?']!.Choices).toMatchObject([
      { StringEquals: 'passed', Next: 'Passed' },
      { StringEquals: 'incomplete', Next: 'Incomplete' },
    ]);
    expect(all['What is the verdict?']!.Default).toBe('Failed');
  });
});

describe('after a deployment', () => {
  test('it runs when the hosts and the file system are there, and the deployment does not wait', () => {
    const { template } = benchmark({ runAfterDeployment: true });
    const [run] = Object.values(template.findResources('Custom::SasGridBenchmark'));
    expect(run!.Properties).toMatchObject({ Gate: false, ServiceTimeout: '3600', DeadlineSeconds: 3300 });
    const after = (run!.DependsOn as string[]).join(' ');
    expect(after).toMatch(/GridNode3/);
    expect(after).toMatch(/OtherGroup/);
    expect(after).toMatch(/BenchmarkHost1/);
  });

  const few = [StorageTest.sasIo({ fileMiB: 1024 })];

  test('it runs again when what is measured changes, and only then', () => {
    const measuredBy = (props: Partial<StorageBenchmarkProps>) => {
      const { template } = benchmark({ runAfterDeployment: true, ...props });
      const [run] = Object.values(template.findResources('Custom::SasGridBenchmark'));
      return run!.Properties.Measured as string;
    };
    const first = measuredBy({});
    expect(measuredBy({ keepResults: Duration.days(1) })).toBe(first);
    expect(measuredBy({ tests: few })).not.toBe(first);
    expect(measuredBy({ parallel: false })).not.toBe(first);
  });

  test('it can wait, if the run is expected to end within what CloudFormation waits', () => {
    const { template } = benchmark({ runAfterDeployment: true, gateDeployment: true, tests: few });
    template.hasResourceProperties('Custom::SasGridBenchmark', { Gate: true });
    // A request that Lambda hands on late would end after CloudFormation has stopped to wait.
    template.hasResourceProperties('AWS::Lambda::EventInvokeConfig', { MaximumEventAgeInSeconds: 180 });
    const waiting = (minutes: number) => () =>
      benchmark({
        runAfterDeployment: true,
        gateDeployment: true,
        tests: few,
        hostsTimeout: Duration.minutes(minutes),
      });
    expect(waiting(43)).not.toThrow();
    expect(waiting(44)).toThrow(
      /hostsTimeout, in minutes, with gateDeployment is 44; allowed: 1 to 43, .* an hour for a resource. Give Duration/,
    );
    const unjudged = [StorageTest.network()];
    expect(() => benchmark({ runAfterDeployment: true, gateDeployment: true, tests: unjudged })).toThrow(
      /tests, with gateDeployment, is 'network'; allowed: at least one of sas-io, iozone, fio on a path .* Add one/,
    );
    expect(() => benchmark({ runAfterDeployment: true, gateDeployment: true, parallel: false })).toThrow(
      /time that the benchmark is expected to take, .* is \d+; allowed: at most \d+.*-sas-io-\w+(-lsf)? smaller files/,
    );
  });
});

test('every test has its document, parameters and tool, and hosts reach each other for tests of the network', () => {
  const stack = testStack();
  const network = new GridNetwork(stack, 'Network');
  const lustre = new IntelLustre(stack, 'Lustre', { network, machineImage: IMAGE });
  const grid = new SasGridCluster(stack, 'Grid', {
    network,
    sharedFileSystem: lustre,
    machineImage: IMAGE,
    nodeCount: 2,
    securityGroup: new ec2.SecurityGroup(stack, 'Own', { vpc: network.vpc, allowAllOutbound: false }),
  });
  new StorageBenchmark(stack, 'Benchmark', {
    hosts: BenchmarkHosts.cluster(grid),
    storageServers: BenchmarkHosts.tier(lustre.oss),
    paths: [MeasuredPath.temporary('/saswork'), MeasuredPath.shared('/sasdata', { fileSystem: lustre })],
    tests: [
      StorageTest.sasIo({ directories: ['/saswork'] }),
      StorageTest.iozone({ directories: ['/sasdata'] }),
      StorageTest.fio(),
      StorageTest.mixedSas({ directories: ['/sasdata'] }),
      StorageTest.network({ port: 6000 }),
      StorageTest.rawDevice(),
      StorageTest.lustreServer({ acceptRiskForDataOnTargets: true }),
    ],
  });
  const template = Template.fromStack(stack);
  const { tests, tools } = definitionIn(template);
  expect(tests.map(({ id, on }) => `${on} ${id}`)).toEqual([
    'hosts 1-sas-io-saswork',
    'hosts 2-iozone-sasdata',
    'hosts 3-fio-saswork',
    'hosts 4-fio-sasdata',
    'hosts 5-mixed-sas-sasdata',
    'hosts 6-network',
    'servers 7-raw-device',
    'servers 8-lustre-server',
  ]);
  expect(tools).toEqual(['iozone', 'fio', 'python3', 'iperf3']);
  expect(tests[5]!.parameters).toEqual({ Seconds: '10', Mode: 'iperf3', Port: '6000', Streams: '8' });
  expect(tests[7]!.parameters).toMatchObject({ AllowOnTargets: 'yes', BusyMBps: '10' });
  // The object storage servers of the preset, as they are in the app.
  expect(tests[1]!.path).toMatchObject({
    storage: {
      kind: 'lustre',
      servers: lustre.oss.slots.length,
      serverType: 'm6in.8xlarge',
      devices: [{ count: lustre.oss.slots[0]!.volumeIds.length, type: 'gp3' }],
    },
  });
  // Those of the benchmark, of the storage's tiers, and of the health of the grid's servers.
  template.resourceCountIs('AWS::SSM::Document', 9 + 6 + 2);
  template.hasResourceProperties('AWS::EC2::SecurityGroupIngress', {
    FromPort: 6000,
    ToPort: 6000,
    Description: 'Storage benchmark: iperf3',
  });
});

describe('other hosts', () => {
  test('members of a group are found by the tag of Auto Scaling, servers of a tier by theirs', () => {
    const stack = testStack();
    const tier = tierIn(stack);
    const template = new ec2.LaunchTemplate(stack, 'Template', {
      instanceType: new ec2.InstanceType('m6in.large'),
      machineImage: IMAGE,
      role: new iam.Role(stack, 'Role', { assumedBy: new iam.ServicePrincipal('ec2.amazonaws.com') }),
      userData: ec2.UserData.forLinux(),
    });
    const vpc = ec2.Vpc.fromVpcAttributes(stack, 'OtherVpc', {
      vpcId: 'vpc-1',
      availabilityZones: ['us-east-1a'],
      privateSubnetIds: ['subnet-1'],
    });
    const group = new AutoScalingGroup(stack, 'Members', {
      vpc,
      launchTemplate: template,
      minCapacity: 2,
      healthChecks: HealthChecks.ec2(),
    });
    new StorageBenchmark(stack, 'Benchmark', {
      hosts: BenchmarkHosts.all(
        BenchmarkHosts.autoScalingGroup(group),
        BenchmarkHosts.tagged('role', 'node', { instanceTypes: ['m6in.large'] }),
      ),
      storageServers: BenchmarkHosts.tier(tier),
      paths: [MeasuredPath.io2('/data', { judged: false })],
      busyGuard: { throughputMBps: 0 },
    });
    const made = Template.fromStack(stack);
    const { hosts, servers, tests } = definitionIn(made);
    expect(hosts).toEqual([
      { key: 'aws:autoscaling:groupName', values: ['<token>'] },
      { key: 'role', values: ['node'] },
    ]);
    expect(servers).toEqual([{ key: 'cdk-sas-grid:tier', values: ['<token>/Oss'] }]);
    // Measured, and not judged.
    expect(tests[0]!.path).toEqual({ directory: '/data', use: 'io2' });
    expect(tests[0]!.parameters).toMatchObject({ BusyMBps: '0' });
    const sends = statementsOf(made, /RunnerRole/).filter(({ Action }) => Action === 'ssm:SendCommand');
    expect(
      sends.map(({ Condition }) => Condition && Object.keys(Condition.StringEquals as object)[0]),
    ).toEqual([
      undefined,
      'ssm:resourceTag/aws:autoscaling:groupName',
      'ssm:resourceTag/role',
      'ssm:resourceTag/cdk-sas-grid:tier',
    ]);
    // The group's role and the tier's.
    expect(statementsOf(made, /BenchmarkHost[12]/)).toHaveLength(4);
  });

  test('and their roles may be in another stack, which need not know of the benchmark', () => {
    const app = testApp();
    const storage = new Stack(app, 'Storage', { env: TEST_ENV });
    const network = new GridNetwork(storage, 'Network');
    const fileSystem = new OtherFileSystem(storage, 'Other', network);
    const gridIn = new Stack(app, 'GridStack', { env: TEST_ENV });
    const grid = new SasGridCluster(gridIn, 'Grid', {
      network,
      sharedFileSystem: fileSystem,
      machineImage: IMAGE,
      nodeCount: 1,
    });
    const own = new Stack(app, 'Measure', { env: TEST_ENV });
    new StorageBenchmark(own, 'Benchmark', {
      hosts: BenchmarkHosts.cluster(grid),
      paths: [MeasuredPath.shared('/sasdata', { fileSystem })],
      runAfterDeployment: true,
    });
    const template = Template.fromStack(own);
    const { key, values } = definitionIn(template).hosts[0]!;
    expect(values).toEqual(['Measure']);
    const hosts = Template.fromStack(gridIn);
    hosts.hasResourceProperties('AWS::EC2::Instance', {
      Tags: Match.arrayWith([{ Key: key, Value: 'Measure' }]),
    });
    expect(JSON.stringify(hosts.toJSON())).not.toContain('Measure:');
    template.hasResourceProperties('AWS::IAM::Policy', {
      PolicyName: Match.stringLikeRegexp('Host1'),
      Roles: [{ 'Fn::ImportValue': Match.stringLikeRegexp('GridStack') }],
    });
    expect(own.dependencies.map(({ stackName }) => stackName)).toContain('GridStack');
  });
});

test('rights can be given to start runs, to read results, and to hosts', () => {
  const { stack, measured } = (() => {
    const { stack, grid } = gridStack();
    const made = new StorageBenchmark(stack, 'Benchmark', {
      hosts: BenchmarkHosts.cluster(grid),
      paths: [MeasuredPath.temporary('/saswork')],
    });
    return { stack, measured: made };
  })();
  const role = new iam.Role(stack, 'Person', { assumedBy: new iam.AccountRootPrincipal() });
  measured.grantStart(role);
  measured.grantReadResults(role);
  measured.grantHost(
    new iam.Role(stack, 'Host', { assumedBy: new iam.ServicePrincipal('ec2.amazonaws.com') }),
  );
  const template = Template.fromStack(stack);
  const actions = statementsOf(template, /Person/).flatMap(({ Action }) => Action as string | string[]);
  expect(actions).toEqual(
    expect.arrayContaining(['states:StartExecution', 'states:StopExecution', 's3:GetObject*', 'kms:Decrypt']),
  );
  expect(statementsOf(template, /BenchmarkHost2/)).toHaveLength(2);
  const metric = measured.metricThroughputPerCore('sas-io', '/saswork', 'write');
  expect(metric.dimensions).toEqual({
    Benchmark: 'Test-Benchmark',
    Test: 'sas-io',
    Path: '/saswork',
    Phase: 'write',
  });
});

test('an app without a region makes one, too', () => {
  const app = testApp();
  const stack = new Stack(app, 'Anywhere');
  new StorageBenchmark(stack, 'Benchmark', {
    hosts: BenchmarkHosts.tagged('role', 'node'),
    paths: [MeasuredPath.temporary('/saswork')],
  });
  expect(() => app.synth()).not.toThrow();
});
