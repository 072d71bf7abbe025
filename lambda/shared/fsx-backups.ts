import type { DescribedSnapshot, MadeWith } from './backup-set';

/** What FSx's description of a backup has, as far as it is needed. */
export interface DescribedBackup {
  readonly BackupId?: string;
  readonly Lifecycle?: string;
  readonly CreationTime?: Date;
  readonly Tags?: readonly { readonly Key?: string; readonly Value?: string }[];
  /** As it was when the backup was made; kept when it is gone. */
  readonly FileSystem?: {
    readonly StorageCapacity?: number;
    readonly LustreConfiguration?: {
      readonly PerUnitStorageThroughput?: number;
      readonly ThroughputCapacity?: number;
    };
  };
}

/** What FSx calls a backup that is there, or that never will be. All else is under way. */
const STATUS: { readonly [lifecycle: string]: string } = { AVAILABLE: 'completed', FAILED: 'error' };

/** A backup in the words of EBS, so that all sets are read, listed, kept and deleted alike. */
export const asSnapshot = ({
  BackupId,
  Lifecycle = '',
  CreationTime,
  Tags,
  FileSystem,
}: DescribedBackup): DescribedSnapshot => ({
  SnapshotId: BackupId,
  State: STATUS[Lifecycle] ?? 'pending',
  StartTime: CreationTime,
  Tags,
  madeWith: madeWith(FileSystem),
});

function madeWith(fileSystem: DescribedBackup['FileSystem']): MadeWith {
  const { StorageCapacity, LustreConfiguration } = fileSystem ?? {};
  return {
    capacityGiB: StorageCapacity,
    throughputPerTiB: LustreConfiguration?.PerUnitStorageThroughput,
    throughputMBps: LustreConfiguration?.ThroughputCapacity,
  };
}

/** FSx knows no filter by tags: what no person or program has asked for, such as daily backups, is left out. */
export const USER_INITIATED = [{ Name: 'backup-type' as const, Values: ['USER_INITIATED'] }];
