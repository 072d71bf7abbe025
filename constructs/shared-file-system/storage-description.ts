/** Volumes or disks of one kind, of one server, or of one host where there are no servers. */
export interface StorageDevices {
  /** How many there are. */
  readonly count: number;

  /** `gp3`, `io2`, `st1` and so on, or `instance-store`. */
  readonly type: string;

  /**
   * Size of each in GiB.
   *
   * @default - not known
   */
  readonly sizeGiB?: number;

  /**
   * Provisioned IOPS of each.
   *
   * @default - what the type has without provisioning
   */
  readonly iops?: number;

  /**
   * Provisioned throughput of each in MiB/s.
   *
   * @default - what the type has without provisioning
   */
  readonly throughputMiBps?: number;
}

/**
 * What a storage is made of, as it is or as it would be: what it delivers is predicted from this, and a benchmark says
 * from this which limit it met.
 */
export interface StorageDescription {
  /** `lustre`, `nfs`, `xfs`, `gfs2`, `fsx-lustre`, `fsx-openzfs`, `fsx-ontap` or `efs`. */
  readonly kind: string;

  /**
   * How many servers hold data; for Lustre the object storage servers. 0: the hosts themselves have it, or AWS.
   *
   * @default 0
   */
  readonly servers?: number;

  /**
   * EC2 type of the servers.
   *
   * @default - AWS runs them, or there are none
   */
  readonly serverType?: string;

  /**
   * The devices of one server, or of one host where there are no servers; with `gfs2` of all hosts together, which
   * share the volumes.
   *
   * @default - not known, or AWS has them
   */
  readonly devices?: StorageDevices[];

  /**
   * What a managed file system was bought with, in MB/s (10^6 bytes) in all.
   *
   * @default - none, or not known
   */
  readonly provisionedMBps?: number;
}
