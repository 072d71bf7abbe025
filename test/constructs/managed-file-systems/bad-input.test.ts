import { Size } from 'aws-cdk-lib';
import { Subnet, Vpc } from 'aws-cdk-lib/aws-ec2';
import type { Construct } from 'constructs';
import {
  EfsThroughput,
  ExistingLustre,
  ExistingNfs,
  FileSystemAccess,
  FsxOpenZfs,
  GridNetwork,
  HostBundle,
  MountTarget,
  OntapDeployment,
  OntapTiering,
  OpenZfsDeployment,
} from '../../../constructs';
import { testStack } from '../../helpers/app';
import { efs, lustre, ontap, openZfs, type Place, place } from './stack';

const GiB = Size.gibibytes;
const standby = (stack: Construct, routeTableIds = ['rtb-1']) => ({
  routeTableIds,
  subnet: Subnet.fromSubnetAttributes(stack, 'Other', {
    subnetId: 'subnet-1',
    availabilityZone: 'us-east-1b',
  }),
});

const cases: [string, (at: Place) => unknown, RegExp][] = [
  [
    'throughput of the other generation',
    (at) => openZfs({ throughputMBps: 2048 }, at),
    /throughputMBps with SINGLE_AZ_HA_2 is 2048; allowed: 160, 320/,
  ],
  [
    '63 GiB of OpenZFS',
    (at) => openZfs({ capacity: GiB(63) }, at),
    /capacity in GiB is 63; allowed: .*64 to 524288/,
  ],
  [
    'records of 3 KiB',
    (at) => openZfs({ recordSize: Size.kibibytes(3) }, at),
    /recordSize in KiB is 3; allowed: 4, 8/,
  ],
  [
    'a volume name with a slash',
    (at) => openZfs({ volumeName: 'a/b' }, at),
    /volumeName is 'a\/b'; allowed: a letter/,
  ],
  [
    'clients everywhere',
    (at) => openZfs({ clientRanges: ['0.0.0.0/0'] }, at),
    /clientRanges is '0.0.0.0\/0'; allowed: an IPv4 range/,
  ],
  [
    'no clients',
    (at) => openZfs({ clientRanges: [] }, at),
    /The number of clientRanges is 0; allowed: .*1 to 25/,
  ],
  ['17 connections', (at) => openZfs({ connections: 17 }, at), /connections is 17; allowed: .*1 to 16/],
  [
    'two zones without the second',
    (at) => openZfs({ deployment: OpenZfsDeployment.MULTI_AZ_1 }, at),
    /standby is 'missing'; allowed: a second zone with MULTI_AZ_1/,
  ],
  [
    'a second zone for one',
    (at) => ontap((scope) => ({ standby: standby(scope) }), at),
    /standby is 'given'; allowed: nothing with SINGLE_AZ_2/,
  ],
  [
    'two zones without routes',
    (at) => ontap((scope) => ({ deployment: OntapDeployment.MULTI_AZ_2, standby: standby(scope, []) }), at),
    /standby.routeTableIds is \[\]; allowed: one route table or more/,
  ],
  ['13 pairs', (at) => ontap({ haPairs: 13 }, at), /haPairs with SINGLE_AZ_2 is 13; allowed: .*1 to 12/],
  [
    'two pairs in two zones',
    (at) =>
      ontap((scope) => ({ deployment: OntapDeployment.MULTI_AZ_2, standby: standby(scope), haPairs: 2 }), at),
    /haPairs with MULTI_AZ_2 is 2; allowed: .*1 to 1.*Only SINGLE_AZ_2/,
  ],
  [
    'a throughput between two',
    (at) => ontap({ throughputMBpsPerPair: 2048 }, at),
    /throughputMBpsPerPair with SINGLE_AZ_2 is 2048; allowed: 1536, 3072, 6144/,
  ],
  [
    'less than a TiB for each pair',
    (at) => ontap({ haPairs: 12 }, at),
    /The capacity in GiB is 10240; allowed: .*12288 to 1048576 with 12 HA pairs of SINGLE_AZ_2/,
  ],
  [
    'a volume larger than its file system',
    (at) => ontap({ volumeSize: Size.tebibytes(11) }, at),
    /volumeSize in GiB is 11264; allowed: .*1 to 10240/,
  ],
  [
    'a small volume over two pairs',
    (at) => ontap({ haPairs: 2, volumeSize: GiB(1000) }, at),
    /volumeSize in GiB is 1000; allowed: .*1600 to 10240/,
  ],
  [
    'a name that ONTAP does not take',
    (at) => ontap({ volumeName: 'sas-data' }, at),
    /volumeName is 'sas-data'; allowed: a letter or '_'/,
  ],
  [
    'days of what is not moved',
    (at) => ontap({ coolingDays: 7 }, at),
    /coolingDays is 7; allowed: nothing with tiering NONE/,
  ],
  [
    'one day',
    (at) => ontap({ tiering: OntapTiering.AUTO, coolingDays: 1 }, at),
    /coolingDays is 1; allowed: .*2 to 183/,
  ],
  [
    'more than EFS gives',
    (at) => efs({ throughput: EfsThroughput.provisioned(4000) }, at),
    /throughput in MiB\/s is 4000; allowed: .*1 to 3414/,
  ],
  [
    'one zone and others',
    (at) => efs((scope) => ({ oneZone: true, otherSubnets: [standby(scope).subnet] }), at),
    /otherSubnets is 1; allowed: 0 with oneZone/,
  ],
  [
    'two subnets in a zone',
    (at) =>
      efs(
        (scope) => ({
          otherSubnets: [1, 2].map((i) =>
            Subnet.fromSubnetAttributes(scope, `S${i}`, {
              subnetId: `subnet-${i}`,
              availabilityZone: 'us-east-1b',
            }),
          ),
        }),
        at,
      ),
    /otherSubnets is 'us-east-1b'; allowed: a zone that no other subnet is in/,
  ],
  [
    'a network id without a network',
    () => new ExistingLustre(testStack(), 'X', { mgsNid: '10.0.0.1', fileSystemName: 'sas' }),
    /mgsNid is '10.0.0.1'; allowed: a Lustre network id/,
  ],
  [
    'a long file system name',
    () => new ExistingLustre(testStack(), 'X', { mgsNid: '10.0.0.1@tcp', fileSystemName: 'sasdata01' }),
    /fileSystemName is 'sasdata01'; allowed: 1 to 8/,
  ],
  [
    'a server with a path',
    () => new ExistingNfs(testStack(), 'X', { server: 'a:/b', exportPath: '/' }),
    /server is 'a:\/b'; allowed/,
  ],
  [
    'a relative export',
    () => new ExistingNfs(testStack(), 'X', { server: 'a', exportPath: 'b' }),
    /exportPath is 'b'; allowed/,
  ],
  [
    'a soft mount',
    () => new ExistingNfs(testStack(), 'X', { server: 'a', exportPath: '/', mountOptions: ['soft'] }),
    /mountOptions is 'soft'; allowed: .*soft mounts lose data/,
  ],
  [
    'two options in one',
    () => new ExistingNfs(testStack(), 'X', { server: 'a', exportPath: '/', mountOptions: ['ro,soft'] }),
    /mountOptions is 'ro,soft'; allowed/,
  ],
  [
    'a range that is none',
    () => FileSystemAccess.fromRange('10.0.0.1/8'),
    /The range of a file system is '10.0.0.1\/8'; allowed/,
  ],
];

