import {
  CfnOutput,
  type CfnResource,
  Duration,
  aws_ec2 as ec2,
  aws_fsx as fsx,
  aws_kms as kms,
  RemovalPolicy,
  Size,
  type Stack,
} from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { FsxLustre, type FsxLustreProps, FsxLustreStorage, type GridNetwork } from '../../constructs';
import { FSX_BACKUP_DAYS, FSX_LUSTRE } from '../../constructs/sizing';
import type { DeploymentConfig, FsxLustreConfig } from '../config-types';
import { lustreSoftware } from '../from-config';
import type { ProductParameter } from '../service-catalog/parameter';
import type { FileSystemKind } from './kind';
import type { MadeFileSystem, Surroundings } from './made';

/** Amazon FSx for Lustre: there are no servers to replace. */
export const FSX_LUSTRE_KIND: FileSystemKind = {
  add: (stack, { fsxLustre }, surroundings) => addFsxLustre(stack, fsxLustre!, surroundings),
  product: {
    before: () => [],
    after: fsxParameters,
    finish: (product, { network }) => {
      // It would tell the throughput of the default capacity, whatever is chosen.
      product.node.tryRemoveChild('ThroughputMBps');
      keepNetwork(product, network);
    },
  },
};

function addFsxLustre(stack: Stack, config: FsxLustreConfig, { network }: Surroundings): MadeFileSystem {
  const fsx = new FsxLustre(stack, 'FsxLustre', { network, ...fsxLustreProps(stack, config) });
  new CfnOutput(stack, 'FileSystemId', { value: fsx.fileSystemId });
  new CfnOutput(stack, 'MountSource', { value: fsx.mountSource });
  if (fsx.storage.throughputMBps !== undefined) {
    new CfnOutput(stack, 'ThroughputMBps', {
      value: String(fsx.storage.throughputMBps),
      description: 'What FSx promises for the whole file system, in MB/s',
    });
  }
  const managed = { ids: [fsx.fileSystemId], encryptionKey: fsx.encryptionKey };
  return { fileSystem: fsx, exports: [], backup: { kind: 'fsx-lustre', tiers: [], holder: '', managed } };
}

function fsxLustreProps(scope: Construct, config: FsxLustreConfig): Omit<FsxLustreProps, 'network'> {
  return {
    storage: storageOf(config),
    client: { software: lustreSoftware(config.software) },
    backupRetention:
      config.backupRetentionDays === undefined ? undefined : Duration.days(config.backupRetentionDays),
    copyTagsToBackups: config.copyTagsToBackups,
    weeklyMaintenanceStart: config.weeklyMaintenanceStart,
    backupId: config.restoreFrom,
    encryptionKey: config.encryptionKeyArn
      ? kms.Key.fromKeyArn(scope, 'StorageKey', config.encryptionKeyArn)
      : undefined,
  };
}

function storageOf({ ssd, intelligentTiering }: FsxLustreConfig): FsxLustreStorage {
  if (intelligentTiering) return FsxLustreStorage.intelligentTiering(intelligentTiering);
  const { capacityGiB, ...rest } = ssd!;
  return FsxLustreStorage.ssd({ capacity: Size.gibibytes(capacityGiB), ...rest });
}

/**
 * The file system outlives the product, and with it its network interfaces: what they stand in could not be deleted,
 * and the termination would fail at it. Lustre and NFS servers leave nothing in the network.
 */
function keepNetwork(product: Stack, network: GridNetwork): void {
  const storageGroup = product.resolve(network.storageSecurityGroup.securityGroupId);
  const subnet = product.resolve(network.privateSubnets[0]!.subnetId);
  for (const node of product.node.findAll()) {
    const kept =
      node instanceof ec2.CfnVPC ||
      (node instanceof ec2.CfnSubnet && sameJson(product.resolve(node.ref), subnet)) ||
      (node instanceof ec2.CfnSecurityGroup && sameJson(product.resolve(node.attrGroupId), storageGroup));
    if (kept) (node as CfnResource).applyRemovalPolicy(RemovalPolicy.RETAIN);
  }
}

const sameJson = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

// Steps that a product offers beyond the configured capacity; larger ones are a matter of the configuration.
const CAPACITY_STEPS = 16;

/** Gives the value of a parameter to a property of the file system. */
const override =
  (path: string): ProductParameter['apply'] =>
  (product, { valueAsNumber }) => {
    for (const each of product.node.findAll()) {
      if (each instanceof fsx.CfnFileSystem) each.addPropertyOverride(path, product.resolve(valueAsNumber));
    }
  };

function fsxParameters({ fsxLustre }: DeploymentConfig): ProductParameter[] {
  const ssd = fsxLustre?.ssd;
  const { smallestCapacityGiB, capacityStepGiB } = FSX_LUSTRE;
  return [
    ...(ssd
      ? [
          {
            name: 'CapacityGiB',
            group: 'Storage' as const,
            label: 'Capacity in GiB',
            change: 'grows' as const,
            definition: {
              type: 'Number',
              default: String(ssd.capacityGiB),
              allowedValues: capacities(ssd.capacityGiB).map(String),
              constraintDescription: `${smallestCapacityGiB} or a multiple of ${capacityStepGiB} GiB`,
              description: 'Throughput grows with it. FSx takes another change only some hours after one.',
            },
            apply: override('StorageCapacity'),
          },
          {
            // CloudFormation replaces the file system with a new, empty one when it changes ("Update requires:
            // Replacement"), although FSx itself changes it in place.
            name: 'ThroughputPerTiB',
            group: 'Storage' as const,
            label: 'MB/s for each TiB',
            change: 'refused' as const,
            definition: {
              type: 'Number',
              default: String(ssd.throughputPerTiB),
              allowedValues: FSX_LUSTRE.throughputTiers.map(String),
              description: 'Throughput of the whole file system: this, for each 1000 GiB of its capacity.',
            },
            apply: override('LustreConfiguration.PerUnitStorageThroughput'),
          },
        ]
      : []),
    {
      name: 'BackupRetentionDays',
      group: 'Operation',
      label: 'Days to keep backups for',
      change: 'in-place',
      definition: {
        type: 'Number',
        default: fsxLustre?.backupRetentionDays ?? 30,
        // With 0 FSx would delete the backups that there are.
        minValue: FSX_BACKUP_DAYS.min + 1,
        maxValue: FSX_BACKUP_DAYS.max,
        description: 'FSx makes a backup each day and deletes it when it is older than this.',
      },
      apply: override('LustreConfiguration.AutomaticBackupRetentionDays'),
    },
  ];
}

function capacities(configured: number): number[] {
  const { smallestCapacityGiB, capacityStepGiB } = FSX_LUSTRE;
  const least = Math.ceil(configured / capacityStepGiB) + CAPACITY_STEPS;
  const multiples = Array.from({ length: least }, (_, index) => (index + 1) * capacityStepGiB);
  return [smallestCapacityGiB, ...multiples];
}
