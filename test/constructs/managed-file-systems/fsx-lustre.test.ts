import { Duration, RemovalPolicy, Size } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { SecurityGroup } from 'aws-cdk-lib/aws-ec2';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import {
  DataRepositoryEvent,
  FsxLustre,
  FsxLustreStorage,
  FsxReadCache,
  GridNetwork,
  HostRole,
  LustreSoftware,
  SasGridCluster,
} from '../../../constructs';
import { testApp, testStack } from '../../helpers/app';
import { IMAGE } from '../intel-lustre/stack';
import { settingsOf, userDataTexts } from '../shared-file-system/user-data';
import { lustre, mounted, rulesOfHost, SSD, text } from './stack';

const FS = 'AWS::FSx::FileSystem';

test('FSx for Lustre is made of a backup, with all else as it says', () => {
  const template = Template.fromStack(lustre({ backupId: 'backup-0123456789abcdef0' }).stack);
  template.hasResourceProperties(FS, {
    BackupId: 'backup-0123456789abcdef0',
    StorageCapacity: 4800,
    LustreConfiguration: { PerUnitStorageThroughput: 250 },
  });
});

describe('FSx for Lustre on SSD', () => {
  const made = lustre();
  const { stack, fileSystem } = made;
  const settings = mounted(made, fileSystem, HostRole.LUSTRE_CLIENT, [
    'FSNAME',
    'MGS_NID',
    'MOUNT_POINT',
    'MOUNT_OPTIONS',
    'TUNABLES',
    'LARGE_CLIENT',
    'LUSTRE_SOFTWARE',
  ]);
  const rules = rulesOfHost(stack);
  const template = Template.fromStack(stack);
  const [resource] = Object.values(template.findResources(FS));

  test('is persistent, of the capacity and the tier, with metadata that follows the capacity', () => {
    template.hasResourceProperties(FS, {
      FileSystemType: 'LUSTRE',
      FileSystemTypeVersion: '2.15',
      StorageType: 'SSD',
      StorageCapacity: 4800,
      LustreConfiguration: {
        DeploymentType: 'PERSISTENT_2',
        PerUnitStorageThroughput: 250,
        MetadataConfiguration: { Mode: 'AUTOMATIC' },
        AutomaticBackupRetentionDays: 30,
        CopyTagsToBackups: true,
        DataCompressionType: 'NONE',
      },
    });
    expect(fileSystem.storage.throughputMBps).toBe(1200);
  });

  test('is encrypted with a key of its own that rotates; both stay when the stack goes', () => {
    const [key] = Object.keys(template.findResources('AWS::KMS::Key', { DeletionPolicy: 'Retain' }));
    template.hasResourceProperties('AWS::KMS::Key', { EnableKeyRotation: true });
    expect(resource!.Properties.KmsKeyId).toEqual({
      'Fn::GetAtt': [expect.stringContaining('SasDataKey'), 'Arn'],
    });
    expect(key).toBeDefined();
    expect([resource!.DeletionPolicy, resource!.UpdateReplacePolicy]).toEqual(['Retain', 'Retain']);
  });

  test("waits for the rule that FSx asks for, and for the storage servers' addresses", () => {
    const rule = Object.entries(template.findResources('AWS::EC2::SecurityGroupIngress')).find(
      ([, { Properties }]) =>
        JSON.stringify(Properties.GroupId) === JSON.stringify(Properties.SourceSecurityGroupId) &&
        JSON.stringify(Properties.GroupId).includes('StorageSecurityGroup'),
    );
    const reserved = Object.keys(template.findResources('Custom::SasGridAddressReservation'));
    expect(resource!.DependsOn).toEqual(expect.arrayContaining([rule![0], ...reserved]));
  });

  test('is mounted by its DNS name and mount name, with flock and what AWS publishes for clients', () => {
    const name = '<SasDataFileSystem>.fsx.us-east-1.<AWS::URLSuffix>';
    expect(settings).toEqual({
      FSNAME: '<SasDataFileSystem.LustreMountName>',
      MGS_NID: `${name}@tcp`,
      MOUNT_POINT: '/sasdata',
      MOUNT_OPTIONS: 'flock',
      TUNABLES: 'osc.*OST*.max_rpcs_in_flight=32 mdc.*.max_rpcs_in_flight=64 mdc.*.max_mod_rpcs_in_flight=50',
      LARGE_CLIENT: 'true',
      LUSTRE_SOFTWARE: 'preinstalled',
    });
    expect(text(stack, fileSystem.mountSource)).toBe(`${name}@tcp:/<SasDataFileSystem.LustreMountName>`);
  });

  test("opens Lustre's ports to the host and from it, and no others", () => {
    expect(rules).toEqual(['in tcp 1018-1023', 'in tcp 988-988', 'out tcp 1018-1023', 'out tcp 988-988']);
  });
});

