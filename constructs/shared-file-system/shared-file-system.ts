import type { IConnectable } from 'aws-cdk-lib/aws-ec2';
import type { IConstruct, IDependable } from 'constructs';
import type { HostBundle } from '../host';
import type { IVolumeReattachment } from '../volume-reattachment';
import type { StorageDescription } from './storage-description';

/** How a shared file system is mounted on a host. */
export interface MountOptions {
  /** Where it is mounted: an absolute path, for example `/sasdata`. It is made when it is missing. */
  readonly mountPoint: string;

  /**
   * Whether the host only reads.
   *
   * @default false
   */
  readonly readOnly?: boolean;
}

/**
 * A host, or several of one kind, that a shared file system can be mounted on: something with security groups, and the
 * software that is installed on it when it starts.
 */
export interface IMountTarget extends IConnectable {
  /** The host's software. A mount adds a role to it. */
  readonly hostBundle: HostBundle;
}

/**
 * A file system that all nodes of a grid see. What needs one takes this type and not a particular file system.
 */
export interface ISharedFileSystem extends IConstruct {
  /** What kind of file system it is, as `mount -t` names it, for example `lustre`. */
  readonly fileSystemType: string;

  /** What comes after the file system answers depends on this. */
  readonly served: IDependable;

  /**
   * What it is made of: what it delivers is predicted from this, and compared with what a grid wants.
   *
   * @default - not known
   */
  readonly storageDescription?: StorageDescription;

  /**
   * The tiers whose servers fail over while clients go on: what a game day makes fail.
   *
   * @default - none, as where AWS runs the servers
   */
  readonly tiers?: IVolumeReattachment[];

  /**
   * Whether root of a host that mounts it is nobody there, so that only other accounts write to it.
   *
   * @default false
   */
  readonly squashesRoot?: boolean;

  /**
   * What of it must never change once it holds data, by names that users know: with another value there would be
   * another, empty file system, or none that serves. `DeployedData` refuses a synthesis that changes one of these; a
   * `sizeGiB` may grow.
   *
   * @default - only what its resources say: volumes, addresses, file systems of Amazon FSx
   */
  readonly neverChanges?: { readonly [name: string]: unknown };

  /**
   * Mounts the file system on a host: opens the network between them, and adds to the host's software what mounts it at
   * every start.
   *
   * @param target the host
   * @param options where to mount it, and how
   * @throws when the mount point is not an absolute path
   */
  mountOn(target: IMountTarget, options: MountOptions): void;
}

/** A Lustre file system, whoever runs its servers: `IntelLustre`, `FsxLustre`, `ExistingLustre`. */
export interface ILustreFileSystem extends ISharedFileSystem {
  /** What clients mount: the network identifier of the management server and the file system, `<nid>:/<name>`. */
  readonly mountSource: string;
}

/** A file system by NFS: `NfsStorageServer`, `EfsSharedFileSystem`, `FsxOntap`, `FsxOpenZfs`, `ExistingNfs`. */
export interface INfsFileSystem extends ISharedFileSystem {
  /** What clients mount: `<server>:<export>`. */
  readonly mountSource: string;
}
