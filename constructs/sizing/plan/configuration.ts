/** Volumes or disks of one server, or of one host where there are no servers. */
export interface DeviceGroup {
  readonly count: number;
  /** `gp3`, `io2`, `st1`, ..., or `instance-store`. */
  readonly type: string;
  readonly sizeGiB?: number;
  readonly iops?: number;
  readonly throughputMiBps?: number;
}

/** A storage as it is, or as it would be. The StorageDescription of a benchmark has this shape. */
export interface StorageConfiguration {
  /** `lustre`, `nfs`, `xfs`, `gfs2`, `fsx-lustre`, `fsx-openzfs`, `fsx-ontap`, `efs`. */
  readonly kind: string;
  /** How many servers hold data (OSS, not MDS). 0: the hosts themselves, or AWS. */
  readonly servers: number;
  readonly serverType?: string;
  /** Of one server. With `gfs2` of all hosts together: they share the volumes. */
  readonly devices: readonly DeviceGroup[];
  /** What a managed file system was bought with, MB/s in all. */
  readonly provisionedMBps?: number;
}

/** Who reads and writes, and in which state the volumes are. */
export interface Load {
  /** Hosts that do so at the same time. */
  readonly hosts: number;
  /** Their EC2 type. Left out: their network is not looked at. */
  readonly hostType?: string;
  /** `full`: volumes that burst still can, as fresh ones do. Left out: `spent`, which is what holds all day. */
  readonly credits?: 'full' | 'spent';
}

/** What throughput meets on its way between memory of a host and a disk. */
export type LimitName =
  | 'devices'
  | 'volumes'
  | 'ebs-bandwidth'
  | 'shared-interface'
  | 'server-network'
  | 'client-network'
  | 'client-limit'
  | 'provisioned';

/** One of them, for all servers or hosts together. */
export interface Limit {
  readonly name: LimitName;
  readonly readMBps: number;
  readonly writeMBps: number;
  /** A line that carries every byte: what is faster than it did not take that way. Disks and volumes are no line. */
  readonly line: boolean;
  /** `3 servers x 500 MB/s: the interface of c3.8xlarge, which volumes and clients share`. */
  readonly text: string;
}

/** What a storage delivers. */
export interface Prediction {
  /** MB/s (10^6 bytes) for all hosts together. Undefined: nothing is known that limits it. */
  readonly readMBps?: number;
  readonly writeMBps?: number;
  readonly limits: readonly Limit[];
  /** The limit that counts. */
  readonly binding: { readonly read?: Limit; readonly write?: Limit };
  /** What could not be looked at, one sentence each: the storage may be slower than predicted. */
  readonly unknown: readonly string[];
}
