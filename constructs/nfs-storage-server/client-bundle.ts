import { HostBundle, HostRole } from '../host';
import { invalid, isConcrete } from '../private/validation';
import { requireMountPoint } from '../shared-file-system/mount-point';
import { requireConnections, requireExportName } from './checks';
import type { NfsClientBundleProps } from './props';

/** What a client is told, all of it checked. */
export function clientSettings(props: NfsClientBundleProps): { [key: string]: string } {
  const { server, mountPoint } = props;
  requireMountPoint(undefined, 'The mount point', mountPoint);
  if (isConcrete(server) && !/^[A-Za-z0-9]([A-Za-z0-9.-]{0,252}[A-Za-z0-9])?$/.test(server)) {
    const fix = "For example '172.16.4.64' or 'storage1.sas-grid.internal'.";
    throw invalid(undefined, 'server', server, 'an IPv4 address or a name in DNS', fix);
  }
  return {
    SERVER: server,
    EXPORT: `/export/${requireExportName(undefined, props.exportName)}`,
    MOUNT_POINT: mountPoint,
    NCONNECT: String(requireConnections(undefined, 'connections', props.connections)),
    ...(props.readOnly && { MOUNT_OPTIONS: 'ro' }),
  };
}

/** The software of a host that mounts an export. */
export function clientBundle(props: NfsClientBundleProps): HostBundle {
  const bundle = new HostBundle();
  bundle.addRole(HostRole.NFS_CLIENT, clientSettings(props));
  return bundle;
}
