import { maxDataVolumes } from '../../attachments';
import { NFS_FAMILIES } from '../../data/nfs-server';
import type { InstanceTypeFacts } from '../../facts';
import { knownInstanceTypes } from '../../instance-types';
import { type Both, disksMBps } from '../devices';
import { mixOf } from '../predict';

/** A type that can serve volumes. */
export interface VolumeServer {
  readonly type: string;
  /** What volumes and network let it pass on all day, MB/s. */
  readonly mbps: number;
  readonly mostVolumes: number;
  readonly memoryGiB: number;
}

/** A type that can serve its disks. */
export interface DiskServer {
  readonly type: string;
  readonly store: Both;
  readonly networkMBps: number;
  readonly memoryGiB: number;
  readonly storeGiB: number;
  readonly disks: number;
}

// The most disk for its cores, the fastest disks for their size, and both together, of those with a known throughput.
const DISK_FAMILIES = ['i3en', 'i4i', 'i7ie'];
const GIB_PER_GB = 1e9 / 2 ** 30;

/** The family of the reference deployments: twice the bandwidth to volumes of the general ones (see NFS_FAMILIES). */
export const VOLUME_SERVERS: readonly VolumeServer[] = knownInstanceTypes()
  .filter(({ family }) => family === NFS_FAMILIES.ebs)
  .map((facts) => ({
    type: facts.name,
    mbps: Math.min(facts.ebs!.baselineMbps, facts.networkBaselineMbps!) / 8,
    mostVolumes: maxDataVolumes(facts.name) ?? 0,
    memoryGiB: facts.memoryGiB,
  }));

/** Types with disks whose throughput is known. */
export const DISK_SERVERS: readonly DiskServer[] = knownInstanceTypes()
  .filter(({ family }) => DISK_FAMILIES.includes(family))
  .map(diskServer);

function diskServer(facts: InstanceTypeFacts): DiskServer {
  const { disks, diskSizeGB } = facts.instanceStore!;
  return {
    type: facts.name,
    store: disksMBps(facts, disks)!,
    networkMBps: facts.networkBaselineMbps! / 8,
    memoryGiB: facts.memoryGiB,
    storeGiB: Math.floor(disks * diskSizeGB * GIB_PER_GB),
    disks,
  };
}

/** What a server passes on of reads and writes in turns, MB/s. */
export function passesOn({ store, networkMBps }: DiskServer, readShare: number): number {
  return Math.min(networkMBps, mixOf(store, readShare));
}
