import { aws_efs as efs, aws_fsx as fsx, type Stack, Token } from 'aws-cdk-lib';
import { CfnAutoScalingGroup } from 'aws-cdk-lib/aws-autoscaling';
import { CfnInstance, CfnVolume } from 'aws-cdk-lib/aws-ec2';
import type { IConstruct } from 'constructs';
import { type Cost, type CostItem, costOf, PriceBook, type StorageDevices } from '../constructs/sizing';
import {
  type PriceSource,
  type RegionPrices,
  regionPrices,
  volumePriceSource,
} from '../constructs/sizing/data/prices';
import { usdText } from '../constructs/sizing/plan/text';
import { typeInTree } from '../constructs/storage-benchmark/types-in-tree';

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
type Part =
  | { readonly count: number; readonly instanceType: string }
  | { readonly count: number; readonly volume: Omit<StorageDevices, 'count'> }
  | { readonly count: number; readonly lustre: FsxLustre }
  /** Its price is not known at synthesis. */
  | { readonly count: number; readonly unknown: string };

interface FsxLustre {
  readonly capacityGiB?: number;
  readonly mbpsPerTiB?: number;
  readonly throughputMBps?: number;
  readonly metadataIops?: number;
}

/**
 * Adds up the servers, volumes and managed file systems of a stack, nested ones included. Root volumes, NAT, load
 * balancers, keys, logs, snapshots and traffic are left out, as the planner leaves them out, and so are volumes kept
 * from before: they are in no template.
 *
 * @returns undefined when there is nothing of the kind
 */
export function monthlyCost(stack: Stack): MonthlyCost | undefined {
  const parts = countedParts(stack.node.findAll().flatMap(partsOf));
  if (parts.length === 0) return undefined;
  const known = !Token.isUnresolved(stack.region);
  const region = known ? stack.region : ELSE_REGION;
  const prices = regionPrices(region);
  const book = new PriceBook(prices, HOURS_PER_MONTH);
  const cost = costOf(parts.flatMap((part) => itemsOf(part, book)));
  const where = known ? region : `${region} (the region is known at deployment)`;
  return { cost, text: [sumOf(cost), sourcesOf(parts, where, prices), LEFT_OUT].join(' ') };
}

const LEFT_OUT = 'Without root volumes, NAT, load balancers, snapshots, traffic, discounts and taxes.';

function partsOf(node: IConstruct): Part[] {
  if (node instanceof CfnInstance) return [servers(1, unlessToken(node.instanceType))];
  if (node instanceof CfnAutoScalingGroup) {
    const { scope } = node.node;
    const type = typeInTree(scope) ?? typeInTree(scope?.node.scope);
    return [servers(Number(node.desiredCapacity ?? node.minSize), type)];
  }
  if (node instanceof CfnVolume) return [volumeOf(node)];
  if (node instanceof fsx.CfnFileSystem) return [fsxOf(node)];
  if (node instanceof efs.CfnFileSystem) return [{ count: 1, unknown: 'EFS, by what is stored' }];
  return [];
}

function servers(count: number, instanceType: string | undefined): Part {
  if (instanceType === undefined || !Number.isInteger(count)) {
    return { count: 1, unknown: 'servers that are known at deployment' };
  }
  return { count, instanceType };
}

function volumeOf({ volumeType = 'gp2', size, iops, throughput: throughputMiBps }: CfnVolume): Part {
  if ([volumeType, size, iops, throughputMiBps].some((value) => Token.isUnresolved(value))) {
    return { count: 1, unknown: 'volumes that are known at deployment' };
  }
  return { count: 1, volume: { type: volumeType, sizeGiB: size, iops, throughputMiBps } };
}

function fsxOf({ fileSystemType, storageCapacity, lustreConfiguration: lustre }: fsx.CfnFileSystem): Part {
  if (fileSystemType !== 'LUSTRE' || !lustre || Token.isUnresolved(lustre)) {
    return { count: 1, unknown: `FSx for ${fileSystemType}` };
  }
  const { perUnitStorageThroughput, throughputCapacity, metadataConfiguration } =
    lustre as fsx.CfnFileSystem.LustreConfigurationProperty;
  const { iops } = (metadataConfiguration ?? {}) as fsx.CfnFileSystem.MetadataConfigurationProperty;
  return {
    count: 1,
    lustre: {
      capacityGiB: unlessToken(storageCapacity),
      mbpsPerTiB: unlessToken(perUnitStorageThroughput),
      throughputMBps: unlessToken(throughputCapacity),
      metadataIops: unlessToken(iops),
    },
  };
}

const unlessToken = <T>(value: T | undefined): T | undefined =>
  Token.isUnresolved(value) ? undefined : value;

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
