import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Duration, RemovalPolicy, Size, Stack } from 'aws-cdk-lib';
import * as ec2 from 'aws-cdk-lib/aws-ec2';
import * as logs from 'aws-cdk-lib/aws-logs';
import * as s3 from 'aws-cdk-lib/aws-s3';
import * as sns from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import * as library from '../../constructs';
import {
  checkKeptResources,
  KeptResourceError,
  keptResources,
} from '../../constructs/deployed-data/kept-resources';
import { TEST_ENV, testApp } from '../helpers/app';
import { EXHAUSTIVE } from '../helpers/exhaustive';
import { problems } from './judge';
import { type State, stacksOf } from './state';

/** Optional props that make or export resources, and that no key of a configuration reaches. */

const folder = mkdtempSync(join(tmpdir(), 'props-'));
afterAll(() => rmSync(folder, { recursive: true }));

const machineImage = ec2.MachineImage.genericLinux({ 'us-east-1': 'ami-0123456789abcdef0' });

// biome-ignore lint/suspicious/noExplicitAny: the props of any construct.
type Props = Record<string, any>;

/** What stands in the three stacks of an app: network, storage and grid. */
interface Place {
  readonly network: library.GridNetwork;
  readonly storage: Stack;
}

type FileSystem = (place: Place, props: Props) => library.ISharedFileSystem;

const FILE_SYSTEMS: Record<string, FileSystem> = {
  NfsStorageServer: ({ network, storage }, props) =>
    new library.NfsStorageServer(storage, 'FileSystem', { network, machineImage, ...props }),
  IntelLustre: ({ network, storage }, props) =>
    new library.IntelLustre(storage, 'FileSystem', {
      network,
      machineImage,
      software: library.LustreSoftware.preinstalled(),
      ...props,
    }),
  EfsSharedFileSystem: ({ network, storage }, props) =>
    new library.EfsSharedFileSystem(storage, 'FileSystem', { network, ...props }),
  FsxLustre: ({ network, storage }, props) =>
    new library.FsxLustre(storage, 'FileSystem', {
      network,
      storage: library.FsxLustreStorage.ssd({ capacity: Size.gibibytes(4800), throughputPerTiB: 250 }),
      ...props,
    }),
  FsxOpenZfs: ({ network, storage }, props) =>
    new library.FsxOpenZfs(storage, 'FileSystem', {
      network,
      capacity: Size.gibibytes(1024),
      throughputMBps: 640,
      ...props,
    }),
  FsxOntap: ({ network, storage }, props) =>
    new library.FsxOntap(storage, 'FileSystem', {
      network,
      capacity: Size.gibibytes(2048),
      throughputMBpsPerPair: 1536,
      ...props,
    }),
};

let made = 0;

/** Synthesizes an app in which one construct has these props. */
function deployed(construct: string, props: (scope: Construct, place: Place) => Props): State {
  const app = testApp({}, { outdir: join(folder, String(made++)), analyticsReporting: false });
  const stackOf = (id: string) => new Stack(app, id, { env: TEST_ENV });
  const [first, storage, last] = [stackOf('Network'), stackOf('Storage'), stackOf('Grid')];
  const of = (name: string, scope: Stack, place: Place) => (name === construct ? props(scope, place) : {});
  const network = new library.GridNetwork(first, 'Network', {
    availabilityZone: 'us-east-1a',
    ...of('GridNetwork', first, { storage } as Place),
  });
  const place = { network, storage };
  const kind = construct in FILE_SYSTEMS ? construct : 'NfsStorageServer';
  const sharedFileSystem = FILE_SYSTEMS[kind]!(place, of(kind, storage, place));
  const cluster = new library.SasGridCluster(last, 'Grid', {
    network,
    sharedFileSystem,
    machineImage,
    nodeCount: 2,
    ...of('SasGridCluster', last, place),
  });
  new library.StorageBenchmark(last, 'Benchmark', {
    hosts: library.BenchmarkHosts.cluster(cluster),
    paths: [library.MeasuredPath.shared('/sasdata')],
    ...of('StorageBenchmark', last, place),
  });
  return { kept: keptResources(app), stacks: stacksOf(app) };
}

const topic = (scope: Construct) =>
  sns.Topic.fromTopicArn(scope, 'Told', 'arn:aws:sns:us-east-1:111122223333:told');

