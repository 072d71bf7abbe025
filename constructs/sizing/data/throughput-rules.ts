import type { Source } from '../facts';

/** What volumes deliver while they have credits, in MiB/s: by size, up to the most of the type. */
export const BURST_THROUGHPUT = {
  perTiB: { st1: 250, sc1: 80 } as { readonly [type: string]: number },
  gp2Iops: 3000,
  kibPerOperation: 256,
  source: {
    title: 'Amazon EBS volume types: burst throughput of st1 and sc1, burst of gp2 to 3000 IOPS',
    reference: 'https://docs.aws.amazon.com/ebs/latest/userguide/ebs-volume-types.html',
    checked: '2026-11-22',
  } as Source,
} as const;

/**
 * What is left for clients of an interface that carries their traffic and that of the volumes: 001 expects "the 500
 * MB/s range" of 10 Gbit/s (1250 MB/s), and 002 measured 1.5 GB/s with three such servers. Half would be 625 MB/s: so
 * much is lost besides.
 */
export const SHARED_INTERFACE = {
  share: 0.4,
  source: {
    title: 'SAS and Intel: SAS Grid Manager 9.4 on Lustre, what one OSS delivers on its 10 Gbit/s',
    reference: 'paper 001',
    checked: '2026-11-22',
  } as Source,
} as const;

/** EFS counts a byte that is read as a third of one that is written. */
export const EFS_METERING = {
  readsForOneWrite: 3,
  source: {
    title: 'Amazon EFS pricing: provisioned throughput is metered at 1:3 for reads',
    reference: 'https://www.amazonaws.cn/en/efs/pricing/',
    checked: '2026-11-22',
  } as Source,
} as const;

/** A read that is faster than this share of what the path to the data can carry came out of memory. */
export const CACHED_FROM = 1.1;

/** What EFS lets a single client read and write, MiB/s, when throughput is provisioned (elastic: 1500). */
export const EFS_CLIENT = {
  mibps: 500,
  source: {
    title: 'Amazon EFS User Guide, performance specifications: read and write throughput for each client',
    reference: 'https://docs.aws.amazon.com/efs/latest/ug/performance.html',
    checked: '2026-11-22',
  } as Source,
} as const;
