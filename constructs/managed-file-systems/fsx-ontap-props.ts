import type { Size } from 'aws-cdk-lib';
import type { FsxFileSystemProps, StandbyZone } from './props';

/** Where the file servers of an FSx for NetApp ONTAP file system are, and of which generation. */
export enum OntapDeployment {
  /** One pair of servers in one zone; first generation. */
  SINGLE_AZ_1 = 'SINGLE_AZ_1',
  /** Up to twelve pairs of servers in one zone. */
  SINGLE_AZ_2 = 'SINGLE_AZ_2',
  /** One pair of servers in two zones; first generation. */
  MULTI_AZ_1 = 'MULTI_AZ_1',
  /** One pair of servers in two zones. */
  MULTI_AZ_2 = 'MULTI_AZ_2',
}

/** What FSx moves from SSD to slower, cheaper storage by itself. */
export enum OntapTiering {
  /** Nothing. */
  NONE = 'NONE',
  /** Snapshots that nobody reads. */
  SNAPSHOT_ONLY = 'SNAPSHOT_ONLY',
  /** Snapshots and data that nobody reads. */
  AUTO = 'AUTO',
  /** Everything. */
  ALL = 'ALL',
}

/** Properties of `FsxOntap`. */
export interface FsxOntapProps extends FsxFileSystemProps {
  /**
   * Size of the SSD storage of all pairs: 1 to 512 TiB for each pair, 1 PiB at most. It can grow later, never shrink.
   */
  readonly capacity: Size;

  /**
   * Throughput of each pair of servers in MB/s: 1536, 3072 or 6144 with `SINGLE_AZ_2`, 384, 768, 1536, 3072 or 6144
   * with `MULTI_AZ_2`, 128, 256, 512, 1024, 2048 or 4096 with the first generation.
   */
  readonly throughputMBpsPerPair: number;

  /**
   * How many pairs of servers there are: 1, and up to 12 with `SINGLE_AZ_2`. Data is spread over all of them. One pair
   * cannot become several later: the volume would have to be of another style.
   *
   * @default 1
   */
  readonly haPairs?: number;

  /**
   * Where the servers are.
   *
   * @default OntapDeployment.SINGLE_AZ_2
   */
  readonly deployment?: OntapDeployment;

  /**
   * The second zone of the Multi-AZ deployments.
   *
   * @default - none
   */
  readonly standby?: StandbyZone;

  /**
   * Name of the volume that holds the data; it is mounted as `/<name>`. A letter or `_`, then up to 202 letters, digits
   * and `_`.
   *
   * @default 'sasdata'
   */
  readonly volumeName?: string;

  /**
   * The backup of a volume that the volume is made of, for example `backup-0123456789abcdef0`. **It cannot change**,
   * nor be left out later: CloudFormation makes another volume for another value. The backup can be deleted once it is
   * made. The volume has to be of the same style as that of the backup, and not smaller.
   *
   * @default - a new, empty volume
   */
  readonly backupId?: string;

  /**
   * How much the volume may hold. It takes storage only as data is written, so that it can be as large as the file
   * system.
   *
   * @default - `capacity`
   */
  readonly volumeSize?: Size;

  /**
   * What FSx moves to slower storage.
   *
   * @default OntapTiering.NONE
   */
  readonly tiering?: OntapTiering;

  /**
   * After how many days nobody reads data it is moved: 2 to 183. Only with `SNAPSHOT_ONLY` and `AUTO`.
   *
   * @default - 2 for `SNAPSHOT_ONLY`, 31 for `AUTO`
   */
  readonly coolingDays?: number;

  /**
   * Whether ONTAP compresses and deduplicates.
   *
   * @default true
   */
  readonly storageEfficiency?: boolean;

  /**
   * Over how many TCP connections each host speaks to the server (nconnect), from 1 to 16.
   *
   * @default 16
   */
  readonly connections?: number;
}

/** An FSx for NetApp ONTAP volume that exists already. */
export interface FsxOntapAttributes {
  /** Id of the file system, for example `fs-0123456789abcdef0`. */
  readonly fileSystemId: string;

  /** Id of the storage virtual machine, for example `svm-0123456789abcdef0`. */
  readonly storageVirtualMachineId: string;

  /** Where the volume is mounted in the virtual machine, for example `/sasdata`. */
  readonly junctionPath: string;
}
