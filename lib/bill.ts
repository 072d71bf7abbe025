import {
  type PriceSource,
  type RegionPrices,
  regionPrices,
  volumePriceSource,
} from '../constructs/sizing/data/prices';
import { type Cost, type CostItem, costOf, PriceBook, type StorageDevices } from '../constructs/sizing/plan';
import { usdText } from '../constructs/sizing/plan/text';

// What a deployment costs a month, from a list of its parts. Nothing from aws-cdk-lib: the command prints it, too.

// Whose prices are taken when only the deployment knows where it is.
const ELSE_REGION = 'us-east-1';

// As the planner does: instances run all the time.
const HOURS_PER_MONTH = 730;

/** What a stack costs a month by list prices. */
export interface MonthlyCost {
  readonly cost: Cost;
  /** The sum by items, what of it is not known, and where and of when the prices are. */
  readonly text: string;
}

/** Something that costs money by the month, and how many there are of it. */
export type Part =
  | { readonly count: number; readonly instanceType: string }
  | { readonly count: number; readonly volume: Omit<StorageDevices, 'count'> }
  | { readonly count: number; readonly lustre: FsxLustre }
  /** Its price is not known at synthesis. */
  | { readonly count: number; readonly unknown: string };

export interface FsxLustre {
  readonly capacityGiB?: number;
  readonly mbpsPerTiB?: number;
  readonly throughputMBps?: number;
  readonly metadataIops?: number;
}

/**
 * Adds up parts.
 *
 * @param givenRegion undefined: known at deployment
 * @returns undefined when there are none
 */
export function billOf(given: readonly Part[], givenRegion: string | undefined): MonthlyCost | undefined {
  const parts = countedParts(given);
  if (parts.length === 0) return undefined;
  const region = givenRegion ?? ELSE_REGION;
  const prices = regionPrices(region);
  const book = new PriceBook(prices, HOURS_PER_MONTH);
  const cost = costOf(parts.flatMap((part) => itemsOf(part, book)));
  const where = givenRegion ?? `${region} (the region is known at deployment)`;
  return { cost, text: [sumOf(cost), sourcesOf(parts, where, prices), LEFT_OUT].join(' ') };
}

const LEFT_OUT = 'Without root volumes, NAT, load balancers, snapshots, traffic, discounts and taxes.';

/** The same things as one part, with their number. */
function countedParts(parts: readonly Part[]): Part[] {
  const found = new Map<string, Part>();
  for (const { count, ...part } of parts) {
    if (count === 0) continue;
    const key = JSON.stringify(part);
    found.set(key, { ...part, count: (found.get(key)?.count ?? 0) + count } as Part);
  }
  return [...found.values()];
}

function itemsOf(part: Part, book: PriceBook): CostItem[] {
  if ('instanceType' in part) return [book.instances(part.count, part.instanceType)];
  if ('volume' in part) return [book.volumes(part.count, part.volume)];
  if ('lustre' in part) return fsxItems(part.lustre, book);
  return [{ what: part.unknown }];
}

function fsxItems(
  { capacityGiB, mbpsPerTiB, throughputMBps, metadataIops }: FsxLustre,
  { managed }: PriceBook,
): CostItem[] {
  const { ssdGbMonth, intelligentTiering } = managed.fsxLustre ?? {};
  if (throughputMBps !== undefined) {
    return [
      {
        what: `FSx for Lustre, ${throughputMBps} MB/s`,
        usd: intelligentTiering && throughputMBps * intelligentTiering.mbpsMonth,
      },
      {
        what: `${metadataIops ?? 'the'} metadata IOPS`,
        usd:
          metadataIops === undefined
            ? undefined
            : product(metadataIops, intelligentTiering?.metadataIopsMonth),
      },
      { what: 'what is stored in its tiers' },
    ];
  }
  const price = mbpsPerTiB === undefined ? undefined : ssdGbMonth?.[mbpsPerTiB];
  const what = `FSx for Lustre, ${capacityGiB ?? 'so many'} GiB at ${mbpsPerTiB ?? 'so many'} MB/s/TiB`;
  return [{ what, usd: capacityGiB === undefined ? undefined : product(capacityGiB, price) }];
}

const product = (count: number, price: number | undefined): number | undefined =>
  price === undefined ? undefined : count * price;

function sumOf({ items, usd, knownUsd }: Cost): string {
  const list = items.map((item) => `${item.what} ${usdText(item.usd)}`).join('; ');
  return usd === undefined
    ? `Not known; what is known comes to ${usdText(knownUsd)} a month: ${list}.`
    : `${usdText(usd)} a month: ${list}.`;
}

/** Where the prices that were used come from, by the day. */
function sourcesOf(parts: readonly Part[], where: string, prices: RegionPrices | undefined): string {
  if (!prices) return `There are no prices of ${where} here.`;
  const dayOfPrice = (
    what: string,
    source: PriceSource | undefined,
    is: (part: Part) => boolean,
  ): string[] => (source && parts.some(is) ? [`${what} ${dayOf(source)}`] : []);
  const days = [
    ...dayOfPrice('servers', prices.instances.source, (part) => 'instanceType' in part),
    ...[...new Set(parts.flatMap((part) => ('volume' in part ? [part.volume.type] : [])))]
      .sort()
      .flatMap((type) =>
        dayOfPrice(`${type} volumes`, volumePriceSource(prices, type), (part) => 'volume' in part),
      ),
    ...dayOfPrice('FSx', prices.fsxLustre?.source, (part) => 'lustre' in part),
  ];
  return `List prices on demand of ${where}: ${days.join(', ') || 'none that is needed'}.`;
}

const dayOf = ({ pricesOf, checked }: PriceSource): string =>
  pricesOf === undefined ? `as published on ${checked}` : `of ${pricesOf}`;
