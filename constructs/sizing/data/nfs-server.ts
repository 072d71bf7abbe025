import type { Source } from '../facts';

const EBS_TYPES: Source = {
  title:
    'Amazon EBS volume types (baseline and burst throughput of st1, sc1 and gp2; 256 KiB an operation for io1 and io2)',
  reference: 'https://docs.aws.amazon.com/ebs/latest/userguide/ebs-volume-types.html',
  checked: '2026-11-21',
};

const PAPER: Source = {
  title: 'SAS and Intel: NFS storage server on AWS for clusters (limits, presets, measurements of May 2016)',
  reference: 'paper 003',
  checked: '2026-11-21',
};

/** Up to where one NFS server is the right choice; above, Lustre is. */
export const NFS_SERVER_LIMITS = {
  capacityTiB: 48,
  throughputMBps: 1000,
  clients: 32,
  source: PAPER,
} as const;

/**
 * What kinds of volume deliver all day, in MiB/s. st1 and sc1 go by size and burst for a while; the others go by the
 * operations that they have, of 256 KiB at most.
 */
export const SUSTAINED_THROUGHPUT = {
  perTiB: { st1: 40, sc1: 12 } as { readonly [type: string]: number },
  gp2IopsPerGiB: 3,
  gp2LeastIops: 100,
  kibPerOperation: 256,
  source: EBS_TYPES,
} as const;

/** What nfsd and the NFS client of Linux take. */
export const LINUX_NFS = {
  mostThreads: 8192,
  mostConnections: 16,
  source: {
    title: 'Linux: NFSD_MAXSERVS in fs/nfsd, NFS_MAX_CONNECTIONS in fs/nfs/fs_context.c',
    reference: 'https://github.com/torvalds/linux/tree/v6.6/fs',
    checked: '2026-11-21',
  } as Source,
} as const;

/**
 * Families from which the type of a server is chosen. The volumes' kind: the EBS and network bandwidth that holds all
 * day is two and a half times that of the general families of the same size. Instance store: the most disk for its
 * vCPUs of those that are sold in most regions, and the family of paper 004.
 */
export const NFS_FAMILIES = { ebs: 'm6in', instanceStore: 'i3en' } as const;

/** One of the paper's sizes. */
export interface NfsServerSize {
  readonly name: string;
  /** The paper says GB; EBS counts GiB. */
  readonly volumeGiB: number;
  readonly paperType: string;
  /** Write, rewrite, read, reread with eight clients, MB/s. */
  readonly measuredMBps: readonly [number, number, number, number];
}

/** The presets of the paper, with one st1 volume each. */
export const NFS_SERVER_SIZES: readonly NfsServerSize[] = [
  { name: 'Small-2TB', volumeGiB: 2000, paperType: 'm4.xlarge', measuredMBps: [90, 91, 88, 89] },
  { name: 'Medium-5TB', volumeGiB: 5000, paperType: 'm4.2xlarge', measuredMBps: [116, 125, 124, 134] },
  { name: 'Large-10TB', volumeGiB: 10000, paperType: 'm4.4xlarge', measuredMBps: [260, 271, 420, 569] },
  { name: 'XLarge-15TB', volumeGiB: 15000, paperType: 'm4.10xlarge', measuredMBps: [507, 527, 488, 487] },
];

/** The sources of this table. */
export const NFS_SERVER_SOURCES: readonly Source[] = [PAPER, EBS_TYPES, LINUX_NFS.source];

/** The AWS CLI that a host gets that has none and whose distribution has none. */
export const AWS_CLI = {
  version: '2.34.7',
  source: {
    title: 'AWS CLI version 2: past releases; the build is fetched by its version',
    reference: 'https://docs.aws.amazon.com/cli/latest/userguide/getting-started-version.html',
    checked: '2026-11-21',
  } as Source,
} as const;
