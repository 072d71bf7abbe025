import { AP_NORTHEAST_1 } from './ap-northeast-1';
import { AP_SOUTHEAST_2 } from './ap-southeast-2';
import { EU_CENTRAL_1 } from './eu-central-1';
import { EU_WEST_1 } from './eu-west-1';
import type { PriceSource, RegionPrices } from './region-prices';
import { US_EAST_1 } from './us-east-1';
import { US_EAST_2 } from './us-east-2';
import { US_WEST_2 } from './us-west-2';

export type { CapacityAndThroughputPrice, PriceSource, PriceStep, RegionPrices } from './region-prices';

/** The regions with prices. */
export const REGION_PRICES: readonly RegionPrices[] = [
  US_EAST_1,
  US_EAST_2,
  US_WEST_2,
  EU_WEST_1,
  EU_CENTRAL_1,
  AP_SOUTHEAST_2,
  AP_NORTHEAST_1,
];

/** The prices of a region; undefined when there are none here. */
export function regionPrices(region: string): RegionPrices | undefined {
  return REGION_PRICES.find((prices) => prices.region === region);
}

/** The volume types that have prices. */
export const VOLUME_TYPES = ['gp3', 'gp2', 'io2', 'st1'] as const;

/** Where the price of a volume type of a region comes from; undefined when there is no price. */
export function volumePriceSource({ ebs }: RegionPrices, type: string): PriceSource | undefined {
  const known = VOLUME_TYPES.find((one) => one === type);
  const price = known && ebs[known];
  return price && (price.source ?? ebs.source);
}
