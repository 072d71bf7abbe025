import type { Plain } from '../../lambda/shared/attributes';

/** What `status` asks of AWS besides CloudFormation. Each call ends within a bound, or throws `Unchecked`. */
export interface StatusAws {
  /** The rows of slots in a volume map, of all tiers. */
  slotItems(table: string): Promise<Item[]>;
  /** The row of the operation that runs; undefined while none does. */
  lock(table: string): Promise<Item | undefined>;
  groups(names: readonly string[]): Promise<GroupLook[]>;
  /** The instance refreshes of a group that have not ended. */
  refreshes(group: string): Promise<RefreshLook[]>;
  /** Those that EC2 still knows. */
  instances(ids: readonly string[]): Promise<InstanceLook[]>;
  /** Snapshots of these volumes that are being made. */
  snapshots(volumeIds: readonly string[]): Promise<SnapshotLook[]>;
  /** Backups of these file systems that FSx makes just now. */
  backups(fileSystemIds: readonly string[]): Promise<BackupLook[]>;
  alarms(names: readonly string[]): Promise<AlarmLook[]>;
  /** The executions of a state machine that run. */
  executions(stateMachineArn: string): Promise<ExecutionLook[]>;
  /** What the servers of a grid last said of their health, through this document, by instance. */
  health(document: string): Promise<{ readonly [instanceId: string]: HealthLook }>;
  /** What storage servers that were probed through this document said against themselves, by instance. */
  said(document: string): Promise<{ readonly [instanceId: string]: string }>;
  /** What EBS volumes, or file systems of FSx, have read and written of late; without those that have no data. */
  throughput(ids: readonly string[]): Promise<{ readonly [id: string]: ThroughputLook }>;
  /** Free bytes of a file system of FSx for Lustre; undefined when no figure is there. */
  freeBytes(fileSystemId: string): Promise<number | undefined>;
  /** Runs a command on hosts, and waits for what they print; without those that could not be reached. */
  run(instanceIds: readonly string[], script: string): Promise<{ readonly [instanceId: string]: string }>;
}

export type Item = { readonly [key: string]: Plain };

export interface GroupLook {
  readonly name: string;
  readonly min: number;
  readonly desired: number;
  readonly members: readonly {
    readonly instanceId: string;
    readonly lifecycle: string;
    readonly healthy: boolean;
  }[];
  readonly tags: { readonly [key: string]: string };
  readonly suspended: readonly string[];
}

export interface RefreshLook {
  readonly status: string;
  readonly percent?: number;
  readonly since?: string;
}

export interface InstanceLook {
  readonly id: string;
  readonly state: string;
  readonly type: string;
  readonly address?: string;
  readonly name?: string;
  readonly launched?: string;
}

export interface SnapshotLook {
  readonly id: string;
  readonly volumeId: string;
  readonly progress: string;
  readonly since?: string;
}

export interface BackupLook {
  readonly fileSystem: string;
  readonly percent: number;
  readonly since?: string;
}

export interface AlarmLook {
  readonly name: string;
  readonly state: string;
  readonly description?: string;
  readonly since?: string;
}

export interface ExecutionLook {
  readonly name: string;
  readonly arn: string;
  readonly since?: string;
}

export interface HealthLook {
  readonly is: 'healthy' | 'unhealthy' | 'unsure' | 'silent';
  /** The host's own name. */
  readonly name?: string;
  readonly usedPercent?: number;
  readonly reasons: readonly { readonly code: string; readonly text: string }[];
  /** When it was asked, ISO 8601. */
  readonly at: string;
}

export interface ThroughputLook {
  readonly readMBps: number;
  readonly writeMBps: number;
}
