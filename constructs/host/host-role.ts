/**
 * What a host is for. Each role is a systemd target, `sas-grid-<role>.target`, with its own settings file,
 * `/etc/sas-grid/<role>.env`; a host can have several.
 */
export enum HostRole {
  /** Lustre management server: it knows the servers and the clients of a file system. */
  LUSTRE_MGS = 'lustre-mgs',
  /** Lustre metadata server: names, directories and permissions. */
  LUSTRE_MDS = 'lustre-mds',
  /** Lustre object storage server: the contents of the files. */
  LUSTRE_OSS = 'lustre-oss',
  /** Mounts a Lustre file system. */
  LUSTRE_CLIENT = 'lustre-client',
  /** Exports a file system by NFS: on the volumes of a slot, or on the instance store of the host. */
  NFS_SERVER = 'nfs-server',
  /** Mounts an NFS export. */
  NFS_CLIENT = 'nfs-client',
  /** Has the volumes of a slot for itself: striped, with XFS, mounted on this host only. */
  LOCAL_VOLUMES = 'local-volumes',
  /** Attaches volumes that several hosts share, and a fixed address, to its own host. */
  SHARED_VOLUMES = 'shared-volumes',
  /** A member of a cluster that shares a GFS2 file system on volumes attached to all of its members. */
  GFS2_NODE = 'gfs2-node',
  /** SASWORK and UTILLOC on instance-store disks. */
  SCRATCH = 'scratch',
  /** A node of a SAS grid: names, the account `sas`, limits, tuning. */
  GRID_NODE = 'grid-node',
}
