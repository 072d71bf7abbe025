import { PRICES_2021 } from './data/prices-papers';
import type { Source } from './facts';

/** What the rules below rest on. Prices are list prices of us-east-1 in USD a month. */
export const IO2_SOURCES: readonly Source[] = [
  {
    title: 'SAS on io2 Block Express (paper 004): IOPS from throughput, volumes of 4000 MB/s, prices',
    reference: 'paper 004',
    checked: '2026-11-21',
  },
  {
    title:
      'Amazon EBS User Guide, "Attach an EBS volume to multiple EC2 instances using Multi-Attach" (16 Nitro ' +
      'instances, one zone)',
    reference: 'https://docs.aws.amazon.com/ebs/latest/userguide/ebs-volumes-multi.html',
    checked: '2026-11-21',
  },
  {
    title: 'AWS::EC2::Volume, MultiAttachEnabled: what CloudFormation does not change',
    reference:
      'https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-ec2-volume.html',
    checked: '2026-11-21',
  },
];

/**
 * One input/output operation of io2 moves this much at most: throughput costs one IOPS for each 256 KiB a second (paper
 * 004).
 */
const IO2_OPERATION_BYTES = 256 * 1024;

/** What one io2 volume delivers, in MB/s (paper 004). */
export const IO2_VOLUME_MBPS = 4000;

/** How far a re-test may move the IOPS, in percent (paper 004). */
export const IO2_ADJUSTMENT_PERCENT = 10;

/**
 * How many instances share one io2 volume (EBS User Guide, Multi-Attach), and how many nodes Red Hat supports with one
 * GFS2.
 */
export const MULTI_ATTACH_NODES = { min: 2, max: 16 } as const;

/** Memory that SAS wants for each physical core, in GiB (paper 004). */
export const MEMORY_PER_CORE_GIB = 8;

/** Volumes of equal size and speed. */
export interface Io2Layout {
  readonly volumes: number;
  readonly sizeGiB: number;
  readonly iops: number;
}

/** What the volumes are to deliver and hold together. */
export interface Io2Demand {
  readonly throughputMBps: number;
  readonly sizeGiB: number;
  /** Percent by which the IOPS differ from the formula. */
  readonly adjustmentPercent?: number;
}

/** IOPS for a throughput in MB/s (10^6 bytes a second), rounded up: 3750 MB/s are 14,306. */
export function io2Iops(throughputMBps: number, adjustmentPercent = 0): number {
  // Percent first, in whole numbers: 1.1 has no exact binary form, and the rounding would show it.
  return Math.ceil((throughputMBps * 1e6 * (100 + adjustmentPercent)) / (100 * IO2_OPERATION_BYTES));
}

/** As few volumes as deliver the throughput, in equal shares. */
export function io2Layout({ throughputMBps, sizeGiB, adjustmentPercent }: Io2Demand): Io2Layout {
  const volumes = Math.max(1, Math.ceil(throughputMBps / IO2_VOLUME_MBPS));
  return {
    volumes,
    sizeGiB: Math.ceil(sizeGiB / volumes),
    iops: Math.ceil(io2Iops(throughputMBps, adjustmentPercent) / volumes),
  };
}

/** What the volumes cost a month in us-east-1 (paper 004; "GB" on the bill is GiB). */
export function io2MonthlyUsd({ volumes, sizeGiB, iops }: Io2Layout): number {
  const { gbMonth, iopsMonth } = PRICES_2021.ebs.io2!;
  let [usd, from] = [sizeGiB * gbMonth, 0];
  for (const { upTo = Number.POSITIVE_INFINITY, usd: price } of iopsMonth) {
    usd += Math.max(0, Math.min(iops, upTo) - from) * price;
    from = upTo;
  }
  return volumes * usd;
}
