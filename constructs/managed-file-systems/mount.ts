import { Stack } from 'aws-cdk-lib';
import type { IConnectable, Port } from 'aws-cdk-lib/aws-ec2';
import type { IConstruct } from 'constructs';
import { HostRole } from '../host';
import type { LustreParameter, LustreSoftware } from '../intel-lustre';
import { softwareSettings, tunables } from '../intel-lustre/host-settings';
import type { IMountTarget, MountOptions } from '../shared-file-system';
import { requireMountPoint } from '../shared-file-system/mount-point';

/** A Lustre file system as a client sees it. */
export interface LustreSource {
  readonly fileSystemName: string;
  readonly mgsNid: string;
  readonly software: LustreSoftware;
  readonly tuning: LustreParameter[];
  readonly largeClientTuning: boolean;
}

/** An NFS export as a client sees it. */
export interface NfsSource {
  readonly server: string;
  readonly exportPath: string;
  /** `4.2` or `4.1`. */
  readonly version: string;
  readonly connections: number;
  /** Further options of the mount, in their order. */
  readonly options: string[];
}

/** Makes a host mount a Lustre file system at every start. The network is opened elsewhere. */
export function mountLustre(
  scope: IConstruct,
  source: LustreSource,
  target: IMountTarget,
  options: MountOptions,
): void {
  requireMountPoint(scope, 'The mount point', options.mountPoint);
  target.hostBundle.addRole(HostRole.LUSTRE_CLIENT, {
    FSNAME: source.fileSystemName,
    MGS_NID: source.mgsNid,
    MOUNT_POINT: options.mountPoint,
    MOUNT_OPTIONS: options.readOnly ? 'flock,ro' : 'flock',
    TUNABLES: tunables(source.tuning),
    LARGE_CLIENT: String(source.largeClientTuning),
    ...softwareSettings(source.software),
  });
}

/** Makes a host mount an NFS export at every start. The network is opened elsewhere. */
export function mountNfs(
  scope: IConstruct,
  source: NfsSource,
  target: IMountTarget,
  options: MountOptions,
): void {
  requireMountPoint(scope, 'The mount point', options.mountPoint);
  target.hostBundle.addRole(HostRole.NFS_CLIENT, {
    SERVER: source.server,
    EXPORT: source.exportPath,
    MOUNT_POINT: options.mountPoint,
    NFS_VERSION: source.version,
    NCONNECT: String(source.connections),
    MOUNT_OPTIONS: [...source.options, ...(options.readOnly ? ['ro'] : [])].join(','),
  });
}

/**
 * Opens ports from a host to a file system, and back where the file system calls its clients. The rules are made where
 * the host is, since it comes later than the file system.
 */
export function openPorts(
  target: IMountTarget,
  fileSystem: IConnectable,
  ports: Port[],
  bothWays: boolean,
): void {
  for (const port of ports) {
    target.connections.allowTo(fileSystem, port, 'Client to file system');
    if (bothWays) target.connections.allowFrom(fileSystem, port, 'File system to client');
  }
}

/** The name by which a service's file systems are found, for example `fs-0123.fsx.us-east-1.amazonaws.com`. */
export function serviceName(scope: IConstruct, service: string, ...ids: string[]): string {
  const { region, urlSuffix } = Stack.of(scope);
  return [...ids, service, region, urlSuffix].join('.');
}
