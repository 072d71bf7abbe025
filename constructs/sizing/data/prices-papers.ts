import type { PriceSource, RegionPrices } from './prices/region-prices';

/**
 * Paper 003, May 2016. Its prices by the hour and by the month go together with EU (Ireland) and 30.4 days of 24 hours.
 */
const PAPER_003: PriceSource = {
  title: 'NFS storage server on AWS for clusters: expected costs, in USD',
  reference: 'paper 003',
  pricesOf: '2016-05-01',
  checked: '2026-11-22',
};

const PAPER_004: PriceSource = {
  title: 'SAS on io2 Block Express: cost considerations, in USD',
  reference: 'paper 004',
  pricesOf: '2021-04-12',
  checked: '2026-11-22',
};

/** The hours that paper 003 counts in a month: 30.4 days. */
export const PAPER_HOURS_PER_MONTH = 729.6;

/** Prices of 2016, as paper 003 has them. */
export const PRICES_2016: RegionPrices = {
  region: 'eu-west-1 in 2016 (paper 003)',
  instances: {
    perXlargeHour: { c4: 0.238, d2: 0.735 },
    exactHour: {
      'c4.large': 0.119,
      'c4.2xlarge': 0.477,
      'c4.4xlarge': 0.953,
      'c4.8xlarge': 1.906,
    },
    source: PAPER_003,
  },
  ebs: { st1: { gbMonth: 0.05 }, source: PAPER_003 },
};

/** Prices of 2021, as paper 004 has them: it names none of instances. */
export const PRICES_2021: RegionPrices = {
  region: 'us-east-1 in 2021 (paper 004)',
  instances: { perXlargeHour: {}, source: PAPER_004 },
  ebs: {
    io2: {
      gbMonth: 0.125,
      iopsMonth: [{ upTo: 32_000, usd: 0.065 }, { upTo: 64_000, usd: 0.046 }, { usd: 0.032 }],
    },
    source: PAPER_004,
  },
};

/** A row of a table of paper 003: an hour, a month, one year and three, in USD. */
export interface PublishedCost {
  readonly type: string;
  /** TB (1000 GB) of st1; 0: the disks of the type. */
  readonly ebsTB: number;
  readonly usd: readonly [hour: number, month: number, year: number, threeYears: number];
}

/** The table of servers with disks, on demand. The month is written in whole USD. */
export const PUBLISHED_DISK_SERVER_COSTS: readonly PublishedCost[] = [
  { type: 'd2.xlarge', ebsTB: 0, usd: [0.74, 536, 6435, 19_305] },
  { type: 'd2.2xlarge', ebsTB: 0, usd: [1.47, 1073, 12_870, 38_610] },
  { type: 'd2.4xlarge', ebsTB: 0, usd: [2.94, 2145, 25_740, 77_221] },
  { type: 'd2.8xlarge', ebsTB: 0, usd: [5.88, 4290, 51_481, 154_442] },
];

/** The table of servers with volumes, on demand. */
export const PUBLISHED_VOLUME_SERVER_COSTS: readonly PublishedCost[] = [
  { type: 'c4.large', ebsTB: 1, usd: [0.19, 136.82, 1641.87, 4925.61] },
  { type: 'c4.large', ebsTB: 5, usd: [0.46, 336.82, 4041.87, 12_125.61] },
  { type: 'c4.large', ebsTB: 10, usd: [0.8, 586.82, 7041.87, 21_125.61] },
  { type: 'c4.large', ebsTB: 25, usd: [1.83, 1336.82, 16_041.87, 48_125.61] },
  { type: 'c4.xlarge', ebsTB: 1, usd: [0.31, 223.64, 2683.74, 8051.21] },
  { type: 'c4.xlarge', ebsTB: 5, usd: [0.58, 423.64, 5083.74, 15_251.21] },
  { type: 'c4.xlarge', ebsTB: 10, usd: [0.92, 673.64, 8083.74, 24_251.21] },
  { type: 'c4.xlarge', ebsTB: 25, usd: [1.95, 1423.64, 17_083.74, 51_251.21] },
  { type: 'c4.2xlarge', ebsTB: 1, usd: [0.55, 398.02, 4776.23, 14_328.69] },
  { type: 'c4.2xlarge', ebsTB: 5, usd: [0.82, 598.02, 7176.23, 21_528.69] },
  { type: 'c4.2xlarge', ebsTB: 10, usd: [1.16, 848.02, 10_176.23, 30_528.69] },
  { type: 'c4.2xlarge', ebsTB: 25, usd: [2.19, 1598.02, 19_176.23, 57_528.69] },
  { type: 'c4.4xlarge', ebsTB: 1, usd: [1.02, 745.31, 8943.71, 26_831.12] },
  { type: 'c4.4xlarge', ebsTB: 5, usd: [1.3, 945.31, 11_343.71, 34_031.12] },
  { type: 'c4.4xlarge', ebsTB: 10, usd: [1.64, 1195.31, 14_343.71, 43_031.12] },
  { type: 'c4.4xlarge', ebsTB: 25, usd: [2.67, 1945.31, 23_343.71, 70_031.12] },
  { type: 'c4.8xlarge', ebsTB: 1, usd: [1.97, 1440.62, 17_287.41, 51_862.23] },
  { type: 'c4.8xlarge', ebsTB: 5, usd: [2.25, 1640.62, 19_687.41, 59_062.23] },
  { type: 'c4.8xlarge', ebsTB: 10, usd: [2.59, 1890.62, 22_687.41, 68_062.23] },
  { type: 'c4.8xlarge', ebsTB: 25, usd: [3.62, 2640.62, 31_687.41, 95_062.23] },
];
