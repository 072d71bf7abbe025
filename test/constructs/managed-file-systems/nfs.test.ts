import { Duration, RemovalPolicy, Size } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { Subnet } from 'aws-cdk-lib/aws-ec2';
import type { Construct } from 'constructs';
import {
  EfsThroughput,
  GridNetwork,
  HostRole,
  OntapDeployment,
  OntapTiering,
  OpenZfsDeployment,
} from '../../../constructs';
import { testStack } from '../../helpers/app';
import { efs, mounted, ontap, openZfs, rulesOfHost } from './stack';

const FS = 'AWS::FSx::FileSystem';
const VOLUME = 'AWS::FSx::Volume';
const KEYS = ['SERVER', 'EXPORT', 'MOUNT_POINT', 'NFS_VERSION', 'NCONNECT', 'MOUNT_OPTIONS'];

function otherZone(stack: Construct) {
  return Subnet.fromSubnetAttributes(stack, 'Other', {
    subnetId: 'subnet-0123456789abcdef0',
    availabilityZone: 'us-east-1b',
  });
}

function kept(template: Template, type: string): boolean {
  const resources = Object.values(template.findResources(type));
  return resources.length > 0 && resources.every(({ DeletionPolicy }) => DeletionPolicy === 'Retain');
}

describe('FSx for OpenZFS', () => {
  const made = openZfs();
  const settings = mounted(made, made.fileSystem, HostRole.NFS_CLIENT, KEYS);
  const rules = rulesOfHost(made.stack);
  const template = Template.fromStack(made.stack);

  test('has two servers in one zone, and backups', () => {
    template.hasResourceProperties(FS, {
      FileSystemType: 'OPENZFS',
      StorageType: 'SSD',
      StorageCapacity: 10_240,
      KmsKeyId: Match.anyValue(),
      OpenZFSConfiguration: {
        DeploymentType: 'SINGLE_AZ_HA_2',
        ThroughputCapacity: 2560,
        AutomaticBackupRetentionDays: 30,
        PreferredSubnetId: Match.absent(),
      },
    });
  });

  test('has a volume with large records, exported to the VPC; the root volume is for nobody to write to', () => {
    const exported = (squash: string) => [
      { ClientConfigurations: [{ Clients: '172.16.0.0/20', Options: ['rw', 'crossmnt', 'sync', squash] }] },
    ];
    template.hasResourceProperties(VOLUME, {
      Name: 'sasdata',
      VolumeType: 'OPENZFS',
      OpenZFSConfiguration: { RecordSizeKiB: 1024, NfsExports: exported('no_root_squash') },
    });
    template.hasResourceProperties(FS, {
      OpenZFSConfiguration: {
        RootVolumeConfiguration: {
          NfsExports: [{ ClientConfigurations: [{ Clients: '*', Options: ['ro', 'root_squash'] }] }],
        },
      },
    });
  });

  // CloudFormation replaces a file system whose root volume changes, and the data stays behind.
  test('keeps its root volume whatever changes that can be changed in place', () => {
    const changed = Template.fromStack(
      openZfs(() => ({ clientRanges: ['10.0.0.0/16'], rootSquash: true, dataCompression: true })).stack,
    );
    const roots = [template, changed].map((each) => {
      const [fileSystem] = Object.values(each.findResources(FS));
      return fileSystem!.Properties.OpenZFSConfiguration.RootVolumeConfiguration;
    });
    expect(roots[1]).toEqual(roots[0]);
    changed.hasResourceProperties(VOLUME, {
      OpenZFSConfiguration: {
        NfsExports: [{ ClientConfigurations: [Match.objectLike({ Clients: '10.0.0.0/16' })] }],
      },
    });
  });

  test('stays when the stack goes, volume and all', () => {
    expect([FS, VOLUME].map((type) => kept(template, type))).toEqual([true, true]);
  });

  test('is mounted by NFS 4.2 over sixteen connections', () => {
    expect(settings).toEqual({
      SERVER: '<SasDataFileSystem>.fsx.us-east-1.<AWS::URLSuffix>',
      EXPORT: '/fsx/sasdata',
      MOUNT_POINT: '/sasdata',
      NFS_VERSION: '4.2',
      NCONNECT: '16',
      MOUNT_OPTIONS: '',
    });
    expect(rules).toEqual(['out tcp 2049-2049']);
  });
});

