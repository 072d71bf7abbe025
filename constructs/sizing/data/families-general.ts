import type { Family } from './family';

const INTEL = {
  threadsPerCore: 2,
  architecture: 'x86_64',
  hypervisor: 'nitro',
  clusterPlacementGroup: true,
  attachments: 'shared',
} as const;
const ARM = { ...INTEL, threadsPerCore: 1, architecture: 'arm64' } as const;

/** Fills a shape's `STORE` column, or '-' when the family has no disks. */
function shape(types: string, disks?: readonly string[]): string {
  const lines = types.trim().split('\n');
  return lines.map((line, i) => line.replace('STORE', disks?.[i] ?? '-')).join('\n');
}

const GENERATION_5 = `
  large      2    *  STORE  650/4750    750    3
  xlarge     4    *  STORE  1150/4750   1250   4
  2xlarge    8    *  STORE  2300/4750   2500   4
  4xlarge    16   *  STORE  4750        5000   8
  8xlarge    32   *  STORE  6800        10000  8
  12xlarge   48   *  STORE  9500        12000  8
  16xlarge   64   *  STORE  13600       20000  15
  24xlarge   96   *  STORE  19000       25000  15`;

const GENERATION_5N = `
  large      2    *  STORE  650/4750    2100   3
  xlarge     4    *  STORE  1150/4750   4100   4
  2xlarge    8    *  STORE  2300/4750   8125   4
  4xlarge    16   *  STORE  4750        16250  8
  8xlarge    32   *  STORE  6800        25000  8
  12xlarge   48   *  STORE  9500        50000  8
  16xlarge   64   *  STORE  13600       75000  15
  24xlarge   96   *  STORE  19000       100000 15`;

const GENERATION_6 = `
  large      2    *  STORE  650/10000   781    3
  xlarge     4    *  STORE  1250/10000  1562   4
  2xlarge    8    *  STORE  2500/10000  3125   4
  4xlarge    16   *  STORE  5000/10000  6250   8
  8xlarge    32   *  STORE  10000       12500  8
  12xlarge   48   *  STORE  15000       18750  8
  16xlarge   64   *  STORE  20000       25000  15
  24xlarge   96   *  STORE  30000       37500  15
  32xlarge   128  *  STORE  40000       50000  15`;

// The 32xlarge has two network cards with 8 interfaces each.
const GENERATION_6N = `
  large      2    *  STORE  1562/25000   3125   3
  xlarge     4    *  STORE  3125/25000   6250   4
  2xlarge    8    *  STORE  6250/25000   12500  4
  4xlarge    16   *  STORE  12500/25000  25000  8
  8xlarge    32   *  STORE  25000        50000  8
  12xlarge   48   *  STORE  37500        75000  8
  16xlarge   64   *  STORE  50000        100000 15
  24xlarge   96   *  STORE  75000        150000 15
  32xlarge   128  *  STORE  100000       200000 8`;

const GENERATION_7 = `
  large      2    *  -  650/10000   781    3
  xlarge     4    *  -  1250/10000  1562   4
  2xlarge    8    *  -  2500/10000  3125   4
  4xlarge    16   *  -  5000/10000  6250   8
  8xlarge    32   *  -  10000       12500  8
  12xlarge   48   *  -  15000       18750  8
  16xlarge   64   *  -  20000       25000  15
  24xlarge   96   *  -  30000       37500  15
  48xlarge   192  *  -  40000       50000  15`;

const GRAVITON_8 = `
  medium     1    *  -  315/10000   520    2
  large      2    *  -  630/10000   937    3
  xlarge     4    *  -  1250/10000  1875   4
  2xlarge    8    *  -  2500/10000  3750   4
  4xlarge    16   *  -  5000/10000  7500   8
  8xlarge    32   *  -  10000       15000  8
  12xlarge   48   *  -  15000       22500  8
  16xlarge   64   *  -  20000       30000  15
  24xlarge   96   *  -  30000       40000  15
  48xlarge   192  *  -  40000       50000  15`;

const DISKS_5D = ['1x75', '1x150', '1x300', '2x300', '2x600', '2x900', '4x600', '4x900'];
const DISKS_6D = ['1x118', '1x237', '1x474', '1x950', '1x1900', '2x1425', '2x1900', '4x1425', '4x1900'];

