import {
  NFS_FAMILIES,
  NFS_SERVER_LIMITS,
  NFS_SERVER_SIZES,
  type NfsServerSize,
  SUSTAINED_THROUGHPUT,
} from './data/nfs-server';
import { type EbsVolumeSpec, ebsVolumeLimits, GP3_BASELINE } from './ebs-volumes';
import type { InstanceTypeFacts } from './facts';
import { knownInstanceTypes } from './instance-types';

export {
  AWS_CLI,
  LINUX_NFS,
  NFS_SERVER_LIMITS,
  NFS_SERVER_SIZES,
  NFS_SERVER_SOURCES,
} from './data/nfs-server';

const MIB = 1024 * 1024;
const KIB_PER_MIB = 1024;
const GIB_PER_TIB = 1024;

/** One of the paper's sizes by its name, `Medium-5TB` for example. */
export function nfsServerSize(name: string): NfsServerSize | undefined {
  return NFS_SERVER_SIZES.find((size) => size.name === name);
}

/**
 * What one volume delivers all day, in MB/s (10^6 bytes), without what it can do for a while.
 *
 * @returns undefined when its type is not in the table, or when what it depends on is not known
 */
export function sustainedVolumeMBps(volume: EbsVolumeSpec): number | undefined {
  const limits = ebsVolumeLimits(volume.type);
  const mibps = limits && unlimitedMiBps(volume);
  return mibps === undefined ? undefined : (Math.min(mibps, limits!.maxThroughputMiBps) * MIB) / 1e6;
}

function unlimitedMiBps({ type, sizeGiB, iops, throughputMiBps }: EbsVolumeSpec): number | undefined {
  const { perTiB, gp2IopsPerGiB, gp2LeastIops, kibPerOperation } = SUSTAINED_THROUGHPUT;
  const ofIops = (count: number) => (count * kibPerOperation) / KIB_PER_MIB;
  if (type === 'gp3') return throughputMiBps ?? GP3_BASELINE.throughputMiBps;
  if (type === 'io1' || type === 'io2') return iops === undefined ? undefined : ofIops(iops);
  if (sizeGiB === undefined) return undefined;
  if (type === 'gp2') return ofIops(Math.max(gp2LeastIops, sizeGiB * gp2IopsPerGiB));
  return (perTiB[type]! * sizeGiB) / GIB_PER_TIB;
}

/**
 * What a server can pass on all day, in MB/s: the lesser of its network and, with volumes, its EBS bandwidth.
 *
 * @returns undefined when AWS names no number for the type's network
 */
export function sustainedServerMBps(facts: InstanceTypeFacts, withVolumes: boolean): number | undefined {
  if (facts.networkBaselineMbps === undefined) return undefined;
  // Without EBS bandwidth of its own the volumes' and the clients' traffic share the interface.
  const ebs = facts.ebs?.baselineMbps ?? facts.networkBaselineMbps / 2;
  return Math.min(facts.networkBaselineMbps, withVolumes ? ebs : Number.POSITIVE_INFINITY) / 8;
}

/** What a server is to be able to do. */
export interface NfsServerWish {
  /** MB/s for the clients together, all day; 0 for no matter. */
  readonly throughputMBps: number;
  /** Instance store in GB (10^9 bytes); left out: volumes. */
  readonly instanceStoreGB?: number;
}

/** The smallest type that does it, or how much the largest one does. */
export interface NfsServerChoice {
  readonly type?: string;
  readonly mostMBps: number;
  readonly mostInstanceStoreGB: number;
}

/** Chooses the type of a server from what it is to be able to do all day. */
export function chooseNfsServer({ throughputMBps, instanceStoreGB }: NfsServerWish): NfsServerChoice {
  const volumes = instanceStoreGB === undefined;
  const family = volumes ? NFS_FAMILIES.ebs : NFS_FAMILIES.instanceStore;
  const candidates = knownInstanceTypes()
    .filter((facts) => facts.family === family)
    .map((facts) => ({
      name: facts.name,
      vcpus: facts.vcpus,
      mbps: sustainedServerMBps(facts, volumes) ?? 0,
      storeGB: (facts.instanceStore?.disks ?? 0) * (facts.instanceStore?.diskSizeGB ?? 0),
    }))
    .sort((a, b) => a.vcpus - b.vcpus);
  const fit = candidates.find(
    ({ mbps, storeGB }) => mbps >= throughputMBps && storeGB >= (instanceStoreGB ?? 0),
  );
  return {
    type: fit?.name,
    mostMBps: Math.max(...candidates.map(({ mbps }) => mbps)),
    mostInstanceStoreGB: Math.max(...candidates.map(({ storeGB }) => storeGB)),
  };
}

/** What of a server is known, for advice. */
export interface NfsServerLoad {
  readonly capacityTiB?: number;
  readonly throughputMBps?: number;
  readonly clients?: number;
}

/**
 * Which of the paper's limits a server exceeds.
 *
 * @returns one sentence part each, nothing when an NFS server is the right choice
 */
export function beyondOneNfsServer({ capacityTiB, throughputMBps, clients }: NfsServerLoad): string[] {
  const most = NFS_SERVER_LIMITS;
  const over = (value: number | undefined, limit: number) => value !== undefined && value > limit;
  return [
    ...(over(capacityTiB, most.capacityTiB)
      ? [`${Math.round(capacityTiB!)} TiB is more than ${most.capacityTiB} TiB`]
      : []),
    ...(over(throughputMBps, most.throughputMBps)
      ? [`${Math.round(throughputMBps!)} MB/s is more than 1 GB/s`]
      : []),
    ...(over(clients, most.clients) ? [`${clients} clients are more than ${most.clients}`] : []),
  ];
}
