import { CfnOutput, Duration, aws_kms as kms, Size, type Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { FsxLustre, type FsxLustreProps, FsxLustreStorage } from '../constructs';
import type { FsxLustreConfig } from './config-types';
import { lustreSoftware } from './from-config';
import { StorageStack, type StorageStackProps, type Surroundings } from './storage-stack';

export interface FsxLustreStackProps extends StorageStackProps {
  readonly fsxLustre: FsxLustreConfig;
}

/** Amazon FSx for Lustre: there are no servers to replace. */
export class FsxLustreStack extends StorageStack {
  public readonly sharedFileSystem: FsxLustre;

  public constructor(scope: Construct, id: string, props: FsxLustreStackProps) {
    super(scope, id, props);
    this.sharedFileSystem = addFsxLustre(this, props.fsxLustre, { network: props.network });
  }
}

/** The file system and its outputs, in any stack. */
export function addFsxLustre(
  stack: Stack,
  config: FsxLustreConfig,
  { network }: Pick<Surroundings, 'network'>,
): FsxLustre {
  const fsx = new FsxLustre(stack, 'FsxLustre', { network, ...fsxLustreProps(stack, config) });
  new CfnOutput(stack, 'FileSystemId', { value: fsx.fileSystemId });
  new CfnOutput(stack, 'MountSource', { value: fsx.mountSource });
  if (fsx.storage.throughputMBps !== undefined) {
    new CfnOutput(stack, 'ThroughputMBps', {
      value: String(fsx.storage.throughputMBps),
      description: 'What FSx promises for the whole file system, in MB/s',
    });
  }
  return fsx;
}

function fsxLustreProps(scope: Construct, config: FsxLustreConfig): Omit<FsxLustreProps, 'network'> {
  return {
    storage: storageOf(config),
    client: { software: lustreSoftware(config.software) },
    backupRetention:
      config.backupRetentionDays === undefined ? undefined : Duration.days(config.backupRetentionDays),
    copyTagsToBackups: config.copyTagsToBackups,
    weeklyMaintenanceStart: config.weeklyMaintenanceStart,
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
