import {
  CfnOutput,
  Duration,
  aws_dlm as dlm,
  aws_ec2 as ec2,
  aws_kms as kms,
  Size,
  type Stack,
} from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import {
  BenchmarkHosts,
  DataLossOnFailure,
  type IHostImage,
  NfsPreset,
  type NfsPresetName,
  NfsStorage,
  NfsStorageServer,
  type NfsStorageServerProps,
} from '../../constructs';
import type { DeploymentConfig, NfsConfig, NfsEbsConfig, NfsInstanceStoreConfig } from '../config-types';
import {
  capacityReservation,
  hostedZone,
  image,
  instanceTypes,
  rootDevice,
  slotVolume,
  standby,
} from '../from-config';
import type { ProductParameter } from '../service-catalog/parameter';
import { serverImage } from '../service-catalog/tier-parameters';
import type { FileSystemKind } from './kind';
import { type MadeFileSystem, noBackup, type Surroundings } from './made';
import { addTierOutputs, exportsOfMap } from './tiers';

/** One NFS server; on volumes it is replaced with them and its address. */
export const NFS_KIND: FileSystemKind = {
  add: (stack, { nfs }, surroundings, built) => addNfs(stack, nfs!, surroundings, built),
  product: {
    before: (config) => [
      ...serverImage(
        'nfs',
        'RHEL 8 or 9 and relatives, Amazon Linux 2023, Debian 12, Ubuntu 22.04 or newer.',
        config.nfs?.image?.amiId,
      ),
      ...(config.existingNetwork ? [hostName(config)] : []),
    ],
    after: snapshotDays,
  },
};

function addNfs(
  stack: Stack,
  config: NfsConfig,
  surroundings: Surroundings,
  built?: IHostImage,
): MadeFileSystem {
  const nfs = new NfsStorageServer(stack, 'Nfs', { ...surroundings, ...nfsProps(stack, config, built) });
  const { volumeMap, reattachment: tier, role, autoScalingGroupName, archiveBucket } = nfs;
  new CfnOutput(stack, 'MountSource', { value: nfs.mountSource });
  new CfnOutput(stack, 'MountCommand', { value: nfs.mountCommand('/mnt') });
  new CfnOutput(stack, 'ServerName', { value: nfs.fullName });
  if (archiveBucket) new CfnOutput(stack, 'ArchiveBucket', { value: archiveBucket.bucketName });
  if (volumeMap && tier) {
    addTierOutputs(
      stack,
      volumeMap,
      { nfs: tier },
      {
        map: 'Which server serves which volumes at which address',
        tiers: 'The tier, its group and its workflow',
      },
    );
  }
  return {
    fileSystem: nfs,
    exports: [...exportsOfMap(volumeMap), role.roleName, ...(tier ? [] : [autoScalingGroupName])],
    servers: () => BenchmarkHosts.nfs(nfs),
    sleep: tier
      ? { tiers: [tier] }
      : {
          refusal:
            'The data of this NFS server lies on its instance store, and is lost when the server stops. Copy it, and ' +
            'delete the deployment instead.',
        },
    backup: tier
      ? { kind: 'nfs', tiers: [tier], holder: tier.tier }
      : noBackup(
          'The data of this NFS server lies on its instance store, of which there are no snapshots. Copy it.',
        ),
    sizable: tier && { tier, servers: 'NFS server' },
  };
}

export function nfsProps(
  scope: Construct,
  config: NfsConfig,
  built?: IHostImage,
): Omit<NfsStorageServerProps, keyof Surroundings> {
  const {
    ebs,
    instanceStore,
    image: from,
    archive,
    encryptionKeyArn,
    hostedZone: zone,
    capacityReservation: reserved,
    ...same
  } = config;
  return {
    ...same,
    capacityReservation: capacityReservation(reserved),
    machineImage: image(from, built),
    rootDeviceName: rootDevice(from),
    storage: instanceStore ? instanceStoreStorage(instanceStore) : ebsStorage(ebs!),
    hostedZone: hostedZone(scope, 'NameZone', zone),
    archive: archive && { every: hours(archive.everyHours) },
    encryptionKey: encryptionKeyArn ? kms.Key.fromKeyArn(scope, 'StorageKey', encryptionKeyArn) : undefined,
  };
}

function ebsStorage(config: NfsEbsConfig): NfsStorage {
  const {
    preset,
    papers,
    volume,
    instanceType,
    fallbackInstanceTypes,
    hotSpares,
    backup,
    recoveryTimeoutMinutes,
    ...same
  } = config;
  const named = preset as NfsPresetName | undefined;
  return NfsStorage.ebs({
    ...same,
    preset: papers ? NfsPreset.papers2016(named) : NfsPreset.current(named),
    volume: volume && slotVolume(volume),
    instanceType: instanceType ? new ec2.InstanceType(instanceType) : undefined,
    fallbackInstanceTypes: instanceTypes(fallbackInstanceTypes),
    standby: standby(hotSpares),
    backup: backup && {
      every: hours(backup.everyHours),
      startTime: backup.startTime,
      retention: backup.retentionDays ? Duration.days(backup.retentionDays) : undefined,
    },
    recoveryTimeout: recoveryTimeoutMinutes ? Duration.minutes(recoveryTimeoutMinutes) : undefined,
  });
}

function instanceStoreStorage(config: NfsInstanceStoreConfig): NfsStorage {
  const { dataLossAcceptableBecause, instanceType, capacityGiB, ...same } = config;
  return NfsStorage.instanceStore({
    ...same,
    dataLossOnFailure: DataLossOnFailure.acceptable(dataLossAcceptableBecause),
    instanceType: instanceType ? new ec2.InstanceType(instanceType) : undefined,
    capacity: capacityGiB ? Size.gibibytes(capacityGiB) : undefined,
  });
}

const hours = (value?: number): Duration | undefined => (value ? Duration.hours(value) : undefined);

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
      description:
        `Its name in DNS, in the domain ${nfs?.domainName ?? nfs?.hostedZone?.name ?? 'sas-grid.internal'}. ` +
        'Another one for each server in a VPC.',
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
