import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Duration, Size } from 'aws-cdk-lib';
import { EbsDeviceVolumeType, InstanceType } from 'aws-cdk-lib/aws-ec2';
import { HostedZone } from 'aws-cdk-lib/aws-route53';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import {
  DataLossOnFailure,
  type EbsNfsStorageProps,
  type InstanceStoreNfsStorageProps,
  NfsPreset,
  type NfsPresetName,
  NfsStorage,
  NfsStorageServer,
  type NfsStorageServerProps,
} from '../../../constructs';
import { nfsStack } from './stack';

const ebs = (props: EbsNfsStorageProps): Partial<NfsStorageServerProps> => ({
  storage: NfsStorage.ebs(props),
});

const local = (props: Partial<InstanceStoreNfsStorageProps>): Partial<NfsStorageServerProps> => ({
  storage: NfsStorage.instanceStore({
    dataLossOnFailure: DataLossOnFailure.acceptable('copies in S3'),
    ...props,
  }),
});

const gp3 = EbsDeviceVolumeType.GP3;

const cases: [string, Partial<NfsStorageServerProps>, RegExp][] = [
  [
    'a host name with a dot',
    { hostName: 'storage1.corp' },
    /hostName is 'storage1.corp'; allowed: a lower-case/,
  ],
  ['a domain with a blank', { domainName: 'corp internal' }, /domainName is 'corp internal'; allowed/],
  ['an export that climbs', { exportName: '..' }, /exportName is '..'; allowed: 1 to 64 letters/],
  ['an export with a slash', { exportName: 'a/b' }, /exportName is 'a\/b'; allowed/],
  [
    'the whole internet as clients',
    { clientRanges: ['0.0.0.0/0'] },
    /clientRanges is '0.0.0.0\/0'; allowed: IPv4 ranges from \/8 to \/32.*never opened to the internet/,
  ],
  ['a range that does not start at its start', { clientRanges: ['10.0.0.1/24'] }, /'10.0.0.1\/24'; allowed/],
  ['no range', { clientRanges: [] }, /clientRanges is \[\]; allowed: a list of at least one/],
  ['an export that loses writes', { exportOptions: ['async'] }, /exportOptions is 'async'; allowed: ro,/],
  ['another file system id', { exportOptions: ['fsid=0'] }, /exportOptions is 'fsid=0'; allowed/],
  ['two options in one', { exportOptions: ['ro,insecure'] }, /'ro,insecure'; allowed/],
  ['no thread', { nfsdThreads: 0 }, /nfsdThreads is 0; allowed: a whole number from 1 to 8192/],
  ['17 connections', { clientConnections: 17 }, /clientConnections is 17; allowed: .*1 to 16/],
  ['half a client', { expectedClients: 0.5 }, /expectedClients is 0.5; allowed/],
  [
    'a root disk of 4 GiB',
    { rootVolumeSize: Size.gibibytes(4) },
    /rootVolumeSize in GiB is 4; allowed: .*8 to/,
  ],
  [
    'a root disk of 1.5 GiB',
    { rootVolumeSize: Size.mebibytes(1536) },
    /rootVolumeSize in GiB is 1.5; allowed/,
  ],
  ['an address outside of the subnet', { address: '10.0.0.1' }, /addresses is '10.0.0.1'; allowed/],
  ['no volume', ebs({ volumeCount: 0 }), /volumeCount is 0; allowed: a whole number from 1 to 37/],
  [
    'more volumes than the type attaches',
    ebs({ volumeCount: 30 }),
    /on m6in.4xlarge is 30; allowed: at most 25/,
  ],
  [
    'a volume of no whole GiB',
    ebs({ volume: { volumeType: gp3, size: Size.mebibytes(1500) } }),
    /volume.size in GiB is 1.46.*whole number/,
  ],
  [
    'an st1 volume that is too small',
    ebs({ volume: { volumeType: EbsDeviceVolumeType.ST1, size: Size.gibibytes(100) } }),
    /size of a st1 volume in GiB is 100; allowed: .*125 to 16384/,
  ],
  ['no throughput', ebs({ throughputMBps: 0 }), /throughputMBps is 0; allowed: above 0, up to 25000.*MB\/s/],
  [
    'more than any type passes on',
    ebs({ throughputMBps: 20_000 }),
    /20000; allowed: up to 12500.*IntelLustre/,
  ],
  ['snapshots every five hours', ebs({ backup: { every: Duration.hours(5) } }), /backup.every is '5 hours'/],
  [
    'snapshots at 24:00',
    ebs({ backup: { startTime: '24:00' } }),
    /backup.startTime is '24:00'; allowed: hh:mm/,
  ],
  ['no retention', ebs({ backup: { retention: Duration.hours(12) } }), /retention in days is 0.5; allowed/],
  ['half of the kept volumes', ebs({ volumeCount: 2, existingVolumes: ['vol-01234567'] }), /is 1; allowed/],
  [
    'instance store on a type without',
    local({ instanceType: new InstanceType('m6in.large') }),
    /NFS server with instance store is 'm6in.large'; allowed: .*i3en.*NfsStorage.ebs/,
  ],
  [
    'instance store on a type that nobody knows',
    local({ instanceType: new InstanceType('i99.large') }),
    /'i99.large'; allowed.*name its disks with instanceStore/,
  ],
  [
    '25 disks',
    local({ instanceStore: { count: 25, size: Size.tebibytes(1) } }),
    /count is 25; allowed: .*1 to 24/,
  ],
  [
    'more than the largest type has',
    local({ capacity: Size.tebibytes(60) }),
    /capacity in GB is 65970.*60000/,
  ],
  [
    'more than the named type has',
    local({ instanceType: new InstanceType('i3en.large'), capacity: Size.tebibytes(2) }),
    /capacity in GB is 2199.02; allowed: up to 1250, what i3en.large has/,
  ],
  ['no capacity', local({ capacity: Size.gibibytes(0) }), /capacity is '0'; allowed: more than nothing/],
  ['a Spot price of nothing', local({ spot: { maxPriceUsd: 0 } }), /spot.maxPriceUsd is 0; allowed: above 0/],
  ['an archive every minute', { archive: { every: Duration.minutes(1) } }, /archive.every in hours is 0.01/],
  ['an archive at the root', { archive: { prefix: '/a' } }, /archive.prefix is '\/a'; allowed: names of/],
  ['a prefix for the shell', { archive: { prefix: 'a; rm' } }, /archive.prefix is 'a; rm'; allowed/],
  [
    'versions for no time',
    { archive: { keepFormerVersions: Duration.days(0) } },
    /Versions in days is 0; allowed/,
  ],
  [
    'a type that no cluster placement group takes',
    ebs({ instanceType: new InstanceType('t3.large') }),
    /'t3.large'; allowed: no burstable/,
  ],
];

