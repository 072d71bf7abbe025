import type { Size } from 'aws-cdk-lib';
import type * as s3 from 'aws-cdk-lib/aws-s3';
import type { LustreParameter, LustreSoftware } from '../intel-lustre';
import type { FsxLustreStorage } from './fsx-lustre-storage';
import type { FsxFileSystemProps } from './props';

/** A change that is carried over between a file system and a bucket. */
export enum DataRepositoryEvent {
  /** Something new. */
  NEW = 'NEW',
  /** Something changed. */
  CHANGED = 'CHANGED',
  /** Something deleted. It is deleted on the other side, too. */
  DELETED = 'DELETED',
}

/** A directory of the file system that is linked to a bucket. */
export interface S3DataRepository {
  /** The bucket, in the file system's region. A key of its own must let Amazon FSx's service-linked role use it. */
  readonly bucket: s3.IBucket;

  /**
   * What of the bucket is linked, for example `sas/archive`.
   *
   * @default - all of it
   */
  readonly prefix?: string;

  /**
   * The directory, for example `/archive`. Directories of several repositories do not contain each other. `/` links the
   * whole file system and is possible for a single repository only.
   */
  readonly directory: string;

  /**
   * What happens in the bucket and is carried over to the file system.
   *
   * @default - NEW and CHANGED: what is deleted in the bucket stays in the file system
   */
  readonly importEvents?: DataRepositoryEvent[];

  /**
   * What happens in the file system and is carried over to the bucket.
   *
   * @default - nothing: the bucket is only read
   */
  readonly exportEvents?: DataRepositoryEvent[];

  /**
   * How much of an imported file goes to one disk before the next gets its turn: 1 MiB to 500 GiB (512000 MiB).
   *
   * @default Size.gibibytes(1)
   */
  readonly importedFileChunk?: Size;

  /**
   * Whether the names and sizes of what the bucket holds already are imported at once.
   *
   * @default true
   */
  readonly importExisting?: boolean;
}

/** What clients of FSx for Lustre do. */
export interface FsxLustreClientOptions {
  /**
   * How the client software gets onto the hosts. Amazon Linux has it in its own repository, for the others there is
   * Amazon's (see the README): `LustreSoftware.repository(...)` with its `keyUrl`, or install it into your image.
   *
   * @default LustreSoftware.preinstalled()
   */
  readonly software?: LustreSoftware;

  /**
   * Parameters in the order in which they are set when the file system is mounted.
   *
   * @default - `FsxLustreTuning.awsClient()`
   */
  readonly tuning?: LustreParameter[];

  /**
   * Whether hosts with more than 64 GiB of memory or 64 vCPUs get what AWS publishes for them. The host itself sees
   * what it is.
   *
   * Above 64 GiB, locks live for ten minutes, and there are 100 for each vCPU. Above 64 vCPUs, there are up to 32
   * request threads for each processor partition and 2560 network credits, once Lustre's kernel modules are loaded.
   *
   * @default true
   */
  readonly largeClientTuning?: boolean;
}

/** Properties of `FsxLustre`. */
export interface FsxLustreProps extends FsxFileSystemProps {
  /**
   * What the data lies on: `FsxLustreStorage.ssd(...)` or `FsxLustreStorage.intelligentTiering(...)`. It cannot change.
   */
  readonly storage: FsxLustreStorage;

  /**
   * The version of Lustre. Another one means another, empty file system: name the one that is deployed, and it stays
   * when a later version of this library has a newer default.
   *
   * @default '2.15'
   */
  readonly lustreVersion?: string;

  /**
   * The backup of FSx that it is made of, for example `backup-0123456789abcdef0`. **It cannot change**, nor be left out
   * later: CloudFormation makes another file system for another value. The backup can be deleted once it is made.
   *
   * FSx restores to the same capacity, throughput, storage class and compression as the original had when it was backed
   * up. Once it is there, the capacity can grow.
   *
   * @default - a new, empty file system
   */
  readonly backupId?: string;

  /**
   * Directories that are linked to buckets, 8 at most. Not with Intelligent-Tiering.
   *
   * FSx makes no backups of a linked file system. So name `backupRetention: Duration.days(0)` with the links, which
   * ends automatic backups; count on losing those that there are.
   *
   * A link that is taken out of the list stays, as the file system does, and goes on importing and exporting. Delete it
   * yourself (`aws fsx delete-data-repository-association`). Its bucket and prefix cannot change while it is there.
   *
   * @default - none
   */
  readonly s3DataRepositories?: S3DataRepository[];

  /**
   * Whether backups get the tags of the file system. **It cannot change**: CloudFormation makes another, empty file
   * system for another value.
   *
   * With a `backupRetention` of 0 days you have to name it, since earlier versions of this library made such file
   * systems with false. Name what is deployed, and keep it when the retention changes. For a new file system that is
   * linked to buckets name false: AWS has tags on backups for file systems that are not linked.
   *
   * @default true
   */
  readonly copyTagsToBackups?: boolean;

  /**
   * Whether FSx compresses data (LZ4). Of no use for SAS data sets that are written with COMPRESS=.
   *
   * @default false
   */
  readonly dataCompression?: boolean;

  /**
   * What the hosts do that mount it.
   *
   * @default - Lustre is in their image; AWS's tuning
   */
  readonly client?: FsxLustreClientOptions;
}

/** An FSx for Lustre file system that exists already. */
export interface FsxLustreAttributes {
  /** Its id, for example `fs-0123456789abcdef0`. */
  readonly fileSystemId: string;

  /** The name that it is mounted by, for example `abcdef01`. */
  readonly mountName: string;
}
