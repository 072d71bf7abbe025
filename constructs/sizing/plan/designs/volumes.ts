import { ebsVolumeLimits, GP3_BASELINE } from '../../ebs-volumes';
import { io2Iops } from '../../io2-block-express';
import type { StorageDevices } from '../configuration';

/** One volume of several, by what it has to hold and to deliver. */
export type Volume = Omit<StorageDevices, 'count'>;

const MIB_IN_MB = 1.048576;
// EBS User Guide: 0.25 MiB/s for each IOPS of gp3.
const GP3_IOPS_PER_MIBPS = 4;
const GIB_PER_TIB = 1024;
// EBS User Guide: what st1 delivers all day.
const ST1_MIBPS_PER_TIB = 40;

/** The most that one volume of a type delivers, MB/s. */
export function mostOfVolume(type: string): number {
  return ebsVolumeLimits(type)!.maxThroughputMiBps * MIB_IN_MB;
}

/** The largest volume of a type, in GiB. */
export function largestVolume(type: string): number {
  return ebsVolumeLimits(type)!.maxSizeGiB;
}

/** The smallest volume of a type that holds and delivers so much all day; undefined when none does. */
export function volumeFor(type: 'gp3' | 'io2' | 'st1', wantedGiB: number, mbps: number): Volume | undefined {
  const { minSizeGiB, maxSizeGiB, maxThroughputMiBps, iops } = ebsVolumeLimits(type)!;
  const mibps = Math.ceil(mbps / MIB_IN_MB - 1e-9);
  if (mibps > maxThroughputMiBps) return undefined;
  const least = Math.max(minSizeGiB, Math.ceil(wantedGiB));
  if (type === 'st1') {
    const sizeGiB = Math.max(least, Math.ceil((mibps * GIB_PER_TIB) / ST1_MIBPS_PER_TIB));
    return sizeGiB > maxSizeGiB ? undefined : { type, sizeGiB };
  }
  if (type === 'gp3') {
    const throughputMiBps = Math.max(GP3_BASELINE.throughputMiBps, mibps);
    const needed = Math.max(GP3_BASELINE.iops, throughputMiBps * GP3_IOPS_PER_MIBPS);
    const sizeGiB = Math.max(least, Math.ceil(needed / iops!.perGiB));
    return sizeGiB > maxSizeGiB ? undefined : { type, sizeGiB, iops: needed, throughputMiBps };
  }
  const needed = Math.max(iops!.min, io2Iops(mbps));
  const sizeGiB = Math.max(least, Math.ceil(needed / iops!.perGiB));
  return sizeGiB > maxSizeGiB ? undefined : { type, sizeGiB, iops: needed };
}
