import type { Family } from './family';

const XEN = { threadsPerCore: 2, architecture: 'x86_64', hypervisor: 'xen', attachments: 'xen' } as const;
const OLD = { ...XEN, previousGeneration: true } as const;

/**
 * The families that the papers measured (SAS/Intel papers 000-002: C3, I2, M3; 003: C4, D2, M4; 004: R5b).
 * c3.8xlarge and i2.8xlarge have no EBS bandwidth of their own: EBS and clients share one 10 Gb/s interface, which
 * is why paper 001 measured about 500 MB/s per OSS.
 */
export const PAPER_FAMILIES: readonly Family[] = [
  {
    name: 'c3',
    ...OLD,
    disks: 'ssd',
    clusterPlacementGroup: true,
    types: `
      xlarge     4   7.5  2x40   500    -      4
      2xlarge    8   15   2x80   1000   -      4
      4xlarge    16  30   2x160  2000   -      8
      8xlarge    32  60   2x320  -      10000  8`,
  },
  {
    name: 'i2',
    ...OLD,
    disks: 'ssd',
    clusterPlacementGroup: true,
    types: `
      xlarge     4   30.5 1x800  500    -      4
      2xlarge    8   61   2x800  1000   -      4
      4xlarge    16  122  4x800  2000   -      8
      8xlarge    32  244  8x800  -      10000  8`,
  },
  {
    // One vCPU is one hyper-thread; AWS reports it as one core.
    name: 'm3',
    ...OLD,
    disks: 'ssd',
    clusterPlacementGroup: false,
    types: `
      medium     1   3.75 1x4    -      -      2
      large      2   7.5  1x32   -      -      3
      xlarge     4   15   2x40   500    -      4
      2xlarge    8   30   2x80   1000   -      4`,
  },
  {
    name: 'c4',
    ...OLD,
    clusterPlacementGroup: true,
    types: `
      large      2   3.75 -      500    -      3
      xlarge     4   7.5  -      750    -      4
      2xlarge    8   15   -      1000   -      4
      4xlarge    16  30   -      2000   -      8
      8xlarge    36  60   -      4000   10000  8`,
  },
  {
    name: 'm4',
    ...OLD,
    memoryPerVcpu: 4,
    clusterPlacementGroup: true,
    types: `
      large      2   *    -      450    -      2
      xlarge     4   *    -      750    -      4
      2xlarge    8   *    -      1000   -      4
      4xlarge    16  *    -      2000   -      8
      10xlarge   40  *    -      4000   10000  8
      16xlarge   64  *    -      10000  25000  8`,
  },
  {
    name: 'd2',
    ...XEN,
    disks: 'hdd',
    clusterPlacementGroup: true,
    types: `
      xlarge     4   30.5 3x2048   750   -      4
      2xlarge    8   61   6x2048   1000  -      4
      4xlarge    16  122  12x2048  2000  -      8
      8xlarge    36  244  24x2048  4000  10000  8`,
  },
  {
    name: 'r5b',
    threadsPerCore: 2,
    architecture: 'x86_64',
    hypervisor: 'nitro',
    attachments: 'shared',
    memoryPerVcpu: 8,
    clusterPlacementGroup: true,
    types: `
      large      2   *    -      1250/10000  750    3
      xlarge     4   *    -      2500/10000  1250   4
      2xlarge    8   *    -      5000/10000  2500   4
      4xlarge    16  *    -      10000       5000   8
      8xlarge    32  *    -      20000       10000  8
      12xlarge   48  *    -      30000       12000  8
      16xlarge   64  *    -      40000       20000  15
      24xlarge   96  *    -      60000       25000  15
      metal      96  *    -      60000       25000  15`,
  },
];
