import type { LustreParameter, LustreSoftware } from '../intel-lustre';
import type { FileSystemAccess } from './access';

/** What clients of an existing Lustre file system do, and who lets them in. */
export interface ExistingLustreOptions {
  /**
   * How hosts get through to it.
   *
   * @default FileSystemAccess.alreadyOpen()
   */
  readonly access?: FileSystemAccess;

  /**
   * How the client software gets onto the hosts.
   *
   * @default LustreSoftware.preinstalled()
   */
  readonly software?: LustreSoftware;

  /**
   * Parameters in the order in which they are set when the file system is mounted.
   *
   * @default - `FsxLustreTuning.awsClient()` for FSx for Lustre, else `LustreTuning.papersClient()`
   */
  readonly tuning?: LustreParameter[];

  /**
   * Whether large hosts get what AWS publishes for them. See `FsxLustreClientOptions.largeClientTuning`.
   *
   * @default - true for FSx for Lustre, else false
   */
  readonly largeClientTuning?: boolean;
}

/** Properties of `ExistingLustre`. */
export interface ExistingLustreProps extends ExistingLustreOptions {
  /**
   * The network id of the management server, for example `172.16.4.10@tcp`, or with a name in place of the address.
   * Both of a pair are divided by a colon.
   */
  readonly mgsNid: string;

  /** The name of the file system (fsname): 1 to 8 letters, digits, `_` or `-`. */
  readonly fileSystemName: string;
}

/** A version of NFS. */
export enum NfsVersion {
  /** 4.1: what Amazon EFS has. */
  V4_1 = '4.1',
  /** 4.2: what Linux servers and FSx have. */
  V4_2 = '4.2',
}

/** How an existing NFS export is mounted, and who lets hosts in. */
export interface ExistingNfsOptions {
  /**
   * How hosts get through to it.
   *
   * @default FileSystemAccess.alreadyOpen()
   */
  readonly access?: FileSystemAccess;

  /**
   * The version of NFS. Versions before 4.1 are not offered: a host could not tell a server that is back from another
   * one.
   *
   * @default - that of the service, NfsVersion.V4_2 for other servers
   */
  readonly version?: NfsVersion;

  /**
   * Over how many TCP connections each host speaks to the server (nconnect), from 1 to 16. One carries 5 Gbit/s on EC2
   * at most, outside of a cluster placement group.
   *
   * @default - 16, but 1 for Amazon EFS
   */
  readonly connections?: number;

  /**
   * Further options of the mount, for example `nosuid`. Every mount is `hard`, with reads and writes of 1 MiB.
   *
   * @default - none, `noresvport` for Amazon EFS
   */
  readonly mountOptions?: string[];
}

/** Properties of `ExistingNfs`. */
export interface ExistingNfsProps extends ExistingNfsOptions {
  /** Address or name of the server, without a port. */
  readonly server: string;

  /** What the server exports, for example `/export/sasdata`. */
  readonly exportPath: string;
}
