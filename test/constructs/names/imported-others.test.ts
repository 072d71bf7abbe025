import {
  type App,
  aws_ec2 as ec2,
  aws_kms as kms,
  Lazy,
  aws_route53 as route53,
  Size,
  Stack,
  aws_s3 as s3,
} from 'aws-cdk-lib';
import { Annotations, Match } from 'aws-cdk-lib/assertions';
import {
  EfsSharedFileSystem,
  FsxLustre,
  FsxLustreStorage,
  FsxOntap,
  FsxOpenZfs,
  GridNetwork,
  NfsStorageServer,
  type NfsStorageServerProps,
  SasGridCluster,
  type SasGridClusterProps,
} from '../../../constructs';
import { TEST_ENV, testApp, testStack } from '../../helpers/app';
import { IMAGE, OtherFileSystem } from '../sas-grid-cluster/stack';

// What is no key, of somebody else's or of another place: groups, subnets, zones, images, buckets and placement groups.
// It works, or it is refused by name.

const OTHER_ACCOUNT = '444455556666';

function elsewhere(app: App): Stack {
  return new Stack(app, 'Elsewhere', { env: { ...TEST_ENV, region: 'eu-west-1' } });
}

interface Place {
  readonly app: App;
  readonly stack: Stack;
  readonly network: GridNetwork;
}

function place(): Place {
  const app = testApp();
  const stack = testStack(app);
  const network = new GridNetwork(stack, 'Network', { flowLogs: false, availabilityZone: 'us-east-1a' });
  return { app, stack, network };
}

const server = ({ stack, network }: Place, more: Partial<NfsStorageServerProps>) =>
  new NfsStorageServer(stack, 'S', { network, machineImage: IMAGE, ...more });

const grid = ({ stack, network }: Place, more: Partial<SasGridClusterProps>) =>
  new SasGridCluster(stack, 'G', {
    network,
    sharedFileSystem: new OtherFileSystem(stack, 'F', network),
    machineImage: IMAGE,
    nodeCount: 1,
    ...more,
  });

const warnings = (stack: Stack): string[] =>
  Annotations.fromStack(stack)
    .findWarning('*', Match.anyValue())
    .map(({ entry }) => String(entry.data));

describe('a security group', () => {
  type Taker = (at: Place, securityGroup: ec2.ISecurityGroup) => void;
  const TAKERS: [string, Taker][] = [
    ['NfsStorageServer', (at, securityGroup) => server(at, { securityGroup })],
    ['SasGridCluster', (at, securityGroup) => grid(at, { securityGroup })],
    [
      'FsxLustre',
      ({ stack, network }, securityGroup) => {
        const storage = FsxLustreStorage.ssd({ capacity: Size.gibibytes(2400), throughputPerTiB: 250 });
        new FsxLustre(stack, 'L', { network, storage, securityGroup });
      },
    ],
    [
      'FsxOpenZfs',
      ({ stack, network }, securityGroup) =>
        new FsxOpenZfs(stack, 'Z', {
          network,
          capacity: Size.tebibytes(20),
          throughputMBps: 5120,
          securityGroup,
        }),
    ],
    [
      'FsxOntap',
      ({ stack, network }, securityGroup) => {
        const size = { capacity: Size.tebibytes(20), throughputMBpsPerPair: 3072 };
        new FsxOntap(stack, 'O', { network, ...size, securityGroup });
      },
    ],
    [
      'EfsSharedFileSystem',
      ({ stack, network }, securityGroup) => new EfsSharedFileSystem(stack, 'E', { network, securityGroup }),
    ],
    [
      'GridNetwork with existing',
      ({ stack, network: { vpc, privateSubnets } }, securityGroup) =>
        new GridNetwork(stack, 'N', { existing: { vpc, privateSubnets, securityGroup } }),
    ],
  ];

  test.each(TAKERS)('of another VPC is told by %s', (_, make) => {
    const at = place();
    const vpc = new ec2.Vpc(at.stack, 'Other');
    make(at, new ec2.SecurityGroup(at.stack, 'Mine', { vpc }));
    expect(warnings(at.stack)).toContainEqual(
      expect.stringMatching(/securityGroup is Test\/Mine, of another VPC .*SecurityGroupVpcAssociation/),
    );
  });

  test.each(TAKERS)('of another region is refused by %s', (_, make) => {
    const at = place();
    const there = elsewhere(at.app);
    const vpc = new ec2.Vpc(there, 'Other');
    expect(() => make(at, new ec2.SecurityGroup(there, 'Mine', { vpc }))).toThrow(
      /securityGroup is 'of eu-west-1'; allowed: one of the region of the stack, us-east-1/,
    );
  });

  test.each(TAKERS)('of the VPC, or imported, is taken by %s', (_, make) => {
    const own = place();
    make(own, new ec2.SecurityGroup(own.stack, 'Mine', { vpc: own.network.vpc }));
    expect(warnings(own.stack)).not.toContainEqual(expect.stringContaining('of another VPC'));
    const imported = place();
    make(imported, ec2.SecurityGroup.fromSecurityGroupId(imported.stack, 'Mine', 'sg-12345678'));
  });

  test('of which only a token says the VPC is taken', () => {
    const at = place();
    const vpcId = Lazy.string({ produce: () => 'vpc-12345678' });
    const vpc = ec2.Vpc.fromVpcAttributes(at.stack, 'Other', { vpcId, availabilityZones: ['us-east-1a'] });
    server(at, { securityGroup: new ec2.SecurityGroup(at.stack, 'Mine', { vpc }) });
  });
});

