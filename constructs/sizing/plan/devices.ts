import { diskThroughput } from '../data/disk-throughput';
import { BURST_THROUGHPUT } from '../data/throughput-rules';
import { ebsVolumeLimits } from '../ebs-volumes';
import type { InstanceTypeFacts } from '../facts';
import { sustainedVolumeMBps } from '../nfs-server';
import type { StorageDevices } from './configuration';

const MIB_IN_MB = 1.048576;
const GIB_PER_TIB = 1024;
const KIB_PER_MIB = 1024;

/** Reading and writing, MB/s. */
export interface Both {
  readonly readMBps: number;
  readonly writeMBps: number;
}

/** What disks of the instance store deliver together; undefined when it is not known for the type. */
export function disksMBps(facts: InstanceTypeFacts, count: number): Both | undefined {
  if (!facts.instanceStore) return undefined;
  const one = diskThroughput(facts.family, facts.instanceStore.diskSizeGB);
  return one && { readMBps: count * one.readMBps, writeMBps: count * one.writeMBps };
}

/** What one volume delivers, MB/s; undefined when what it depends on is not known. */
export function volumeMBps(volume: StorageDevices, credits: 'full' | 'spent'): number | undefined {
  const sustained = sustainedVolumeMBps(volume);
  if (sustained === undefined || credits === 'spent') return sustained;
  return Math.max(sustained, burstMiBps(volume) * MIB_IN_MB);
}

function burstMiBps({ type, sizeGiB = 0 }: StorageDevices): number {
  const { perTiB, gp2Iops, kibPerOperation } = BURST_THROUGHPUT;
  const most = ebsVolumeLimits(type)!.maxThroughputMiBps;
  if (type === 'gp2') return Math.min(most, (gp2Iops * kibPerOperation) / KIB_PER_MIB);
  return Math.min(most, ((perTiB[type] ?? 0) * sizeGiB) / GIB_PER_TIB);
}