test.each(cases)('%s is refused, with the range and the fix', (_, props, message) => {
  expect(() => nfsStack(props)).toThrow(message);
});

test('the documentation names each option of an export that is taken', () => {
  const file = join(__dirname, '../../../constructs/nfs-storage-server/props.ts');
  const said = /Options of exports\(5\)[^/]*\//.exec(readFileSync(file, 'utf8'))![0];
  let message = '';
  try {
    nfsStack({ exportOptions: ['async'] });
  } catch (error) {
    message = (error as Error).message;
  }
  const taken = /allowed: ([^.]*)\./.exec(message)![1]!.split(', ');
  expect(taken.length).toBeGreaterThan(7);
  expect(taken.filter((option) => !said.includes(`\`${option}\``))).toEqual([]);
  const exportOptions = taken.map((option) => option.replace('<number>', '5000'));
  expect(() => nfsStack({ exportOptions })).not.toThrow();
});

test('a type that no placement group takes can do without one', () => {
  const props = { ...ebs({ instanceType: new InstanceType('t3.large') }), usePlacementGroup: false };
  expect(nfsStack(props).nfs.instanceType.toString()).toBe('t3.large');
});

test('instance store without a word about the loss of data is refused, whatever language asked', () => {
  const props = {} as InstanceStoreNfsStorageProps;
  expect(() => NfsStorage.instanceStore(props)).toThrow(
    /dataLossOnFailure is undefined; allowed: DataLossOnFailure.acceptable\(reason\).*All data is lost/,
  );
  expect(() => DataLossOnFailure.acceptable('  ')).toThrow(
    /loss of all data is acceptable is ' {2}'; allowed/,
  );
});

test('a preset that does not exist is refused with those that do', () => {
  expect(() => NfsPreset.papers2016('Huge' as NfsPresetName)).toThrow(
    /'Huge'; allowed: NfsPresetName.SMALL_2TB, NfsPresetName.MEDIUM_5TB/,
  );
});

test('a zone without a name, or of another domain, is refused', () => {
  expect(() => nfsStack((own) => ({ hostedZone: HostedZone.fromHostedZoneId(own, 'Zone', 'Z1') }))).toThrow(
    /The name of hostedZone is undefined; allowed.*fromHostedZoneAttributes/,
  );
  expect(() =>
    nfsStack((own) => ({
      domainName: 'a.example',
      hostedZone: HostedZone.fromHostedZoneAttributes(own, 'Zone', {
        hostedZoneId: 'Z1',
        zoneName: 'b.example',
      }),
    })),
  ).toThrow(/domainName is 'a.example'; allowed: b.example/);
});

test('the lifecycle of a bucket of your own is yours', () => {
  expect(() =>
    nfsStack((own) => ({
      archive: {
        bucket: Bucket.fromBucketName(own, 'Mine', 'mine'),
        keepFormerVersions: Duration.days(1),
      },
    })),
  ).toThrow(/keepFormerVersions is '1 day'; allowed: nothing beside a bucket of your own/);
});

test.each([
  [{ server: 'a b', mountPoint: '/x' }, /server is 'a b'; allowed: an IPv4 address or a name/],
  [{ server: '10.0.0.1', mountPoint: 'x' }, /The mount point is 'x'; allowed: an absolute path/],
  [{ server: '10.0.0.1', mountPoint: '/x', connections: 0 }, /connections is 0; allowed/],
  [{ server: '10.0.0.1', mountPoint: '/x', exportName: '' }, /exportName is ''; allowed/],
])('a client bundle %j is refused', (props, message) => {
  expect(() => NfsStorageServer.clientBundle(props)).toThrow(message);
});
