import type { PriceStep, RegionPrices } from '../data/prices';
import { GP3_BASELINE } from '../ebs-volumes';
import type { StorageDevices } from './configuration';
import type { CostItem } from './cost';

/** What a size is of its family's xlarge; undefined for bare metal. */
const SIZES: { readonly [size: string]: number } = {
  nano: 1 / 32,
  micro: 1 / 16,
  small: 1 / 8,
  medium: 1 / 4,
  large: 1 / 2,
  xlarge: 1,
};

function sizeInXlarge(size: string): number | undefined {
  const multiple = /^(\d+)xlarge$/.exec(size);
  return multiple ? Number(multiple[1]) : SIZES[size];
}

// The dearest server of the tables costs less than a thousand times the cheapest one.
const AFTER_ALL_OTHERS = 1e4;

/** Turns prices of a region into items of a bill. */
export class PriceBook {
  private readonly hours = new Map<string, number | undefined>();
  private choice?: PriceBook;

  /**
   * @param prices undefined: there are none for the region
   * @param hoursPerMonth how long instances run; volumes and file systems are billed whether they do or not
   * @param others prices of another region, by which to choose among things whose price is not known here
   */
  constructor(
    private readonly prices: RegionPrices | undefined,
    private readonly hoursPerMonth: number,
    private readonly others?: RegionPrices,
  ) {}

  /**
   * By what to choose: the same as this, but for what is not known here those of the other region. A type without a
   * price here is chosen only where no other does, so that there is a price whenever there can be one.
   */
  forChoice(): PriceBook {
    this.choice ??= this.withOthers();
    return this.choice;
  }

  private withOthers(): PriceBook {
    if (!this.others || this.prices === this.others) return this;
    const { others, prices, hoursPerMonth } = this;
    if (!prices) return new PriceBook(others, hoursPerMonth);
    const last = Object.entries(others.instances.perXlargeHour).map(
      ([family, hour]) => [family, hour * AFTER_ALL_OTHERS] as const,
    );
    const perXlargeHour = { ...Object.fromEntries(last), ...prices.instances.perXlargeHour };
    const ebs = { ...others.ebs, ...prices.ebs };
    const gp3 = ebs.gp3 && { mibpsMonth: others.ebs.gp3?.mibpsMonth, ...ebs.gp3 };
    const instances = { ...prices.instances, perXlargeHour };
    return new PriceBook({ ...others, ...prices, instances, ebs: { ...ebs, gp3 } }, hoursPerMonth);
  }

  /** USD for an hour of an instance; undefined when it is not known. */
  instanceHour(type: string): number | undefined {
    if (!this.hours.has(type)) this.hours.set(type, this.lookUp(type));
    return this.hours.get(type);
  }

  private lookUp(type: string): number | undefined {
    const instances = this.prices?.instances;
    const exact = instances?.exactHour?.[type];
    if (exact !== undefined) return exact;
    const [family = '', size = ''] = type.split('.');
    const perXlarge = instances?.perXlargeHour[family];
    const xlarges = sizeInXlarge(size);
    return perXlarge === undefined || xlarges === undefined ? undefined : perXlarge * xlarges;
  }

  /** Instances for a month. */
  instances(count: number, type: string, purpose = ''): CostItem {
    const hour = this.instanceHour(type);
    const what = `${count} x ${type}${purpose && ` (${purpose})`}`;
    return { what, usd: hour === undefined ? undefined : count * hour * this.hoursPerMonth };
  }

  /** Volumes for a month, with what they are provisioned with. */
  volumes(count: number, volume: Omit<StorageDevices, 'count'>, purpose = ''): CostItem {
    const usd = this.volumeUsd(volume);
    const speed = [
      ...(volume.iops === undefined ? [] : [`${volume.iops} IOPS`]),
      ...(volume.throughputMiBps === undefined ? [] : [`${volume.throughputMiBps} MiB/s`]),
    ];
    const what = [`${count} x ${volume.type} ${volume.sizeGiB ?? 0} GiB`, ...speed].join(', ');
    return { what: `${what}${purpose && ` (${purpose})`}`, usd: usd === undefined ? undefined : count * usd };
  }

  /** USD a month for one volume; undefined when it is not known. */
  volumeUsd({ type, sizeGiB = 0, iops, throughputMiBps }: Omit<StorageDevices, 'count'>): number | undefined {
    const ebs = this.prices?.ebs;
    if (type === 'gp3') {
      const price = ebs?.gp3;
      const moreIops = Math.max(0, (iops ?? 0) - GP3_BASELINE.iops);
      const moreMiBps = Math.max(0, (throughputMiBps ?? 0) - GP3_BASELINE.throughputMiBps);
      if (!price || (moreMiBps > 0 && price.mibpsMonth === undefined)) return undefined;
      return sizeGiB * price.gbMonth + moreIops * price.iopsMonth + moreMiBps * (price.mibpsMonth ?? 0);
    }
    if (type === 'io2') return ebs?.io2 && sizeGiB * ebs.io2.gbMonth + stepsUsd(ebs.io2.iopsMonth, iops ?? 0);
    const price = type === 'st1' ? ebs?.st1 : type === 'gp2' ? ebs?.gp2 : undefined;
    return price && sizeGiB * price.gbMonth;
  }

  /** What the region's managed file systems cost; undefined when it is not known. */
  get managed(): Pick<RegionPrices, 'fsxLustre' | 'fsxOpenZfs' | 'fsxOntap' | 'efs'> {
    return this.prices ?? {};
  }

  /** USD a month for one instance, 0 when it is not known. */
  monthOf(type: string): number {
    return (this.instanceHour(type) ?? 0) * this.hoursPerMonth;
  }
}

function stepsUsd(steps: readonly PriceStep[], units: number): number {
  let [usd, from] = [0, 0];
  for (const { upTo = Number.POSITIVE_INFINITY, usd: price } of steps) {
    usd += Math.max(0, Math.min(units, upTo) - from) * price;
    from = upTo;
  }
  return usd;
}
