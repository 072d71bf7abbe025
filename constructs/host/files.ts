import { HostRole } from './host-role';

const COMMON = [
  'bin/sas-grid-bootstrap',
  'lib/distro.sh',
  'lib/log.sh',
  'lib/mounts.sh',
  'lib/settings.sh',
  'lib/wait.sh',
  'systemd/sas-grid-bootstrap.service',
];

const LUSTRE = ['lib/lustre.sh', 'lib/lustre-packages.sh'];

// Starts again what cannot start itself again.
const RETRY = 'systemd/sas-grid-retry.service';

const SLOT = [
  'bin/sas-grid-serve',
  'lib/background.sh',
  'lib/disks.sh',
  'lib/network.sh',
  'lib/slot.sh',
  'sysctl/90-sas-grid-slot.conf',
  'systemd/sas-grid-slot.service',
];

const SERVE_LUSTRE = 'lib/serve-lustre.sh';

const LUSTRE_SERVER = [...LUSTRE, ...SLOT, 'lib/lustre-targets.sh', SERVE_LUSTRE];

// What the file systems under a Lustre target need, by the setting BACKEND.
const OF_BACKEND: { [backend: string]: string[] } = {
  ldiskfs: ['lib/lustre-ldiskfs.sh', 'lib/repair.sh'],
  zfs: ['lib/lustre-zfs.sh'],
};

const LUSTRE_STATUS = [
  'bin/sas-grid-lustre-status',
  'systemd/sas-grid-lustre-status.socket',
  'systemd/sas-grid-lustre-status@.service',
];

const OF_ROLE: { [role in HostRole]: string[] } = {
  [HostRole.LUSTRE_MGS]: [
    ...LUSTRE_SERVER,
    'bin/sas-grid-monitor',
    'systemd/sas-grid-lustre-mgs.target',
    'systemd/sas-grid-monitor.service',
    'systemd/sas-grid-monitor.timer',
  ],
  [HostRole.LUSTRE_MDS]: [...LUSTRE_SERVER, ...LUSTRE_STATUS, 'systemd/sas-grid-lustre-mds.target'],
  [HostRole.LUSTRE_OSS]: [...LUSTRE_SERVER, ...LUSTRE_STATUS, 'systemd/sas-grid-lustre-oss.target'],
  [HostRole.LUSTRE_CLIENT]: [
    RETRY,
    ...LUSTRE,
    'bin/sas-grid-mount-lustre',
    'lib/mount-units.sh',
    'systemd/sas-grid-lustre-client.target',
    'systemd/sas-grid-mount-lustre.service',
  ],
  [HostRole.NFS_SERVER]: [
    ...SLOT,
    'bin/sas-grid-nfs-local',
    'lib/instance-store.sh',
    'lib/nfs.sh',
    'lib/pool.sh',
    'lib/repair.sh',
    'lib/serve-nfs.sh',
    'systemd/sas-grid-again@.service',
    'systemd/sas-grid-nfs-local.service',
    'systemd/sas-grid-nfs-server.target',
  ],
  [HostRole.LOCAL_VOLUMES]: [
    ...SLOT,
    'lib/pool.sh',
    'lib/serve-local.sh',
    'systemd/sas-grid-local-volumes.target',
  ],
  [HostRole.NFS_CLIENT]: [
    RETRY,
    'bin/sas-grid-mount-nfs',
    'lib/mount-units.sh',
    'systemd/sas-grid-mount-nfs.service',
    'systemd/sas-grid-nfs-client.target',
  ],
  [HostRole.GFS2_NODE]: [
    RETRY,
    'bin/fence_sas_grid',
    'bin/sas-grid-gfs2',
    'lib/aws.py',
    'lib/corosync.sh',
    'lib/disks.sh',
    'lib/gfs2-packages.sh',
    'lib/gfs2.sh',
    'lib/network.sh',
    'lib/pacemaker.sh',
    'systemd/sas-grid-gfs2-node.target',
    'systemd/sas-grid-gfs2.service',
  ],
  [HostRole.SHARED_VOLUMES]: [
    RETRY,
    'bin/sas-grid-attach',
    'lib/attach.py',
    'lib/tell_mounted.py',
    'systemd/sas-grid-attach.service',
    'systemd/sas-grid-mounted.service',
    'systemd/sas-grid-shared-volumes.target',
  ],
  [HostRole.SCRATCH]: [
    RETRY,
    'bin/sas-grid-scratch',
    'lib/disks.sh',
    'lib/instance-store.sh',
    'systemd/sas-grid-scratch.service',
    'systemd/sas-grid-scratch.target',
  ],
  [HostRole.GRID_NODE]: [
    RETRY,
    'bin/sas-grid-node',
    'bin/sas-grid-signal',
    'lib/signed.py',
    'lib/tell_stack.py',
    'systemd/sas-grid-grid-node.target',
    'systemd/sas-grid-node.service',
    'systemd/sas-grid-signal.service',
  ],
};

/**
 * The host files that the given roles need, relative to constructs/host, in a fixed order.
 *
 * @param backend the setting BACKEND of a Lustre server; one that is known at deployment only needs the files of both
 * @param retried whether something else on the host is started again when it fails
 */
export function filesOf(roles: HostRole[], backend = 'ldiskfs', retried = false): string[] {
  const files = [...roles.flatMap((role) => OF_ROLE[role]), ...(retried ? [RETRY] : [])];
  const ofBackend = OF_BACKEND[backend] ?? Object.values(OF_BACKEND).flat();
  return [...new Set([...COMMON, ...files, ...(files.includes(SERVE_LUSTRE) ? ofBackend : [])])].sort();
}