test('FSx for OpenZFS in two zones, with everything named', () => {
  const made = openZfs((stack) => ({
    deployment: OpenZfsDeployment.MULTI_AZ_1,
    standby: { subnet: otherZone(stack), routeTableIds: ['rtb-0123456789abcdef0'] },
    volumeName: 'warehouse',
    recordSize: Size.kibibytes(128),
    dataCompression: true,
    clientRanges: ['10.0.0.0/16', '10.1.0.0/16'],
    rootSquash: true,
    connections: 4,
    backupRetention: Duration.days(0),
    weeklyMaintenanceStart: '6:22:00',
    removalPolicy: RemovalPolicy.DESTROY,
  }));
  const settings = mounted(made, made.fileSystem, HostRole.NFS_CLIENT, KEYS, true);
  expect(settings).toMatchObject({ EXPORT: '/fsx/warehouse', NCONNECT: '4', MOUNT_OPTIONS: 'ro' });
  const template = Template.fromStack(made.stack);
  template.hasResourceProperties(FS, {
    SubnetIds: [Match.anyValue(), 'subnet-0123456789abcdef0'],
    OpenZFSConfiguration: {
      DeploymentType: 'MULTI_AZ_1',
      PreferredSubnetId: Match.anyValue(),
      RouteTableIds: ['rtb-0123456789abcdef0'],
      AutomaticBackupRetentionDays: 0,
      WeeklyMaintenanceStartTime: '6:22:00',
    },
  });
  const options = ['rw', 'crossmnt', 'sync', 'root_squash'];
  template.hasResource(VOLUME, {
    DeletionPolicy: 'Delete',
    Properties: {
      OpenZFSConfiguration: {
        RecordSizeKiB: 128,
        DataCompressionType: 'LZ4',
        NfsExports: [
          {
            ClientConfigurations: [
              { Clients: '10.0.0.0/16', Options: options },
              { Clients: '10.1.0.0/16', Options: options },
            ],
          },
        ],
      },
    },
  });
});

describe('FSx for ONTAP', () => {
  const made = ontap();
  const settings = mounted(made, made.fileSystem, HostRole.NFS_CLIENT, KEYS);
  const rules = rulesOfHost(made.stack);
  const template = Template.fromStack(made.stack);

  test('has one pair of servers of the second generation, and backups', () => {
    template.hasResourceProperties(FS, {
      FileSystemType: 'ONTAP',
      StorageCapacity: 10_240,
      KmsKeyId: Match.anyValue(),
      OntapConfiguration: {
        DeploymentType: 'SINGLE_AZ_2',
        HAPairs: 1,
        ThroughputCapacityPerHAPair: 3072,
        AutomaticBackupRetentionDays: 30,
        FsxAdminPassword: Match.absent(),
      },
    });
  });

  test('has a virtual machine and a volume as large as the file system, on SSD', () => {
    template.hasResourceProperties('AWS::FSx::StorageVirtualMachine', { RootVolumeSecurityStyle: 'UNIX' });
    template.hasResourceProperties(VOLUME, {
      VolumeType: 'ONTAP',
      OntapConfiguration: {
        VolumeStyle: 'FLEXVOL',
        SizeInBytes: String(10 * 1024 ** 4),
        JunctionPath: '/sasdata',
        SecurityStyle: 'UNIX',
        TieringPolicy: { Name: 'NONE' },
        StorageEfficiencyEnabled: 'true',
      },
    });
  });

  test('stays when the stack goes', () => {
    const types = [FS, VOLUME, 'AWS::FSx::StorageVirtualMachine'];
    expect(types.map((type) => kept(template, type))).toEqual([true, true, true]);
  });

  test('is mounted by NFS 4.1 from its virtual machine', () => {
    expect(settings).toEqual({
      SERVER:
        '<SasDataStorageVirtualMachine.StorageVirtualMachineId>.<SasDataFileSystem>.fsx.us-east-1.<AWS::URLSuffix>',
      EXPORT: '/sasdata',
      MOUNT_POINT: '/sasdata',
      NFS_VERSION: '4.1',
      NCONNECT: '16',
      MOUNT_OPTIONS: '',
    });
    expect(rules).toEqual(['out tcp 2049-2049']);
  });
});

