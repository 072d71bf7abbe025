import type { Size } from 'aws-cdk-lib';
import type { FsxFileSystemProps, StandbyZone } from './props';

/** How many file servers an FSx for OpenZFS file system has, where, and of which generation. */
export enum OpenZfsDeployment {
  /** One server, replaced within its zone when it fails; first generation. */
  SINGLE_AZ_1 = 'SINGLE_AZ_1',
  /** One server with an NVMe cache, replaced within its zone when it fails. */
  SINGLE_AZ_2 = 'SINGLE_AZ_2',
  /** Two servers in one zone, of which the second takes over; first generation. */
  SINGLE_AZ_HA_1 = 'SINGLE_AZ_HA_1',
  /** Two servers with an NVMe cache in one zone, of which the second takes over. */
  SINGLE_AZ_HA_2 = 'SINGLE_AZ_HA_2',
  /** Two servers in two zones, of which the second takes over. */
  MULTI_AZ_1 = 'MULTI_AZ_1',
}

/** Properties of `FsxOpenZfs`. */
export interface FsxOpenZfsProps extends FsxFileSystemProps {
  /** Size of the SSD storage: 64 GiB to 512 TiB. It can grow later, never shrink. */
  readonly capacity: Size;

  /**
   * Throughput of the file server in MB/s: 64, 128, 256, 512, 1024, 2048, 3072 or 4096 with the deployments of the
   * first generation (`SINGLE_AZ_1`, `SINGLE_AZ_HA_1`), else 160, 320, 640, 1280, 2560, 3840, 5120, 7680 or 10240. It
   * can change later.
   */
  readonly throughputMBps: number;

  /**
   * How many servers, and where.
   *
   * @default OpenZfsDeployment.SINGLE_AZ_HA_2
   */
  readonly deployment?: OpenZfsDeployment;

  /**
   * The second zone of `MULTI_AZ_1`.
   *
   * @default - none
   */
  readonly standby?: StandbyZone;

  /**
   * Name of the volume that holds the data; it is exported as `/fsx/<name>`. A letter, then up to 62 letters, digits,
   * `_`, `-`.
   *
   * @default 'sasdata'
   */
  readonly volumeName?: string;

  /**
   * Size of the volume's records: 4, 8, 16, 32, 64, 128, 256, 512 or 1024 KiB. SAS reads and writes large files from
   * one end to the other, for which large records are the fastest.
   *
   * @default Size.mebibytes(1)
   */
  readonly recordSize?: Size;

  /**
   * Whether ZFS compresses data (LZ4). Of no use for SAS data sets that are written with COMPRESS=.
   *
   * @default false
   */
  readonly dataCompression?: boolean;

  /**
   * Address ranges (CIDR) whose hosts may mount the volume, besides what the security group says, 25 at most.
   *
   * @default - the range of the VPC
   */
  readonly clientRanges?: string[];

  /**
   * Whether root of a host is nobody on the volume. A new volume belongs to root, so that nothing can be written to it
   * until root of a host has made directories for others: turn this on afterwards.
   *
   * @default false
   */
  readonly rootSquash?: boolean;

  /**
   * Over how many TCP connections each host speaks to the server (nconnect), from 1 to 16.
   *
   * @default 16
   */
  readonly connections?: number;
}

/** An FSx for OpenZFS volume that exists already. */
export interface FsxOpenZfsAttributes {
  /** Id of the file system, for example `fs-0123456789abcdef0`. */
  readonly fileSystemId: string;

  /**
   * The path of the volume, which begins with `/fsx`.
   *
   * @default '/fsx' - the root volume
   */
  readonly volumePath?: string;
}