const at = place();

test.each(cases)('%s is refused, with the range and the fix', (_, build, message) => {
  const refused = () => build(at);
  expect(refused).toThrow(
    expect.objectContaining({ name: 'InvalidInputError', message: expect.stringMatching(message) }),
  );
});

test('the range of a VPC that is not known has to be named for OpenZFS', () => {
  const stack = testStack();
  const network = new GridNetwork(stack, 'Network', {
    existing: {
      vpc: Vpc.fromVpcAttributes(stack, 'Vpc', { vpcId: 'vpc-1', availabilityZones: ['us-east-1a'] }),
      privateSubnets: [
        Subnet.fromSubnetAttributes(stack, 'Subnet', {
          subnetId: 'subnet-1',
          availabilityZone: 'us-east-1a',
        }),
      ],
    },
  });
  const props = { network, capacity: GiB(64), throughputMBps: 160 };
  expect(() => new FsxOpenZfs(stack, 'A', props)).toThrow(/clientRanges is 'missing'; allowed/);
  expect(() => new FsxOpenZfs(stack, 'B', { ...props, clientRanges: ['10.0.0.0/16'] })).not.toThrow();
});

test('a relative mount point is refused, and so is a second file system of one kind on a host', () => {
  for (const { network, fileSystem } of [lustre(), openZfs(), ontap(), efs()]) {
    const host = new MountTarget({ host: network.gridSecurityGroup, hostBundle: new HostBundle() });
    expect(() => fileSystem.mountOn(host, { mountPoint: 'sasdata' })).toThrow(
      /mount point is 'sasdata'; allowed/,
    );
    fileSystem.mountOn(host, { mountPoint: '/sasdata' });
    expect(() => fileSystem.mountOn(host, { mountPoint: '/other' })).toThrow(/MOUNT_POINT/);
  }
});