describe('FSx for Lustre with everything named', () => {
  const made = lustre((stack, network) => ({
    storage: FsxLustreStorage.ssd({
      capacity: Size.gibibytes(1200),
      throughputPerTiB: 1000,
      metadataIops: 24_000,
    }),
    securityGroup: new SecurityGroup(stack, 'Own', { vpc: network.vpc, allowAllOutbound: false }),
    removalPolicy: RemovalPolicy.DESTROY,
    backupRetention: Duration.days(90),
    dailyBackupStart: '03:30',
    weeklyMaintenanceStart: '7:05:00',
    dataCompression: true,
    client: {
      software: LustreSoftware.repository({
        url: 'https://packages.example.com',
        version: '2.15.6',
        keyUrl: 'https://keys.example.com/key.asc',
        debianSuite: 'jammy main',
      }),
      tuning: [{ name: 'osc.*.max_dirty_mb', value: '256' }],
      largeClientTuning: false,
    },
  }));
  const settings = mounted(
    made,
    made.fileSystem,
    HostRole.LUSTRE_CLIENT,
    [
      'MOUNT_OPTIONS',
      'TUNABLES',
      'LARGE_CLIENT',
      'LUSTRE_SOFTWARE',
      'LUSTRE_VERSION',
      'LUSTRE_KEY',
      'LUSTRE_SUITE',
    ],
    true,
  );
  const template = Template.fromStack(made.stack);

  test('says so to FSx', () => {
    template.hasResource(FS, {
      DeletionPolicy: 'Delete',
      Properties: {
        StorageCapacity: 1200,
        SecurityGroupIds: [{ 'Fn::GetAtt': [Match.stringLikeRegexp('^Own'), 'GroupId'] }],
        LustreConfiguration: {
          PerUnitStorageThroughput: 1000,
          MetadataConfiguration: { Mode: 'USER_PROVISIONED', Iops: 24_000 },
          AutomaticBackupRetentionDays: 90,
          DailyAutomaticBackupStartTime: '03:30',
          WeeklyMaintenanceStartTime: '7:05:00',
          DataCompressionType: 'LZ4',
        },
      },
    });
  });

  test('says so to hosts, which only read', () => {
    expect(settings).toEqual({
      MOUNT_OPTIONS: 'flock,ro',
      TUNABLES: 'osc.*.max_dirty_mb=256',
      LARGE_CLIENT: 'false',
      LUSTRE_SOFTWARE: 'repository',
      LUSTRE_VERSION: '2.15.6',
      LUSTRE_KEY: 'https://keys.example.com/key.asc',
      LUSTRE_SUITE: 'jammy main',
    });
  });

  test('lets the members of its own group reach each other, before it is made', () => {
    const own = Object.entries(template.findResources('AWS::EC2::SecurityGroupIngress')).filter(
      ([id, { Properties }]) =>
        id.startsWith('Own') &&
        JSON.stringify(Properties.GroupId) === JSON.stringify(Properties.SourceSecurityGroupId),
    );
    expect(own.map(([, { Properties }]) => Properties.FromPort).sort()).toEqual([1018, 988]);
    const [resource] = Object.values(template.findResources(FS));
    expect(resource!.DependsOn).toEqual(expect.arrayContaining(own.map(([id]) => id)));
  });
});

test('Intelligent-Tiering has throughput without capacity, metadata IOPS and a read cache', () => {
  const storage = FsxLustreStorage.intelligentTiering({ throughputMBps: 8000 });
  const template = Template.fromStack(lustre({ storage }).stack);
  template.hasResourceProperties(FS, {
    StorageType: 'INTELLIGENT_TIERING',
    StorageCapacity: Match.absent(),
    LustreConfiguration: {
      DeploymentType: 'PERSISTENT_2',
      ThroughputCapacity: 8000,
      PerUnitStorageThroughput: Match.absent(),
      MetadataConfiguration: { Mode: 'USER_PROVISIONED', Iops: 6000 },
      DataReadCacheConfiguration: { SizingMode: 'PROPORTIONAL_TO_THROUGHPUT_CAPACITY' },
      AutomaticBackupRetentionDays: 30,
    },
  });
  expect(storage.throughputMBps).toBe(8000);
});

test.each([
  [FsxReadCache.none(), { SizingMode: 'NO_CACHE' }],
  [FsxReadCache.ofSize(Size.tebibytes(4)), { SizingMode: 'USER_PROVISIONED', SizeGiB: 4096 }],
])('its read cache can be another one (%#)', (readCache, DataReadCacheConfiguration) => {
  const storage = FsxLustreStorage.intelligentTiering({
    throughputMBps: 4000,
    metadataIops: 12_000,
    readCache,
  });
  Template.fromStack(lustre({ storage }).stack).hasResourceProperties(FS, {
    LustreConfiguration: { DataReadCacheConfiguration, MetadataConfiguration: { Iops: 12_000 } },
  });
});

