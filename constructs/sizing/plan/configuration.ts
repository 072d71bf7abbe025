import type { StorageDescription, StorageDevices } from '../../shared-file-system/storage-description';

export type { StorageDescription, StorageDevices };

/** A storage with what its description may leave out. */
export interface KnownStorage extends StorageDescription {
  readonly servers: number;
  readonly devices: StorageDevices[];
}

/** Fills in what a description leaves out. */
export const knownStorage = ({
  kind,
  servers = 0,
  serverType,
  devices = [],
  provisionedMBps,
}: StorageDescription): KnownStorage => ({
  kind,
  servers,
  ...(serverType !== undefined && { serverType }),
  devices,
  ...(provisionedMBps !== undefined && { provisionedMBps }),
});

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
