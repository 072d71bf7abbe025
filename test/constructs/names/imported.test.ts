import {
  type App,
  aws_certificatemanager as acm,
  aws_ec2 as ec2,
  aws_kms as kms,
  Lazy,
  Size,
  Stack,
  aws_sns as sns,
} from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import {
  BenchmarkHosts,
  EfsSharedFileSystem,
  FsxLustre,
  FsxLustreStorage,
  FsxOntap,
  FsxOpenZfs,
  GameDay,
  GridNetwork,
  IntelLustre,
  Io2BlockExpressGfs2,
  MeasuredPath,
  NfsStorageServer,
  SasGridCluster,
  StorageBenchmark,
} from '../../../constructs';
import { TEST_ENV, testApp, testStack } from '../../helpers/app';
import { IMAGE, OtherFileSystem } from '../sas-grid-cluster/stack';

// Every property that takes somebody else's resource, in every way that the CDK imports one: it works, or it is refused
// by name.

const ACCOUNT = TEST_ENV.account;
const keyArn = (account: string, region: string) =>
  `arn:aws:kms:${region}:${account}:key/0f1e2d3c-0000-4000-8000-000000000000`;

type Outcome = 'works' | 'no alias' | 'no other region' | 'owner is told';

const ALIAS =
  /encryptionKey is 'the alias .*'; allowed: a key; a policy that names an alias allows nothing. Give the key itself/;
const REGION = /encryptionKey is 'of eu-west-1'; allowed: one of the region of the stack, us-east-1/;

const WAYS: [string, Outcome, (stack: Stack, app: App) => kms.IKey][] = [
  ['own', 'works', (stack) => new kms.Key(stack, 'Mine')],
  ['own, by its alias', 'works', (stack) => new kms.Key(stack, 'Mine').addAlias('mine')],
  [
    'own, by its alias that is imported',
    'works',
    (stack) =>
      kms.Alias.fromAliasAttributes(stack, 'Alias', {
        aliasName: 'alias/mine',
        aliasTargetKey: new kms.Key(stack, 'Mine'),
      }),
  ],
  ['by ARN', 'owner is told', (stack) => kms.Key.fromKeyArn(stack, 'Mine', keyArn(ACCOUNT, 'us-east-1'))],
  [
    'by a token',
    'owner is told',
    (stack) =>
      kms.Key.fromKeyArn(stack, 'Mine', Lazy.string({ produce: () => keyArn(ACCOUNT, 'us-east-1') })),
  ],
  ['by look-up', 'owner is told', (stack) => kms.Key.fromLookup(stack, 'Mine', { aliasName: 'alias/mine' })],
  [
    'of another account',
    'owner is told',
    (stack) => kms.Key.fromKeyArn(stack, 'Mine', keyArn('444455556666', 'us-east-1')),
  ],
  ['by the name of an alias', 'no alias', (stack) => kms.Alias.fromAliasName(stack, 'Mine', 'alias/mine')],
  [
    'by the ARN of an alias',
    'no alias',
    (stack) => kms.Key.fromKeyArn(stack, 'Mine', `arn:aws:kms:us-east-1:${ACCOUNT}:alias/mine`),
  ],
  [
    'by ARN, of another region',
    'no other region',
    (stack) => kms.Key.fromKeyArn(stack, 'Mine', keyArn(ACCOUNT, 'eu-west-1')),
  ],
  [
    'of a stack in another region',
    'no other region',
    (_, app) => new kms.Key(new Stack(app, 'Keys', { env: { ...TEST_ENV, region: 'eu-west-1' } }), 'Mine'),
  ],
];

type Made = (stack: Stack, network: () => GridNetwork, encryptionKey: kms.IKey) => void;
const machineImage = IMAGE;

