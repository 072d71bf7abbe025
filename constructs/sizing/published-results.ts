import {
  PUBLISHED_GRID,
  PUBLISHED_IO2,
  PUBLISHED_IOZONE,
  PUBLISHED_IOZONE_CLIENTS,
  type PublishedIozone,
} from './data/published-results';
import { instanceTypeFacts } from './instance-types';

export * from './data/published-results';

/** A published throughput, in the units of this project. */
export interface PublishedThroughput {
  readonly paper: string;
  readonly configuration: string;
  readonly phase: 'write' | 'rewrite' | 'read' | 'reread';
  /** MB/s of 10^6 bytes, all hosts together. */
  readonly MBps: number;
  readonly MBpsPerCore?: number;
}

/** What is behind a path, as far as it decides which paper is near. */
export interface NearestWish {
  /** `lustre`, `nfs`, `xfs`, `gfs2`, `fsx-lustre`, ... */
  readonly kind: string;
  readonly servers: number;
  readonly serverType?: string;
  /** `gp3`, `io2`, `st1`, `instance-store`, ... */
  readonly deviceType?: string;
  /** Physical cores of one host. */
  readonly coresOfHost: number;
  /** What was measured, for file systems whose servers are not known. */
  readonly MBps: number;
}

const NFS_KINDS = ['nfs', 'fsx-openzfs', 'fsx-ontap', 'efs'];
const LUSTRE_KINDS = ['lustre', 'fsx-lustre'];
const PROVISIONED_IOPS = ['io1', 'io2'];

/**
 * The published figures of the configuration that is nearest: of the same kind, then of the most similar size.
 *
 * @returns none where no paper measured anything alike
 */
export function nearestPublished(wish: NearestWish): PublishedThroughput[] {
  if (LUSTRE_KINDS.includes(wish.kind)) return nearestLustre(wish);
  if (NFS_KINDS.includes(wish.kind)) return nearestNfs(wish);
  if (PROVISIONED_IOPS.includes(wish.deviceType ?? '')) return nearestIo2(wish);
  return wish.deviceType === 'instance-store' ? scratch() : [];
}

/** What the table of paper 003 shows for what IOZone printed: divided by 1000, the fraction left out. */
export function tableOfPaper003(KiBps: number): number {
  return Math.floor(KiBps / 1000);
}

function nearestLustre({ servers, MBps }: NearestWish): PublishedThroughput[] {
  // A managed file system has no servers to count: by what they delivered, then.
  const distance = (row: { servers: number; MBps: number }) =>
    servers > 0 ? ratioDistance(row.servers, servers) : ratioDistance(row.MBps, MBps);
  const row = nearestBy([...PUBLISHED_GRID.shared], distance);
  const cores = row.hosts * PUBLISHED_GRID.coresOfHost;
  const configuration = `${row.servers} OSS ${row.serverType}, ${row.hosts} nodes ${PUBLISHED_GRID.hostType}, 'about'`;
  return (['write', 'read'] as const).map((phase) => ({
    paper: '002',
    configuration,
    phase,
    MBps: row.MBps,
    MBpsPerCore: row.MBps / cores,
  }));
}

function nearestNfs({ serverType, deviceType, MBps }: NearestWish): PublishedThroughput[] {
  const vcpus = serverType && instanceTypeFacts(serverType)?.vcpus;
  const distance = (row: PublishedIozone) =>
    vcpus
      ? ratioDistance(instanceTypeFacts(row.serverType)!.vcpus, vcpus)
      : ratioDistance(mbps(row.writeKiBps), MBps);
  const devices = deviceType === 'instance-store' ? 'instance-store' : 'st1';
  const row = nearestBy(
    PUBLISHED_IOZONE.filter((one) => one.devices === devices),
    distance,
  );
  const disks = row.devices === 'st1' ? `one st1 volume` : `${row.count} disks`;
  const { count, type } = PUBLISHED_IOZONE_CLIENTS;
  const server = `NFS server ${row.serverType} with ${disks}, ${row.terabytes} TB`;
  const configuration = `${server}, ${count} clients ${type}, IOZone`;
  const rates = {
    write: row.writeKiBps,
    rewrite: row.rewriteKiBps,
    read: row.readKiBps,
    reread: row.rereadKiBps,
  };
  return Object.entries(rates).map(([phase, rate]) => ({
    paper: '003',
    configuration,
    phase: phase as keyof typeof rates,
    MBps: mbps(rate),
  }));
}

function nearestIo2({ coresOfHost }: NearestWish): PublishedThroughput[] {
  const row = nearestBy([...PUBLISHED_IO2], ({ cores }) => ratioDistance(cores, coresOfHost));
  const configuration = `${row.hostType}, io2 Block Express, ${row.terabytes} TB, ${row.iops} IOPS`;
  return [
    {
      paper: '004',
      configuration,
      phase: 'write',
      MBps: row.writeMBpsPerCore * row.cores,
      MBpsPerCore: row.writeMBpsPerCore,
    },
    {
      paper: '004',
      configuration,
      phase: 'read',
      MBps: row.readMBpsPerCore * row.cores,
      MBpsPerCore: row.readMBpsPerCore,
    },
  ];
}

function scratch(): PublishedThroughput[] {
  const { MBps, MBpsPerCore, disks } = PUBLISHED_GRID.temporary;
  const configuration = `${PUBLISHED_GRID.hostType}, RAID 0 over ${disks} instance-store disks, one node, 'about'`;
  return (['write', 'read'] as const).map((phase) => ({
    paper: '002',
    configuration,
    phase,
    MBps,
    MBpsPerCore,
  }));
}

function mbps(KiBps: number): number {
  return (KiBps * 1024) / 1e6;
}

/** How far apart two sizes are: half and double are equally far. */
function ratioDistance(a: number, b: number): number {
  return Math.abs(Math.log2(Math.max(a, 1e-9) / Math.max(b, 1e-9)));
}

function nearestBy<T>(rows: readonly T[], distance: (row: T) => number): T {
  return rows.reduce((best, row) => (distance(row) < distance(best) ? row : best));
}
