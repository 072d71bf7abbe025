import {
  type CfnResource,
  aws_dlm as dlm,
  aws_ec2 as ec2,
  aws_fsx as fsx,
  RemovalPolicy,
  type Stack,
} from 'aws-cdk-lib';
import type { GridNetwork, ISharedFileSystem } from '../../constructs';
import { FSX_BACKUP_DAYS, FSX_LUSTRE } from '../../constructs/sizing';
import type { DeploymentConfig } from '../config-types';
import { addFsxLustre } from '../fsx-lustre-stack';
import { isCluster } from '../io2-from-config';
import { addIo2 } from '../io2-stack';
import { addLustre } from '../lustre-stack';
import { addNfs } from '../nfs-stack';
import type { Surroundings } from '../storage-stack';
import { webAccess } from './network-parameters';
import type { ProductParameter, ProductRule } from './parameter';
import {
  type SizedTier,
  serverImage,
  sizedCluster,
  sizedTier,
  tierParameters,
  tierRules,
} from './tier-parameters';

/** What a product lets be chosen of its file system. */
export interface Choices {
  readonly parameters: ProductParameter[];
  readonly rules: ProductRule[];
}

/** A kind of shared file system as part of a product. */
export interface FileSystemKind {
  /** Puts it, with its outputs, into the product. */
  readonly add: (product: Stack, config: DeploymentConfig, surroundings: Surroundings) => ISharedFileSystem;
  /** What has to be known before it is made. */
  readonly before: (config: DeploymentConfig) => ProductParameter[];
  /** What is chosen of what was made: its limits follow from it. */
  readonly after: (product: Stack, config: DeploymentConfig) => Choices;
}

/** The kinds by the key that names them in a deployment's configuration. */
export const FILE_SYSTEM_KINDS: Readonly<Partial<Record<keyof DeploymentConfig, FileSystemKind>>> = {
  storage: {
    add: (product, { storage }, surroundings) => addLustre(product, storage!, surroundings),
    before: ({ storage }) => [
      ...serverImage('An image like RHEL 8 or 9 with the Lustre servers installed; AWS has none.'),
      ...(storage?.monitoring?.enabled === false ? [] : [webAccess()]),
    ],
    after: (product) => tierChoices(product, 'oss', 'object storage servers'),
  },
  nfs: {
    add: (product, { nfs }, surroundings) => addNfs(product, nfs!, surroundings),
    before: (config) => [
      ...serverImage('RHEL 8 or 9 and relatives, Amazon Linux 2023, Debian 12, Ubuntu 22.04 or newer.'),
      ...(config.existingNetwork ? [hostName(config)] : []),
    ],
    after: (product, config) => {
      const tier = tierChoices(product, 'nfs', 'NFS server');
      return { ...tier, parameters: [...tier.parameters, ...snapshotDays(config)] };
    },
  },
  io2: {
    add: (product, { io2 }, surroundings) => addIo2(product, io2!, surroundings),
    before: ({ io2 }) =>
      serverImage(
        isCluster(io2!)
          ? 'RHEL 8 or 9 with the repositories for high availability and resilient storage, Debian 12, or Ubuntu 22.04 or newer; not Amazon Linux.'
          : 'Your image with SAS installed, or one like RHEL 8 or 9 to install it on.',
      ),
    after: (product, { io2 }) =>
      isCluster(io2!) ? choicesOf(sizedCluster(product, 'nodes')) : tierChoices(product, 'io2', 'server'),
  },
  fsxLustre: {
    add: (product, { fsxLustre }, surroundings) => {
      const fileSystem = addFsxLustre(product, fsxLustre!, surroundings);
      // It would tell the throughput of the default capacity, whatever is chosen.
      product.node.tryRemoveChild('ThroughputMBps');
      keepNetwork(product, surroundings.network);
      return fileSystem;
    },
    before: () => [],
    after: (_, config) => ({ parameters: fsxParameters(config), rules: [] }),
  },
};

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
      (node instanceof ec2.CfnSubnet && same(product.resolve(node.ref), subnet)) ||
      (node instanceof ec2.CfnSecurityGroup && same(product.resolve(node.attrGroupId), storageGroup));
    if (kept) (node as CfnResource).applyRemovalPolicy(RemovalPolicy.RETAIN);
  }
}

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

function tierChoices(product: Stack, name: string, servers: string): Choices {
  return choicesOf(sizedTier(product, name, servers));
}

function choicesOf(tier: SizedTier | undefined): Choices {
  return tier ? { parameters: tierParameters(tier), rules: tierRules(tier) } : { parameters: [], rules: [] };
}

/** In a network that exists there may be another one. */
function hostName({ nfs }: DeploymentConfig): ProductParameter {
  return {
    name: 'HostName',
    group: 'Network',
    label: 'Name of the server',
    change: 'refused',
    definition: {
      type: 'String',
      default: nfs?.hostName ?? 'storage1',
      allowedPattern: '[a-z]([a-z0-9-]{0,61}[a-z0-9])?',
      constraintDescription:
        'a lower-case letter, then lower-case letters, digits and dashes, 63 characters at most',
      description: `Its name in DNS, in the domain ${nfs?.domainName ?? nfs?.hostedZone?.name ?? 'sas-grid.internal'}. Another one for each server in a VPC.`,
    },
    configure: (config, { valueAsString }) => ({
      ...config,
      nfs: { ...config.nfs, hostName: valueAsString },
    }),
  };
}

// What Data Lifecycle Manager keeps: a hundred years.
const SNAPSHOT_DAYS = { min: 1, max: 36_500 };

function snapshotDays({ nfs }: DeploymentConfig): ProductParameter[] {
  const backup = nfs?.ebs?.backup;
  if (!backup) return [];
  return [
    {
      name: 'SnapshotRetentionDays',
      group: 'Operation',
      label: 'Days to keep snapshots for',
      change: 'in-place',
      definition: {
        type: 'Number',
        default: backup.retentionDays ?? 14,
        minValue: SNAPSHOT_DAYS.min,
        maxValue: SNAPSHOT_DAYS.max,
        description:
          'Snapshots of the volumes are made on a schedule, and deleted when they are older than this.',
      },
      apply: (product, { valueAsNumber }) => {
        for (const policy of product.node.findAll()) {
          if (!(policy instanceof dlm.CfnLifecyclePolicy)) continue;
          const path = 'PolicyDetails.Schedules.0.RetainRule.Interval';
          policy.addPropertyOverride(path, product.resolve(valueAsNumber));
        }
      },
    },
  ];
}

// Steps that a product offers beyond the configured capacity; larger ones are a matter of the configuration.
const CAPACITY_STEPS = 16;

function fsxParameters({ fsxLustre }: DeploymentConfig): ProductParameter[] {
  const override = (path: string): ProductParameter['apply'] => {
    return (product, { valueAsNumber }) => {
      for (const each of product.node.findAll()) {
        if (each instanceof fsx.CfnFileSystem) each.addPropertyOverride(path, product.resolve(valueAsNumber));
      }
    };
  };
  const ssd = fsxLustre?.ssd;
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
              constraintDescription: `${FSX_LUSTRE.smallestCapacityGiB} or a multiple of ${FSX_LUSTRE.capacityStepGiB} GiB`,
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