/** Construct, prop, and its values: switched on, and changed. What is not given is switched off. */
const ROWS: [
  string,
  string,
  (scope: Construct, place: Place) => unknown,
  ((scope: Construct, place: Place) => unknown)?,
][] = [
  ['GridNetwork', 'flowLogRetention', () => logs.RetentionDays.ONE_YEAR, () => logs.RetentionDays.ONE_DAY],
  [
    'GridNetwork',
    'additionalInterfaceEndpoints',
    () => [ec2.InterfaceVpcEndpointAwsService.CLOUDWATCH_MONITORING],
    () => [ec2.InterfaceVpcEndpointAwsService.SNS],
  ],
  ['NfsStorageServer', 'usePlacementGroup', () => false],
  [
    'NfsStorageServer',
    'storage',
    () => library.NfsStorage.ebs({ healthProbe: { enabled: false } }),
    () => library.NfsStorage.ebs({ healthProbe: { interval: Duration.minutes(5) } }),
  ],
  ['NfsStorageServer', 'archive', () => ({}), () => ({ every: Duration.hours(6) })],
  ['NfsStorageServer', 'alarmTopic', (scope) => topic(scope)],
  ['NfsStorageServer', 'clientConnections', () => 4, () => 8],
  ['IntelLustre', 'healthProbe', () => ({ enabled: false }), () => ({ interval: Duration.minutes(5) })],
  ['IntelLustre', 'alarmTopic', (scope) => topic(scope)],
  ['IntelLustre', 'recoveryTimeout', () => Duration.minutes(20), () => Duration.minutes(25)],
  ['SasGridCluster', 'egoDns', () => true],
  ['SasGridCluster', 'lsfDirectory', () => '/sasdata/lsf', () => '/sasdata/other'],
  ['SasGridCluster', 'sasDirectory', () => '/sasdata/sas', () => '/sasdata/other'],
  ['SasGridCluster', 'ephemeralScratch', () => false],
  ['SasGridCluster', 'controlEphemeralScratch', () => true],
  ['SasGridCluster', 'alarmTopic', (scope) => topic(scope)],
  ['SasGridCluster', 'installTimeout', () => Duration.minutes(30), () => Duration.minutes(40)],
  ['StorageBenchmark', 'keepResults', () => Duration.days(30), () => Duration.days(60)],
  ['StorageBenchmark', 'topic', (scope) => topic(scope)],
  ['StorageBenchmark', 'alarmTopic', (scope) => topic(scope)],
  ['StorageBenchmark', 'hostsTimeout', () => Duration.minutes(20), () => Duration.minutes(30)],
  [
    'EfsSharedFileSystem',
    'throughput',
    () => library.EfsThroughput.provisioned(100),
    () => library.EfsThroughput.bursting(),
  ],
  ['EfsSharedFileSystem', 'backups', () => false],
  ['FsxLustre', 'dataCompression', () => false],
  [
    'FsxLustre',
    's3DataRepositories',
    (scope) => [{ bucket: s3.Bucket.fromBucketName(scope, 'Data', 'data-of-mine'), directory: '/in' }],
    (scope) => [{ bucket: s3.Bucket.fromBucketName(scope, 'Data', 'data-of-mine'), directory: '/other' }],
  ],
  ['FsxOpenZfs', 'backupRetention', () => Duration.days(7), () => Duration.days(14)],
  ['FsxOpenZfs', 'connections', () => 4, () => 8],
  ['FsxOpenZfs', 'dataCompression', () => false],
  ['FsxOntap', 'coolingDays', () => 10, () => 20],
  ['FsxOntap', 'storageEfficiency', () => false],
];

/** What each construct is with no prop of its own. */
const untouched = new Map<string, State>();

function withNothing(construct: string): State {
  const known = untouched.get(construct) ?? deployed(construct, () => ({}));
  untouched.set(construct, known);
  return known;
}

/** What a prop needs beside it. */
const BESIDE: Record<string, Props> = {
  'FsxLustre.s3DataRepositories': { backupRetention: Duration.days(0), copyTagsToBackups: false },
  'FsxOntap.coolingDays': { tiering: library.OntapTiering.AUTO },
};

function steps(
  construct: string,
  prop: string,
  values: ((scope: Construct, place: Place) => unknown)[],
): string[] {
  const beside = BESIDE[`${construct}.${prop}`];
  const off = beside ? deployed(construct, () => beside) : withNothing(construct);
  const [on, changed] = values.map((value) =>
    deployed(construct, (scope, place) => ({ ...beside, [prop]: value(scope, place) })),
  ) as [State, State?];
  const ways = [
    [off, on],
    [on, off],
    ...(changed
      ? [
          [on, changed],
          [changed, on],
        ]
      : []),
  ] as [State, State][];
  return ways.flatMap(([from, to]) => {
    const record = join(folder, 'record.json');
    writeFileSync(record, JSON.stringify(from.kept));
    try {
      checkKeptResources(record, to.kept);
    } catch (error) {
      if (error instanceof KeptResourceError) return [`refused: ${error.message}`];
      throw error;
    }
    return problems(from, to);
  });
}

/** In `make test` one prop of each construct. */
const TRIED = ROWS.filter(
  ([construct], index) => EXHAUSTIVE || ROWS.findIndex(([name]) => name === construct) === index,
);

test.each(TRIED)('%s.%s is switched on, off and changed', (construct, prop, ...values) => {
  expect(
    steps(
      construct,
      prop,
      values.filter((value) => value !== undefined),
    ),
  ).toEqual([]);
});

test('flow logs that are switched off leave their key, which the logs so far need', () => {
  expect(steps('GridNetwork', 'flowLogs', [() => false])).toEqual([
    expect.stringMatching(
      /^Network\.template\.json: an update lets go of NetworkVpcFlowLogKey\w+ AWS::KMS::Key/,
    ),
  ]);
});

test('a grid in another stack than its network changes to a security group of its own in two steps', () => {
  const own = (scope: Construct, { network }: Place) =>
    new ec2.SecurityGroup(scope, 'Mine', { vpc: network.vpc });
  expect(steps('SasGridCluster', 'securityGroup', [own])).toEqual([
    expect.stringMatching(
      /^Network\.template\.json: export .*GridSecurityGroup.* goes or changes, and Grid imports it/,
    ),
  ]);
  // The way of constructs/sas-grid-cluster/README.md.
  const ownBesideTheExport = (scope: Construct, place: Place) => {
    Stack.of(place.network).exportValue(place.network.gridSecurityGroup.securityGroupId);
    return own(scope, place);
  };
  expect(steps('SasGridCluster', 'securityGroup', [ownBesideTheExport, own])).toEqual([]);
});

test('removalPolicy can be changed', () => {
  expect(steps('FsxOpenZfs', 'removalPolicy', [() => RemovalPolicy.DESTROY])).toEqual([]);
});
