import type { Family } from './family';

const INTEL = {
  threadsPerCore: 2,
  architecture: 'x86_64',
  hypervisor: 'nitro',
  disks: 'nvme-ssd',
  clusterPlacementGroup: true,
  memoryPerVcpu: 8,
} as const;

// i7i and i8g have the same disks and EBS bandwidth.
const I7_TYPES = `
      large      2    *  1x468    625/10000   1171   3
      xlarge     4    *  1x937    1250/10000  2343   4
      2xlarge    8    *  1x1875   2500/10000  4687   4
      4xlarge    16   *  1x3750   5000/10000  9375   8
      8xlarge    32   *  2x3750   10000       12500  8
      12xlarge   48   *  3x3750   15000       14063  8
      16xlarge   64   *  4x3750   20000       18750  15
      24xlarge   96   *  6x3750   30000       28125  15
      48xlarge   192  *  12x3750  60000       56250  15`;

/** Families made for instance store. */
export const STORAGE_FAMILIES: readonly Family[] = [
  {
    name: 'i3',
    ...INTEL,
    hypervisor: 'xen',
    attachments: 'xen',
    memoryPerVcpu: 7.625,
    types: `
      large      2    *  1x475    425         750    3
      xlarge     4    *  1x950    850         1250   4
      2xlarge    8    *  1x1900   1700        2500   4
      4xlarge    16   *  2x1900   3500        5000   8
      8xlarge    32   *  4x1900   7000        10000  8
      16xlarge   64   *  8x1900   14000       25000  15`,
  },
  {
    name: 'i3en',
    ...INTEL,
    attachments: 'shared',
    types: `
      large      2    *  1x1250   577/4750    2100   3
      xlarge     4    *  1x2500   1154/4750   4200   4
      2xlarge    8    *  2x2500   2307/4750   8400   4
      3xlarge    12   *  1x7500   3800/4750   12500  4
      6xlarge    24   *  2x7500   4750        25000  8
      12xlarge   48   *  4x7500   9500        50000  8
      24xlarge   96   *  8x7500   19000       100000 15`,
  },
  {
    name: 'i4i',
    ...INTEL,
    attachments: 'shared',
    types: `
      large      2    *  1x468    625/10000   781    3
      xlarge     4    *  1x937    1250/10000  1875   4
      2xlarge    8    *  1x1875   2500/10000  4687   4
      4xlarge    16   *  1x3750   5000/10000  9375   8
      8xlarge    32   *  2x3750   10000       18750  8
      12xlarge   48   *  3x3750   15000       28120  8
      16xlarge   64   *  4x3750   20000       37500  15
      24xlarge   96   *  6x3750   30000       56250  15
      32xlarge   128  *  8x3750   40000       75000  15`,
  },
  { name: 'i7i', ...INTEL, attachments: 'dedicated', types: I7_TYPES },
  {
    name: 'i7ie',
    ...INTEL,
    attachments: 'dedicated',
    types: `
      large      2    *  1x1250   625/10000   2083   3
      xlarge     4    *  1x2500   1250/10000  4166   4
      2xlarge    8    *  2x2500   2500/10000  8333   4
      3xlarge    12   *  1x7500   3750/10000  12500  4
      6xlarge    24   *  2x7500   7500/10000  12500  8
      12xlarge   48   *  4x7500   15000       25000  8
      18xlarge   72   *  6x7500   22500       37500  15
      24xlarge   96   *  8x7500   30000       50000  15
      48xlarge   192  *  16x7500  60000       100000 15`,
  },
  {
    name: 'i8g',
    ...INTEL,
    threadsPerCore: 1,
    architecture: 'arm64',
    attachments: 'dedicated',
    types: I7_TYPES,
  },
];