test('FSx for ONTAP over four pairs, with everything named', () => {
  const template = Template.fromStack(
    ontap({
      backupId: 'backup-0123456789abcdef0',
      haPairs: 4,
      throughputMBpsPerPair: 6144,
      volumeName: 'warehouse',
      volumeSize: Size.tebibytes(8),
      tiering: OntapTiering.AUTO,
      coolingDays: 14,
      storageEfficiency: false,
    }).stack,
  );
  template.hasResourceProperties(FS, {
    OntapConfiguration: { HAPairs: 4, ThroughputCapacityPerHAPair: 6144 },
  });
  template.hasResourceProperties(VOLUME, {
    BackupId: 'backup-0123456789abcdef0',
    Name: 'warehouse',
    OntapConfiguration: {
      VolumeStyle: 'FLEXGROUP',
      SizeInBytes: String(8 * 1024 ** 4),
      JunctionPath: '/warehouse',
      TieringPolicy: { Name: 'AUTO', CoolingPeriod: 14 },
      StorageEfficiencyEnabled: 'false',
    },
  });
});

test('FSx for ONTAP in two zones', () => {
  const made = ontap((stack) => ({
    deployment: OntapDeployment.MULTI_AZ_2,
    throughputMBpsPerPair: 384,
    standby: { subnet: otherZone(stack), routeTableIds: ['rtb-0123456789abcdef0'] },
  }));
  Template.fromStack(made.stack).hasResourceProperties(FS, {
    SubnetIds: [Match.anyValue(), 'subnet-0123456789abcdef0'],
    OntapConfiguration: {
      DeploymentType: 'MULTI_AZ_2',
      PreferredSubnetId: Match.anyValue(),
      RouteTableIds: ['rtb-0123456789abcdef0'],
    },
  });
});

describe('EFS', () => {
  const made = efs();
  const settings = mounted(made, made.fileSystem, HostRole.NFS_CLIENT, KEYS);
  const rules = rulesOfHost(made.stack);
  const template = Template.fromStack(made.stack);
  const EFS = 'AWS::EFS::FileSystem';

  test('is elastic, encrypted, backed up, and stays when the stack goes', () => {
    template.hasResource(EFS, {
      DeletionPolicy: 'Retain',
      Properties: {
        Encrypted: true,
        KmsKeyId: Match.anyValue(),
        ThroughputMode: 'elastic',
        BackupPolicy: { Status: 'ENABLED' },
        AvailabilityZoneName: Match.absent(),
      },
    });
    template.resourceCountIs('AWS::EFS::MountTarget', 1);
  });

  test('lets in who comes through a mount target, and nobody else', () => {
    template.hasResourceProperties(EFS, {
      FileSystemPolicy: {
        Statement: [
          Match.objectLike({
            Effect: 'Allow',
            Condition: { Bool: { 'elasticfilesystem:AccessedViaMountTarget': 'true' } },
          }),
        ],
      },
    });
  });

  test('is mounted by NFS 4.1 over one connection, which is all that it has', () => {
    expect(settings).toEqual({
      SERVER: '<SasConfigFileSystem>.efs.us-east-1.<AWS::URLSuffix>',
      EXPORT: '/',
      MOUNT_POINT: '/sasdata',
      NFS_VERSION: '4.1',
      NCONNECT: '1',
      MOUNT_OPTIONS: 'noresvport',
    });
    expect(rules).toEqual(['out tcp 2049-2049']);
  });

  test.each([
    [EfsThroughput.provisioned(1024), { ThroughputMode: 'provisioned', ProvisionedThroughputInMibps: 1024 }],
    [EfsThroughput.bursting(), { ThroughputMode: 'bursting' }],
  ])('has other throughput when asked (%#)', (throughput, expected) => {
    Template.fromStack(efs({ throughput, backups: false }).stack).hasResourceProperties(EFS, {
      ...expected,
      BackupPolicy: Match.absent(),
    });
  });

  test('can be in one zone, or mounted from several', () => {
    Template.fromStack(efs({ oneZone: true }).stack).hasResourceProperties(EFS, {
      AvailabilityZoneName: 'us-east-1a',
    });
    const several = efs((stack) => ({ otherSubnets: [otherZone(stack)] }));
    Template.fromStack(several.stack).resourceCountIs('AWS::EFS::MountTarget', 2);
  });

  // Another zone is another, empty file system.
  test('in one zone stays in that of its subnet, also when the zone has no name', () => {
    const stack = testStack();
    const network = new GridNetwork(stack, 'Network');
    efs({ oneZone: true }, { stack, network });
    const [fileSystem] = Object.values(Template.fromStack(stack).findResources(EFS));
    expect(fileSystem!.Properties.AvailabilityZoneName).toEqual({
      'Fn::GetAtt': [stack.resolve(network.privateSubnets[0]!.subnetId).Ref, 'AvailabilityZone'],
    });
  });
});