describe('a subnet', () => {
  const subnetOf = (stack: Stack) =>
    new ec2.Vpc(stack, 'Other', { availabilityZones: ['us-east-1a'] }).privateSubnets[0]!;

  test('of another VPC is told by a grid', () => {
    const at = place();
    grid(at, { subnet: subnetOf(at.stack) });
    expect(warnings(at.stack)).toContainEqual(
      expect.stringMatching(/subnet is Test\/Other\/PrivateSubnet1, of another VPC .*peering/),
    );
  });

  test('of another VPC is refused as an existing one', () => {
    const at = place();
    const existing = { vpc: at.network.vpc, privateSubnets: [subnetOf(at.stack)] };
    expect(() => new GridNetwork(at.stack, 'N', { existing })).toThrow(
      /A subnet of existing is 'Test\/Other\/PrivateSubnet1, of another VPC'/,
    );
  });
});

describe('a private zone', () => {
  const UNSEEN = /does not see the private zone Test\/Zone: .*zone\.addVpc/;
  const zoneOf = (stack: Stack, vpc: ec2.IVpc) =>
    new route53.PrivateHostedZone(stack, 'Zone', { zoneName: 'corp.example', vpc });

  test.each([
    ['NfsStorageServer', server],
    ['SasGridCluster', grid],
  ])('that the VPC does not see is told by %s', (_, make) => {
    const at = place();
    make(at, { hostedZone: zoneOf(at.stack, new ec2.Vpc(at.stack, 'Other')) });
    expect(warnings(at.stack)).toContainEqual(expect.stringMatching(UNSEEN));
  });

  test('to which the VPC is added is as good as its own', () => {
    const at = place();
    const hostedZone = zoneOf(at.stack, new ec2.Vpc(at.stack, 'Other'));
    server(at, { hostedZone });
    hostedZone.addVpc(at.network.vpc);
    expect(warnings(at.stack)).not.toContainEqual(expect.stringMatching(UNSEEN));
  });

  test('that is imported is believed', () => {
    const at = place();
    const known = { hostedZoneId: 'Z0123456789', zoneName: 'corp.example' };
    server(at, { hostedZone: route53.HostedZone.fromHostedZoneAttributes(at.stack, 'Zone', known) });
    expect(warnings(at.stack)).not.toContainEqual(expect.stringMatching(UNSEEN));
  });
});