/** What takes a key, and whether policies name it: where none does, an alias will do. */
const TAKERS: [string, 'in policies' | 'by AWS', Made][] = [
  ['GridNetwork', 'by AWS', (stack, _, encryptionKey) => new GridNetwork(stack, 'N', { encryptionKey })],
  [
    'IntelLustre',
    'in policies',
    (stack, network, encryptionKey) =>
      new IntelLustre(stack, 'L', { network: network(), machineImage, encryptionKey }),
  ],
  [
    'NfsStorageServer',
    'in policies',
    (stack, network, encryptionKey) =>
      new NfsStorageServer(stack, 'S', { network: network(), machineImage, encryptionKey, archive: {} }),
  ],
  [
    'Io2BlockExpressGfs2 of two nodes',
    'in policies',
    (stack, network, encryptionKey) =>
      new Io2BlockExpressGfs2(stack, 'C', {
        network: network(),
        machineImage,
        encryptionKey,
        nodeCount: 2,
        size: Size.tebibytes(1),
      }),
  ],
  [
    'SasGridCluster',
    'by AWS',
    (stack, network, encryptionKey) => {
      const sharedFileSystem = new OtherFileSystem(stack, 'F', network());
      new SasGridCluster(stack, 'G', {
        network: network(),
        sharedFileSystem,
        machineImage,
        nodeCount: 1,
        encryptionKey,
      });
    },
  ],
  [
    'StorageBenchmark',
    'in policies',
    (stack, network, encryptionKey) => {
      const sharedFileSystem = new OtherFileSystem(stack, 'F', network());
      const grid = new SasGridCluster(stack, 'G', {
        network: network(),
        sharedFileSystem,
        machineImage,
        nodeCount: 1,
      });
      const paths = [MeasuredPath.shared('/sasdata')];
      new StorageBenchmark(stack, 'B', { hosts: BenchmarkHosts.cluster(grid), paths, encryptionKey });
    },
  ],
  [
    'FsxLustre',
    'by AWS',
    (stack, network, encryptionKey) =>
      new FsxLustre(stack, 'F', {
        network: network(),
        storage: FsxLustreStorage.ssd({ capacity: Size.gibibytes(2400), throughputPerTiB: 250 }),
        encryptionKey,
      }),
  ],
  [
    'FsxOpenZfs',
    'by AWS',
    (stack, network, encryptionKey) =>
      new FsxOpenZfs(stack, 'F', {
        network: network(),
        capacity: Size.tebibytes(20),
        throughputMBps: 5120,
        encryptionKey,
      }),
  ],
  [
    'FsxOntap',
    'by AWS',
    (stack, network, encryptionKey) =>
      new FsxOntap(stack, 'F', {
        network: network(),
        capacity: Size.tebibytes(20),
        throughputMBpsPerPair: 3072,
        encryptionKey,
      }),
  ],
  [
    'EfsSharedFileSystem',
    'by AWS',
    (stack, network, encryptionKey) =>
      new EfsSharedFileSystem(stack, 'F', { network: network(), encryptionKey }),
  ],
];

function make(made: Made, key: (stack: Stack, app: App) => kms.IKey): Stack {
  const app = testApp();
  const stack = testStack(app);
  let network: GridNetwork | undefined;
  made(stack, () => (network ??= new GridNetwork(stack, 'Network', { flowLogs: false })), key(stack, app));
  return stack;
}

describe.each(TAKERS)('the encryptionKey of %s', (_, kind, made) => {
  test.each(WAYS)('%s: %s', (_way, outcome, key) => {
    const known = kind === 'by AWS' && outcome === 'no alias' ? 'works' : outcome;
    if (known === 'no alias' || known === 'no other region') {
      expect(() => make(made, key)).toThrow(known === 'no alias' ? ALIAS : REGION);
      return;
    }
    expect(() => make(made, key)).not.toThrow();
  });
});

describe('policies and keys', () => {
  const nfs = TAKERS.find(([name]) => name === 'NfsStorageServer')![2];
  const way = (name: string) => WAYS.find(([each]) => each === name)![2];
  const messages = (stack: Stack): string[] =>
    stack.node
      .findAll()
      .flatMap(({ node }) => node.metadata)
      .filter(({ type }) => type === 'aws:cdk:warning')
      .map(({ data }) => String(data))
      .filter((text) => text.startsWith('The key is imported'));

  test('no policy names an alias', () => {
    const { Resources } = Template.fromStack(make(nfs, way('own, by its alias'))).toJSON() as {
      Resources: Record<string, { Type: string }>;
    };
    const policies = Object.values(Resources).filter(({ Type }) =>
      /^AWS::IAM::(Managed)?(Role)?Policy$/.test(Type),
    );
    expect(policies.length).toBeGreaterThan(5);
    expect(JSON.stringify(policies)).not.toMatch(/alias/i);
  });

  test('the owner of an imported key is told the statements, each once', () => {
    const told = messages(make(nfs, way('by ARN')));
    expect(told.map((text) => /For (.*?) it has to have the statement/.exec(text)![1])).toEqual([
      'disks of servers that Auto Scaling starts',
      'grants on disks of servers that Auto Scaling starts',
    ]);
    expect(told[0]).toContain('AWSServiceRoleForAutoScaling');
    expect(messages(make(nfs, way('own')))).toEqual([]);
  });

  test('that of another account also to let this one use it', () => {
    const told = messages(make(nfs, way('of another account')));
    expect(told).toHaveLength(3);
    expect(told.join('\n')).toMatch(
      /For the account 111122223333 to use it it has to have.*"kms:CreateGrant"/,
    );
  });
});

