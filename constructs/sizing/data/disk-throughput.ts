import type { Source } from '../facts';

const STORAGE_OPTIMIZED: Source = {
  title:
    'Amazon EC2 instance types guide: storage optimized instances, 100 % random read and write IOPS of the ' +
    'instance store',
  reference: 'https://docs.aws.amazon.com/ec2/latest/instancetypes/so.html',
  checked: '2026-11-22',
};

const PAPER_002: Source = {
  title: 'SAS and AWS: about 3 GB/s of temporary storage on i2.8xlarge, RAID 0 over eight disks',
  reference: 'paper 002',
  checked: '2026-11-22',
};

const PAPER_003: Source = {
  title:
    'NFS storage server on AWS for clusters: eight figures of four D2 sizes; the median is 51 MB/s for each disk',
  reference: 'paper 003',
  checked: '2026-11-22',
};

/** What one disk of the instance store delivers from one end of a file to the other, in MB/s. */
export interface DiskThroughput {
  readonly readMBps: number;
  readonly writeMBps: number;
  readonly source: Source;
}

// AWS names operations of 4 KiB, not MB/s. A disk that does so many at random moves at least as much in one piece: the
// figures below are what the disks deliver at least.
const OPERATION_BYTES = 4096;

// Operations a second of the family's largest disk. On smaller disks they go with the size.
const NVME: { readonly [family: string]: { sizeGB: number; readIops: number; writeIops: number } } = {
  i3: { sizeGB: 1900, readIops: 412_500, writeIops: 180_000 },
  i3en: { sizeGB: 7500, readIops: 250_000, writeIops: 200_000 },
  i4i: { sizeGB: 3750, readIops: 400_000, writeIops: 220_000 },
  i7i: { sizeGB: 3750, readIops: 600_000, writeIops: 330_000 },
  i7ie: { sizeGB: 7500, readIops: 325_000, writeIops: 260_000 },
  i8g: { sizeGB: 3750, readIops: 600_000, writeIops: 330_000 },
};

const MEASURED: { readonly [family: string]: DiskThroughput } = {
  d2: { readMBps: 51, writeMBps: 51, source: PAPER_003 },
  i2: { readMBps: 375, writeMBps: 375, source: PAPER_002 },
};

/**
 * What one disk of a family delivers.
 *
 * @param diskSizeGB its size in 10^9 bytes
 * @returns undefined when neither AWS nor a paper says it
 */
export function diskThroughput(family: string, diskSizeGB: number): DiskThroughput | undefined {
  const iops = NVME[family];
  if (!iops) return MEASURED[family];
  const share = (OPERATION_BYTES * diskSizeGB) / iops.sizeGB / 1e6;
  return {
    readMBps: iops.readIops * share,
    writeMBps: iops.writeIops * share,
    source: STORAGE_OPTIMIZED,
  };
}