describe('an image', () => {
  test.each<[string, ec2.IMachineImage, RegExp]>([
    [
      'of other regions only',
      ec2.MachineImage.genericLinux({ 'eu-west-1': 'ami-0fedcba9876543210', 'eu-west-2': 'ami-12345678' }),
      /is an image of eu-west-1, eu-west-2; allowed: one of the region of the stack, us-east-1\. Add its id/,
    ],
    [
      'with an id that EC2 does not know',
      ec2.MachineImage.genericLinux({ 'us-east-1': 'ami-mine' }),
      /machineImage is 'ami-mine'; allowed: 'ami-' and hexadecimal digits/,
    ],
    [
      'of Amazon Linux 2',
      ec2.MachineImage.latestAmazonLinux2(),
      /machineImage is .*amzn2-ami-.*README lists/,
    ],
    [
      'of Amazon Linux 2, looked up',
      ec2.MachineImage.lookup({ name: 'amzn2-ami-hvm-2.0.*-x86_64-gp2' }),
      /machineImage is 'amzn2-ami-.*README lists/,
    ],
  ])('%s is refused', (_, machineImage, message) => {
    for (const make of [server, grid]) expect(() => make(place(), { machineImage })).toThrow(message);
  });

  test.each<[string, ec2.IMachineImage]>([
    ['a parameter of the launch', ec2.MachineImage.genericLinux({ 'us-east-1': 'resolve:ssm:/mine/image' })],
    ['a token', ec2.MachineImage.genericLinux({ 'us-east-1': Lazy.string({ produce: () => 'ami-1' }) })],
    ['an id of the old form', ec2.MachineImage.genericLinux({ 'us-east-1': 'ami-12345678' })],
  ])('by %s is taken', (_, machineImage) => {
    server(place(), { machineImage });
  });

  test('of a stack without a region has to be a well-formed id in each', () => {
    const network = new GridNetwork(new Stack(testApp(), 'Anywhere'), 'Network');
    const machineImage = ec2.MachineImage.genericLinux({ 'eu-west-1': 'ami-12345678', 'eu-west-2': 'ami-x' });
    expect(() => new NfsStorageServer(Stack.of(network), 'S', { network, machineImage })).toThrow(
      /machineImage is 'ami-x'/,
    );
  });

  test("of AWS's own NAT is taken for a NAT instance, whatever its age", () => {
    const natMachineImage = ec2.MachineImage.lookup({ name: 'amzn-ami-vpc-nat-*' });
    new GridNetwork(testStack(), 'N', { natMachineImage });
  });
});

describe('the bucket of an archive', () => {
  const attributes = { bucketName: 'mine', account: OTHER_ACCOUNT };

  test('of another account: its owner is told the statement', () => {
    const at = place();
    const bucket = s3.Bucket.fromBucketAttributes(at.stack, 'Mine', attributes);
    server(at, { archive: { bucket } });
    const told = warnings(at.stack).filter((one) => one.includes('The bucket is imported'));
    expect(told).toHaveLength(1);
    for (const part of ['s3:PutObject', 's3:ListBucket', ':s3:::mine/storage1/*', TEST_ENV.account])
      expect(told[0]).toContain(part);
  });

  test('of this account has no owner to tell', () => {
    const at = place();
    server(at, { archive: { bucket: s3.Bucket.fromBucketName(at.stack, 'Mine', 'mine') } });
    expect(warnings(at.stack)).not.toContainEqual(expect.stringContaining('bucket'));
  });

  test('encrypted with a key that only an alias names is refused', () => {
    const at = place();
    const encryptionKey = kms.Alias.fromAliasName(at.stack, 'Key', 'alias/mine');
    const bucket = s3.Bucket.fromBucketAttributes(at.stack, 'Mine', { bucketName: 'mine', encryptionKey });
    expect(() => server(at, { archive: { bucket } })).toThrow(
      /archive\.bucket\.encryptionKey is 'the alias alias\/mine'/,
    );
  });
});

test('a placement group of another region is refused', () => {
  const app = testApp();
  const placementGroup = new ec2.PlacementGroup(elsewhere(app), 'Mine');
  expect(() => new GridNetwork(testStack(app), 'N', { placementGroup })).toThrow(
    /placementGroup is 'of eu-west-1'; allowed: one of the region of the stack, us-east-1/,
  );
});