describe('an alarm topic', () => {
  const arn = (account: string, region: string) => `arn:aws:sns:${region}:${account}:alarms`;
  const nfs = (alarmTopic: (stack: Stack, app: App) => sns.ITopic) =>
    make(
      (stack, network) => {
        const topic = alarmTopic(stack, Stack.of(stack).node.root as App);
        new NfsStorageServer(stack, 'S', { network: network(), machineImage, alarmTopic: topic });
      },
      () => undefined as never,
    );

  test.each<[string, (stack: Stack, app: App) => sns.ITopic]>([
    ['own', (stack) => new sns.Topic(stack, 'T')],
    ['by ARN', (stack) => sns.Topic.fromTopicArn(stack, 'T', arn(ACCOUNT, 'us-east-1'))],
    ['of another account', (stack) => sns.Topic.fromTopicArn(stack, 'T', arn('444455556666', 'us-east-1'))],
    [
      'by a token',
      (stack) =>
        sns.Topic.fromTopicArn(stack, 'T', Lazy.string({ produce: () => arn(ACCOUNT, 'us-east-1') })),
    ],
  ])('%s', (_, topic) => {
    expect(() => nfs(topic)).not.toThrow();
  });

  test.each<[string, (stack: Stack, app: App) => sns.ITopic]>([
    ['by ARN', (stack) => sns.Topic.fromTopicArn(stack, 'T', arn(ACCOUNT, 'eu-west-1'))],
    [
      'of a stack',
      (_, app) => new sns.Topic(new Stack(app, 'Topics', { env: { ...TEST_ENV, region: 'eu-west-1' } }), 'T'),
    ],
  ])('of another region, %s, is refused', (_, topic) => {
    expect(() => nfs(topic)).toThrow(
      /alarmTopic is 'of eu-west-1'; allowed: one of the region of the stack, us-east-1/,
    );
  });
});

test('the certificate of the page of another region is refused', () => {
  const lustre = (region: string) =>
    make(
      (stack, network) => {
        const certificate = acm.Certificate.fromCertificateArn(
          stack,
          'Cert',
          `arn:aws:acm:${region}:${ACCOUNT}:certificate/1234`,
        );
        new IntelLustre(stack, 'L', { network: network(), machineImage, monitoring: { certificate } });
      },
      () => undefined as never,
    );
  expect(() => lustre('us-east-1')).not.toThrow();
  expect(() => lustre('eu-west-1')).toThrow(/monitoring.certificate is 'of eu-west-1'/);
});

describe('a network that exists', () => {
  const subnetId = 'subnet-0123456789abcdef0';
  const vpcOf = (stack: Stack) =>
    ec2.Vpc.fromVpcAttributes(stack, 'V', {
      vpcId: 'vpc-0123456789abcdef0',
      availabilityZones: ['us-east-1a'],
    });

  test('by a subnet whose zone is not known is refused', () => {
    const stack = testStack();
    const privateSubnets = [ec2.Subnet.fromSubnetId(stack, 'S', subnetId)];
    expect(() => new GridNetwork(stack, 'N', { existing: { vpc: vpcOf(stack), privateSubnets } })).toThrow(
      /^Test\/N: A subnet of existing is 'subnet-\w+'; allowed: a subnet whose Availability Zone is known. Import it/,
    );
  });

  test('by a VPC of another region is refused', () => {
    const app = testApp();
    const vpc = new ec2.Vpc(new Stack(app, 'Other', { env: { ...TEST_ENV, region: 'eu-west-1' } }), 'V');
    const stack = testStack(app);
    const privateSubnets = [
      ec2.Subnet.fromSubnetAttributes(stack, 'S', { subnetId, availabilityZone: 'us-east-1a' }),
    ];
    expect(() => new GridNetwork(stack, 'N', { existing: { vpc, privateSubnets } })).toThrow(
      /existing.vpc is 'of eu-west-1'/,
    );
  });
});

test('the key of a volume map in policies of a game day', () => {
  const stack = make(
    (own, network, encryptionKey) => {
      const { oss } = new IntelLustre(own, 'L', { network: network(), machineImage, encryptionKey });
      new GameDay(own, 'Day', { tiers: [oss] });
    },
    WAYS.find(([name]) => name === 'own, by its alias')![2],
  );
  expect(JSON.stringify(Template.fromStack(stack).findResources('AWS::IAM::Policy'))).not.toMatch(/alias/i);
});
