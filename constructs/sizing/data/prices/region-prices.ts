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

/** What a volume type costs, in USD a month for each GiB (AWS writes GB). */
export interface VolumePrice {
  readonly gbMonth: number;
  /** Left out: that of the region's volumes. */
  readonly source?: PriceSource;
}

/** What gp3 costs. Every volume has 3000 IOPS and 125 MiB/s without paying for them. */
export interface Gp3Price extends VolumePrice {
  /** For each IOPS beyond those. */
  readonly iopsMonth: number;
  /** For each MiB/s beyond those; left out: not known, and then only volumes that have no more have a price. */
  readonly mibpsMonth?: number;
}

/**
 * List prices of one region in USD, on demand, without taxes and discounts. What is left out could not be cited: the
 * planner then says that the price is not known.
 */
export interface RegionPrices {
  readonly region: string;
  readonly instances: {
    /**
     * For an hour of Linux on the family's xlarge. Within a family the price goes with the size: a 4xlarge costs four
     * times as much, a large half.
     */
    readonly perXlargeHour: { readonly [family: string]: number };
    /** Sizes whose price differs from that by rounding, or has no size in its name. */
    readonly exactHour?: { readonly [type: string]: number };
    readonly source: PriceSource;
  };
  readonly ebs: {
    readonly gp3?: Gp3Price;
    readonly gp2?: VolumePrice;
    readonly st1?: VolumePrice;
    readonly io2?: VolumePrice & { readonly iopsMonth: readonly PriceStep[] };
    /** Of the types that name none of their own. */
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
