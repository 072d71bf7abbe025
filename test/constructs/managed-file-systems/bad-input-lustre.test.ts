import { Duration, Lazy, RemovalPolicy, Size } from 'aws-cdk-lib';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { FsxLustreStorage, FsxReadCache } from '../../../constructs';
import { testStack } from '../../helpers/app';
import { lustre, ontap, openZfs, type Place, place } from './stack';

const GiB = Size.gibibytes;
const ssd = FsxLustreStorage.ssd;
const tiering = FsxLustreStorage.intelligentTiering;
const repository = (directory: string, more: object = {}) => ({
  ...more,
  directory,
  bucket: Bucket.fromBucketName(testStack(), 'Bucket', 'sas-archive'),
});

const cases: [string, (at: Place) => unknown, RegExp][] = [
  [
    'a snapshot to be made of',
    (at) => lustre({ backupId: 'snap-0123456789abcdef0' }, at),
    /backupId is 'snap-0123456789abcdef0'; allowed: the id of a backup, such as backup-/,
  ],
  ['a backup without an id', (at) => ontap({ backupId: '' }, at), /backupId is ''; allowed/],
  [
    'a capacity between two steps',
    () => ssd({ capacity: GiB(3000), throughputPerTiB: 125 }),
    /The capacity in GiB is 3000; allowed: 1200, or a multiple of 2400\. The next one is 4800/,
  ],
  [
    'a part of a GiB',
    () => ssd({ capacity: Size.mebibytes(1_228_801), throughputPerTiB: 125 }),
    /The capacity in GiB is 1200\.\d+; allowed/,
  ],
  [
    'a capacity of zero',
    () => ssd({ capacity: GiB(0), throughputPerTiB: 125 }),
    /is 0; allowed.*next one is 1200/,
  ],
  [
    'a size known at deployment only',
    () => ssd({ capacity: GiB(Lazy.number({ produce: () => 1200 })), throughputPerTiB: 125 }),
    /The capacity is 'a token'; allowed: a size known at synthesis/,
  ],
  [
    'a tier of the generation before',
    () => ssd({ capacity: GiB(1200), throughputPerTiB: 200 }),
    /throughputPerTiB in MB\/s is 200; allowed: 125, 250, 500, 1000/,
  ],
  [
    'metadata IOPS between two steps',
    () => ssd({ capacity: GiB(1200), throughputPerTiB: 125, metadataIops: 18_000 }),
    /The metadata IOPS is 18000; allowed: 1500, 3000, 6000, 12000, or a multiple of 12000 up to 192000/,
  ],
  [
    'more metadata IOPS than there are',
    () => ssd({ capacity: GiB(1200), throughputPerTiB: 125, metadataIops: 204_000 }),
    /204000; allowed/,
  ],
  [
    'half a step of throughput',
    () => tiering({ throughputMBps: 2000 }),
    /throughputMBps is 2000; allowed: a multiple of 4000 up to 2000000/,
  ],
  [
    'metadata IOPS that only SSD has',
    () => tiering({ throughputMBps: 4000, metadataIops: 24_000 }),
    /24000; allowed: 6000, 12000/,
  ],
  [
    'a read cache that is too small',
    () => tiering({ throughputMBps: 8000, readCache: FsxReadCache.ofSize(GiB(63)) }),
    /The read cache in GiB is 63; allowed: a whole number from 64 to 262144 with 8000 MB\/s/,
  ],
  [
    'backups for 91 days',
    (at) => lustre({ backupRetention: Duration.days(91) }, at),
    /backupRetention in days is 91; allowed: .*0 to 90/,
  ],
  [
    'backups for hours',
    (at) => lustre({ backupRetention: Duration.hours(36) }, at),
    /backupRetention in days is 1.5; allowed/,
  ],
  [
    'a time of backups without backups',
    (at) => openZfs({ backupRetention: Duration.days(0), dailyBackupStart: '03:00' }, at),
    /dailyBackupStart is '03:00'; allowed: nothing/,
  ],
  [
    'a time that is none',
    (at) => ontap({ dailyBackupStart: '3:00' }, at),
    /dailyBackupStart is '3:00'; allowed: HH:MM/,
  ],
  [
    'the eighth day of the week',
    (at) => lustre({ weeklyMaintenanceStart: '8:03:00' }, at),
    /weeklyMaintenanceStart is '8:03:00'; allowed: d:HH:MM/,
  ],
  [
    'a snapshot on deletion',
    (at) => lustre({ removalPolicy: RemovalPolicy.SNAPSHOT }, at),
    /removalPolicy is 'snapshot'; allowed: RETAIN/,
  ],
  [
    'backups of a linked file system',
    (at) => lustre({ s3DataRepositories: [repository('/a')], backupRetention: Duration.days(7) }, at),
    /backupRetention in days is 7; allowed: 0 with s3DataRepositories/,
  ],
  [
    'a link that would end backups without a word',
    (at) => lustre({ s3DataRepositories: [repository('/a')] }, at),
    /backupRetention in days is '30, its default'; allowed: 0 with .*Name backupRetention: Duration\.days\(0\)/,
  ],
  [
    'a link with Intelligent-Tiering',
    (at) =>
      lustre({ s3DataRepositories: [repository('/a')], storage: tiering({ throughputMBps: 4000 }) }, at),
    /The storage with s3DataRepositories is 'INTELLIGENT_TIERING'; allowed: SSD/,
  ],
  [
    'no backups without a word on what is deployed',
    (at) => lustre({ backupRetention: Duration.days(0) }, at),
    /copyTagsToBackups is 'not named'; allowed: true or false with a backupRetention of 0 days\. .*false for a new one/,
  ],
  [
    'nine links',
    (at) => lustre({ s3DataRepositories: Array.from({ length: 9 }, (_, i) => repository(`/d${i}`)) }, at),
    /is 9; allowed: up to 8/,
  ],
  [
    'a link inside another',
    (at) => lustre({ s3DataRepositories: [repository('/a'), repository('/a/b/')] }, at),
    /directory is '\/a\/b\/'; allowed: a directory that neither contains '\/a'/,
  ],
  [
    'a link of all and of a part',
    (at) => lustre({ s3DataRepositories: [repository('/x'), repository('/')] }, at),
    /directory is '\/'; allowed/,
  ],
  [
    'a relative directory',
    (at) => lustre({ s3DataRepositories: [repository('archive')] }, at),
    /directory is 'archive'; allowed: an absolute path/,
  ],
  [
    'a directory that climbs',
    (at) => lustre({ s3DataRepositories: [repository('/a/../b')] }, at),
    /'\/a\/..\/b'; allowed/,
  ],
  [
    'a prefix with a slash before it',
    (at) => lustre({ s3DataRepositories: [repository('/a', { prefix: '/x' })] }, at),
    /prefix is '\/x'; allowed/,
  ],
  [
    'a chunk of 501 GiB',
    (at) => lustre({ s3DataRepositories: [repository('/a', { importedFileChunk: GiB(501) })] }, at),
    /in MiB is 513024; allowed: .*1 to 512000/,
  ],
  [
    'an event twice',
    (at) => lustre({ s3DataRepositories: [repository('/a', { importEvents: ['NEW', 'NEW'] })] }, at),
    /importEvents is \["NEW","NEW"\]; allowed: each event once/,
  ],
];

const at = place();

test.each(cases)('%s is refused, with the range and the fix', (_, build, message) => {
  const refused = () => build(at);
  expect(refused).toThrow(
    expect.objectContaining({ name: 'InvalidInputError', message: expect.stringMatching(message) }),
  );
});
