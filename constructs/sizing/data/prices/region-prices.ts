import type { Source } from '../../facts';

/** Where prices come from. */
export interface PriceSource extends Source {
  /** The day of the prices, yyyy-mm-dd; left out: the source names none. */
  readonly pricesOf?: string;
}

/** A price by steps: so much for each unit up to the first bound, then the next. */
export interface PriceStep {
  /** Units up to which the price holds; left out: all further ones. */
  readonly upTo?: number;
  readonly usd: number;
}

/** What a managed file system costs that is bought by size and by throughput, in USD a month. */
export interface CapacityAndThroughputPrice {
  /** For each GiB (AWS writes GB). */
  readonly gbMonth: number;
  /** For each MB/s. */
  readonly mbpsMonth: number;
}

/**
 * List prices of one region in USD, on demand, without taxes and discounts. What is left out could not be cited: the
 * planner then says that the price is not known.
 */
export interface RegionPrices {
  readonly region: string;
  readonly instances: {
    /**
     * For an hour of Linux on the family's xlarge. Within a family the price goes with the size: a 4xlarge costs four times as
     * much, a large half.
     */
    readonly perXlargeHour: { readonly [family: string]: number };
    /** Sizes whose price differs from that by rounding, or has no size in its name. */
    readonly exactHour?: { readonly [type: string]: number };
    readonly source: PriceSource;
  };
  readonly ebs: {
    /** Beyond the 3000 IOPS and 125 MiB/s that every volume has. */
    readonly gp3?: { readonly gbMonth: number; readonly iopsMonth: number; readonly mibpsMonth: number };
    readonly gp2?: { readonly gbMonth: number };
    readonly st1?: { readonly gbMonth: number };
    readonly io2?: { readonly gbMonth: number; readonly iopsMonth: readonly PriceStep[] };
    readonly source?: PriceSource;
  };
  readonly fsxLustre?: {
    /** For each GiB, by the throughput tier in MB/s for each TiB. */
    readonly ssdGbMonth: { readonly [mbpsPerTiB: string]: number };
    /** Throughput and metadata IOPS. What is stored and read is billed besides; its price is not cited here. */
    readonly intelligentTiering: { readonly mbpsMonth: number; readonly metadataIopsMonth: number };
    readonly source: PriceSource;
  };
  readonly fsxOpenZfs?: {
    readonly deployments: { readonly [deploymentType: string]: CapacityAndThroughputPrice };
    readonly source: PriceSource;
  };
  readonly fsxOntap?: {
    readonly deployments: { readonly [deploymentType: string]: CapacityAndThroughputPrice };
    readonly source: PriceSource;
  };
  readonly efs?: {
    readonly gbMonth: number;
    /** For each MB/s above those that the stored data brings with it. */
    readonly mbpsMonth: number;
    /** MB/s that each stored GB brings with it. */
    readonly includedMBpsPerGB: number;
    readonly source: PriceSource;
  };
}