/** Current general purpose, compute and memory families, with and without disks. */
export const GENERAL_FAMILIES: readonly Family[] = [
  { name: 'm5', ...INTEL, memoryPerVcpu: 4, types: shape(GENERATION_5) },
  { name: 'r5', ...INTEL, memoryPerVcpu: 8, types: shape(GENERATION_5) },
  { name: 'm5d', ...INTEL, memoryPerVcpu: 4, disks: 'nvme-ssd', types: shape(GENERATION_5, DISKS_5D) },
  { name: 'r5d', ...INTEL, memoryPerVcpu: 8, disks: 'nvme-ssd', types: shape(GENERATION_5, DISKS_5D) },
  { name: 'm5n', ...INTEL, memoryPerVcpu: 4, types: shape(GENERATION_5N) },
  { name: 'r5n', ...INTEL, memoryPerVcpu: 8, types: shape(GENERATION_5N) },
  { name: 'm5dn', ...INTEL, memoryPerVcpu: 4, disks: 'nvme-ssd', types: shape(GENERATION_5N, DISKS_5D) },
  { name: 'r5dn', ...INTEL, memoryPerVcpu: 8, disks: 'nvme-ssd', types: shape(GENERATION_5N, DISKS_5D) },
  { name: 'c6i', ...INTEL, memoryPerVcpu: 2, types: shape(GENERATION_6) },
  { name: 'm6i', ...INTEL, memoryPerVcpu: 4, types: shape(GENERATION_6) },
  { name: 'r6i', ...INTEL, memoryPerVcpu: 8, types: shape(GENERATION_6) },
  { name: 'c6id', ...INTEL, memoryPerVcpu: 2, disks: 'nvme-ssd', types: shape(GENERATION_6, DISKS_6D) },
  { name: 'm6id', ...INTEL, memoryPerVcpu: 4, disks: 'nvme-ssd', types: shape(GENERATION_6, DISKS_6D) },
  { name: 'r6id', ...INTEL, memoryPerVcpu: 8, disks: 'nvme-ssd', types: shape(GENERATION_6, DISKS_6D) },
  { name: 'c6in', ...INTEL, memoryPerVcpu: 2, types: shape(GENERATION_6N) },
  { name: 'm6in', ...INTEL, memoryPerVcpu: 4, types: shape(GENERATION_6N) },
  { name: 'r6in', ...INTEL, memoryPerVcpu: 8, types: shape(GENERATION_6N) },
  { name: 'm6idn', ...INTEL, memoryPerVcpu: 4, disks: 'nvme-ssd', types: shape(GENERATION_6N, DISKS_6D) },
  { name: 'r6idn', ...INTEL, memoryPerVcpu: 8, disks: 'nvme-ssd', types: shape(GENERATION_6N, DISKS_6D) },
  { name: 'c7i', ...INTEL, memoryPerVcpu: 2, attachments: 'dedicated', types: GENERATION_7 },
  { name: 'm7i', ...INTEL, memoryPerVcpu: 4, attachments: 'dedicated', types: GENERATION_7 },
  { name: 'r7i', ...INTEL, memoryPerVcpu: 8, attachments: 'dedicated', types: GENERATION_7 },
  {
    name: 'c7gn',
    ...ARM,
    memoryPerVcpu: 2,
    types: `
      medium     1    *  -  521/10000    3125   2
      large      2    *  -  1042/10000   6250   3
      xlarge     4    *  -  2083/10000   12500  4
      2xlarge    8    *  -  4167/10000   25000  4
      4xlarge    16   *  -  8333/10000   50000  8
      8xlarge    32   *  -  16667/20000  100000 8
      12xlarge   48   *  -  25000/30000  150000 8
      16xlarge   64   *  -  33333/40000  200000 15`,
  },
  { name: 'm8g', ...ARM, memoryPerVcpu: 4, attachments: 'dedicated', types: GRAVITON_8 },
  {
    // No cluster placement group takes a burstable type: kept so that the refusal can say so.
    name: 't3',
    ...INTEL,
    clusterPlacementGroup: false,
    burstable: true,
    types: `
      nano       2    0.5  -  43/2085   32    2
      micro      2    1    -  87/2085   64    2
      small      2    2    -  174/2085  128   3
      medium     2    4    -  347/2085  256   3
      large      2    8    -  695/2780  512   3
      xlarge     4    16   -  695/2780  1024  4
      2xlarge    8    32   -  695/2780  2048  4`,
  },
  {
    name: 't4g',
    ...ARM,
    clusterPlacementGroup: false,
    burstable: true,
    types: `
      nano       2    0.5  -  32/2606    32    2
      micro      2    1    -  64/2606    64    2
      small      2    2    -  128/2606   128   3
      medium     2    4    -  256/2606   256   3
      large      2    8    -  512/3475   512   3
      xlarge     4    16   -  1024/3475  1024  4
      2xlarge    8    32   -  2048/3475  2048  4`,
  },
];
