import type { Source } from '../facts';

/** What the results below are from. */
export const PUBLISHED_RESULTS_SOURCES: readonly Source[] = [
  {
    title: 'SAS and Intel: SAS Grid Manager 9.4 on Lustre (mixed workload; what one OSS delivers)',
    reference: 'paper 001',
    checked: '2026-11-22',
  },
  {
    title: 'SAS and AWS: shared and temporary storage of a SAS grid (MB/s per physical core)',
    reference: 'paper 002',
    checked: '2026-11-22',
  },
  {
    title:
      'NFS storage server on AWS for clusters (IOZone with eight clients, May 2016), results and appendix',
    reference: 'paper 003',
    checked: '2026-11-22',
  },
  {
    title: 'SAS on io2 Block Express (RHEL I/O test on R5b), table 3',
    reference: 'paper 004',
    checked: '2026-11-22',
  },
];

/**
 * One server of paper 003: the sum of what eight clients saw, as IOZone printed it, in its kB (1024 bytes) a second.
 */
export interface PublishedIozone {
  readonly serverType: string;
  readonly devices: 'instance-store' | 'st1';
  /** Disks or volumes, and the size that the paper gives for all of them. */
  readonly count: number;
  readonly terabytes: number;
  readonly writeKiBps: number;
  readonly rewriteKiBps: number;
  readonly readKiBps: number;
  readonly rereadKiBps: number;
}

/**
 * The clients of paper 003: eight c4.8xlarge, a process each, 120 GiB a process, twice their memory, records of 1 MiB.
 */
export const PUBLISHED_IOZONE_CLIENTS = {
  count: 8,
  type: 'c4.8xlarge',
  fileGiB: 120,
  recordKiB: 1024,
} as const;

/**
 * The raw figures of the appendix of paper 003. Its tables (write and read) show these divided by 1000, without the
 * fraction: 147717.73 is "147 MB/sec" there, and 151.3 MB/s of 10^6 bytes in truth. (For d2.2xlarge the appendix shows
 * averages of a process that do not go with its totals of read and reread, and the date of another run; the totals are
 * those of the table.)
 */
export const PUBLISHED_IOZONE: readonly PublishedIozone[] = [
  iozone('d2.xlarge', 'instance-store', 3, 5.5, [147717.73, 151580.48, 138103.15, 118435.39]),
  iozone('d2.2xlarge', 'instance-store', 6, 11, [310143.49, 322064.49, 330245.65, 352061.43]),
  iozone('d2.4xlarge', 'instance-store', 12, 22, [599067.59, 612371.56, 606504.35, 611952.79]),
  iozone('d2.8xlarge', 'instance-store', 24, 44, [1140811.62, 1191331.59, 1301490.27, 1402937.38]),
  iozone('m4.xlarge', 'st1', 1, 2, [90782.33, 90784.08, 88966.68, 88968.39]),
  iozone('m4.2xlarge', 'st1', 1, 5, [116330.98, 125249.73, 124474.14, 134017.21]),
  iozone('m4.4xlarge', 'st1', 1, 9.5, [260693.92, 270876.66, 420912.5, 569492.38]),
  iozone('m4.10xlarge', 'st1', 1, 14, [507382.46, 526611.62, 488387.16, 487483.99]),
];

function iozone(
  serverType: string,
  devices: PublishedIozone['devices'],
  count: number,
  terabytes: number,
  [writeKiBps, rewriteKiBps, readKiBps, rereadKiBps]: [number, number, number, number],
): PublishedIozone {
  return { serverType, devices, count, terabytes, writeKiBps, rewriteKiBps, readKiBps, rereadKiBps };
}

/** A host of paper 004 with one io2 Block Express volume: MB/s per physical core. */
export interface PublishedIo2 {
  readonly hostType: string;
  readonly cores: number;
  readonly terabytes: number;
  readonly iops: number;
  readonly readMBpsPerCore: number;
  readonly writeMBpsPerCore: number;
}

/** Table 3 of paper 004. Wanted are 100 to 125 MB/s per physical core. */
export const PUBLISHED_IO2: readonly PublishedIo2[] = [
  {
    hostType: 'r5b.4xlarge',
    cores: 8,
    terabytes: 40,
    iops: 5000,
    readMBpsPerCore: 150.29,
    writeMBpsPerCore: 150.3,
  },
  {
    hostType: 'r5b.8xlarge',
    cores: 16,
    terabytes: 40,
    iops: 10_000,
    readMBpsPerCore: 152.88,
    writeMBpsPerCore: 152.59,
  },
  {
    hostType: 'r5b.12xlarge',
    cores: 24,
    terabytes: 40,
    iops: 15_000,
    readMBpsPerCore: 152.9,
    writeMBpsPerCore: 152.64,
  },
];

/** What paper 002 says of i2.8xlarge nodes (16 cores each), "about", reads and writes alike. */
export const PUBLISHED_GRID = {
  hostType: 'i2.8xlarge',
  coresOfHost: 16,
  /** RAID 0 over eight disks of 800 GB, each node on its own. */
  temporary: { MBps: 3000, MBpsPerCore: 200, disks: 8 },
  /** Four nodes, 64 cores, at the same time. OSS are c3.8xlarge with eight gp2 volumes of 750 GB. */
  shared: [
    { servers: 3, serverType: 'c3.8xlarge', MBps: 1500, hosts: 4 },
    { servers: 6, serverType: 'c3.8xlarge', MBps: 3000, hosts: 4 },
  ],
  /** What one OSS delivers where volumes and clients share its 10 Gbit/s (001). */
  MBpsPerServer: 500,
} as const;

/**
 * The mixed workload (001): sums over its 101 jobs, and the mean of the jobs' ratios of processor time to real time.
 */
export interface PublishedMixed {
  readonly name: string;
  readonly realMinutes: number;
  readonly userMinutes: number;
  readonly systemMinutes: number;
  /** Memory that the jobs used, in sum. */
  readonly memoryGB: number;
  readonly ratioMean: number;
  readonly ratioStandardDeviation: number;
  readonly ratioRange: number;
}

/** The two tables of paper 001. */
export const PUBLISHED_MIXED: readonly PublishedMixed[] = [
  {
    name: 'temporary and shared files on Lustre, four i2.8xlarge',
    realMinutes: 1493,
    userMinutes: 1094,
    systemMinutes: 434,
    memoryGB: 192.6,
    ratioMean: 0.95,
    ratioStandardDeviation: 0.354,
    ratioRange: 2.79,
  },
  {
    name: 'temporary files on local disks of one large host',
    realMinutes: 1481,
    userMinutes: 1750,
    systemMinutes: 275,
    memoryGB: 92.42,
    ratioMean: 1.15,
    ratioStandardDeviation: 0.369,
    ratioRange: 2.107,
  },
];

/**
 * What SAS wants, MB/s per physical core: to pass, and from where on all is well (002 for temporary and shared space,
 * 004 for io2).
 */
export const WANTED_MBPS_PER_CORE = {
  temporary: { least: 100, comfortable: 100 },
  shared: { least: 50, comfortable: 75 },
  io2: { least: 100, comfortable: 125 },
} as const;
