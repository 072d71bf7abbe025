import { CfnOutput, Duration, aws_kms as kms, Size } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { FsxLustre, type FsxLustreProps, FsxLustreStorage } from '../constructs';
import type { FsxLustreConfig } from './config-types';
import { lustreSoftware } from './from-config';
import { StorageStack, type StorageStackProps } from './storage-stack';

export interface FsxLustreStackProps extends StorageStackProps {
  readonly fsxLustre: FsxLustreConfig;
}

/** Amazon FSx for Lustre: there are no servers to replace. */
export class FsxLustreStack extends StorageStack {
  public readonly sharedFileSystem: FsxLustre;

  public constructor(scope: Construct, id: string, props: FsxLustreStackProps) {
    super(scope, id, props);
    const fsx = new FsxLustre(this, 'FsxLustre', {
      network: props.network,
      ...fsxLustreProps(this, props.fsxLustre),
    });
    this.sharedFileSystem = fsx;
    new CfnOutput(this, 'FileSystemId', { value: fsx.fileSystemId });
    new CfnOutput(this, 'MountSource', { value: fsx.mountSource });
    if (fsx.storage.throughputMBps !== undefined) {
      new CfnOutput(this, 'ThroughputMBps', {
        value: String(fsx.storage.throughputMBps),
        description: 'What FSx promises for the whole file system, in MB/s',
      });
    }
  }
}

function fsxLustreProps(scope: Construct, config: FsxLustreConfig): Omit<FsxLustreProps, 'network'> {
  return {
    storage: storageOf(config),
    client: { software: lustreSoftware(config.software) },
    backupRetention:
      config.backupRetentionDays === undefined ? undefined : Duration.days(config.backupRetentionDays),
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