// CloudFormation replaces the file system when CopyTagsToBackups changes, also from false to nothing.
test.each([
  [{ backupRetention: Duration.days(7) }, true],
  [{ backupRetention: Duration.days(0), copyTagsToBackups: true }, true],
  [{ backupRetention: Duration.days(0), copyTagsToBackups: false }, Match.absent()],
  [{ backupRetention: Duration.days(7), copyTagsToBackups: false }, Match.absent()],
])('what is deployed stays when the retention of backups changes (%#)', (props, CopyTagsToBackups) => {
  Template.fromStack(lustre(props).stack).hasResourceProperties(FS, {
    LustreConfiguration: {
      AutomaticBackupRetentionDays: props.backupRetention.toDays(),
      CopyTagsToBackups,
    },
  });
});

describe('directories that are linked to buckets', () => {
  const { stack, fileSystem } = lustre((scope) => {
    const bucket = Bucket.fromBucketName(scope, 'Bucket', 'sas-archive');
    return {
      backupRetention: Duration.days(0),
      copyTagsToBackups: false,
      s3DataRepositories: [
        { bucket, directory: '/archive' },
        {
          bucket,
          prefix: 'results/2026',
          directory: '/results/',
          importEvents: [],
          exportEvents: [DataRepositoryEvent.NEW, DataRepositoryEvent.DELETED],
          importedFileChunk: Size.mebibytes(256),
          importExisting: false,
        },
      ],
    };
  });
  new Bucket(stack, 'Waiting').node.addDependency(fileSystem.served);
  const template = Template.fromStack(stack);
  const DRA = 'AWS::FSx::DataRepositoryAssociation';

  test('are read from the bucket, and what is deleted there stays, unless it is said otherwise', () => {
    template.hasResource(DRA, {
      DeletionPolicy: 'Retain',
      Properties: {
        DataRepositoryPath: 's3://sas-archive/',
        FileSystemPath: '/archive',
        BatchImportMetaDataOnCreate: true,
        S3: { AutoImportPolicy: { Events: ['NEW', 'CHANGED'] }, AutoExportPolicy: Match.absent() },
      },
    });
    template.hasResourceProperties(DRA, {
      DataRepositoryPath: 's3://sas-archive/results/2026',
      ImportedFileChunkSize: 256,
      BatchImportMetaDataOnCreate: false,
      S3: { AutoExportPolicy: { Events: ['NEW', 'DELETED'] }, AutoImportPolicy: Match.absent() },
    });
  });

  // Both are kept: under the other's name each would be made anew on a directory that is linked already.
  test('keep their resource when the one before them is taken out of the list', () => {
    const fewer = lustre((scope) => ({
      backupRetention: Duration.days(0),
      copyTagsToBackups: false,
      s3DataRepositories: [
        { bucket: Bucket.fromBucketName(scope, 'Bucket', 'sas-archive'), directory: '/results' },
      ],
    }));
    const [left] = Object.keys(Template.fromStack(fewer.stack).findResources(DRA));
    const linked = Object.entries(template.findResources(DRA));
    const [results] = linked.find(([, { Properties }]) => Properties.FileSystemPath === '/results/')!;
    expect(left).toBe(results);
  });

  test('are without backups, since FSx makes none then', () => {
    template.hasResourceProperties(FS, {
      LustreConfiguration: { AutomaticBackupRetentionDays: 0, CopyTagsToBackups: Match.absent() },
    });
  });

  test('are there before what needs the file system', () => {
    const links = Object.keys(template.findResources(DRA));
    const [waiting] = Object.values(template.findResources('AWS::S3::Bucket'));
    expect(waiting!.DependsOn).toEqual(expect.arrayContaining(links));
  });
});

test('a grid in a stack of its own mounts it; references go one way', () => {
  const app = testApp();
  const network = new GridNetwork(testStack(app, 'Network'), 'Network', { availabilityZone: 'us-east-1a' });
  const sharedFileSystem = new FsxLustre(testStack(app, 'Storage'), 'SasData', { network, storage: SSD });
  const gridStack = testStack(app, 'Grid');
  new SasGridCluster(gridStack, 'Grid', { network, sharedFileSystem, machineImage: IMAGE, nodeCount: 1 });
  const settings = settingsOf(userDataTexts(Template.fromStack(gridStack)), HostRole.LUSTRE_CLIENT);
  expect(settings.MOUNT_POINT).toBe('/sasdata');
  expect(settings.FSNAME).toContain('LustreMountName');
  expect(gridStack.dependencies.map(({ stackName }) => stackName).sort()).toEqual(['Network', 'Storage']);
});
