import { REGION_PRICES, VOLUME_TYPES, volumePriceSource } from '../../../constructs/sizing/data/prices';
import { type Design, type Limit, mixedMBps, thousands, usdText } from '../../../constructs/sizing/plan';
import { limitInWords } from '../limit-words';
import { grouped, perCoreText } from '../words';

/** Throughput in one direction. */
export interface Speed {
  readonly mbps?: number;
  readonly total: string;
  readonly perCore: string;
  /** What limits it. */
  readonly limit: string;
}

/** A line of the table of designs. */
export interface Row {
  readonly id: string;
  readonly title: string;
  /** What to build, one part each. */
  readonly build: readonly string[];
  readonly read: Speed;
  readonly write: Speed;
  readonly capacityTB?: number;
  readonly capacity: string;
  readonly usd?: number;
  readonly cost: string;
  readonly items: readonly { readonly what: string; readonly usd: string }[];
  readonly availability: string;
  readonly recovery: string;
  readonly remarks: readonly string[];
}

export function rowOf(design: Design): Row {
  const { id, title, prediction, perCore, capacityTB, cost, availability, recovery, notes } = design;
  return {
    id,
    title,
    build: buildOf(design),
    read: speed(prediction?.readMBps, perCore?.readMBps, prediction?.binding.read),
    write: speed(prediction?.writeMBps, perCore?.writeMBps, prediction?.binding.write),
    capacityTB,
    capacity: capacityTB === undefined ? '' : `${tb(capacityTB)} TB`,
    usd: cost?.usd,
    cost: cost?.usd === undefined ? atLeast(cost?.knownUsd) : usdText(cost.usd),
    items: (cost?.items ?? []).map(({ what, usd }) => ({
      what: grouped(what),
      usd: usd === undefined ? 'not known' : usdText(usd),
    })),
    availability,
    recovery,
    remarks: [...notes, ...(prediction?.unknown ?? [])],
  };
}

function atLeast(knownUsd = 0): string {
  return knownUsd > 0 ? `not known; at least ${usdText(knownUsd)}` : 'not known';
}

function speed(mbps: number | undefined, perCore: number | undefined, limit: Limit | undefined): Speed {
  if (mbps === undefined) return { total: 'not known', perCore: '', limit: '' };
  return {
    mbps,
    total: `${thousands(mbps)} MB/s`,
    perCore: `${perCoreText(perCore ?? 0)} per core`,
    limit: limit ? limitInWords(limit) : '',
  };
}

function tb(value: number): string {
  return value >= 100 ? thousands(value) : String(Math.round(value * 10) / 10);
}

function buildOf({ storage, managed }: Design): string[] {
  if (managed) return grouped(managed).split(', ');
  if (!storage) return [];
  const servers = storage.servers
    ? [`${thousands(storage.servers)} x ${storage.serverType ?? 'server'}`]
    : ['on the nodes'];
  const each = storage.servers > 1 ? ' each' : '';
  return [
    ...servers,
    ...storage.devices.map(
      ({ count, type, sizeGiB, iops, throughputMiBps }) =>
        [
          `${count} x ${type === 'instance-store' ? 'disk of the instance store' : type}`,
          ...(sizeGiB === undefined ? [] : [`${thousands(sizeGiB)} GiB`]),
          ...(iops === undefined ? [] : [`${thousands(iops)} IOPS`]),
          ...(throughputMiBps === undefined ? [] : [`${thousands(throughputMiBps)} MiB/s`]),
        ].join(', ') + each,
    ),
  ];
}

/** What one limit lets through, and whether it decides. */
export interface LimitRow {
  readonly name: string;
  readonly text: string;
  /** Reads and writes in turns, as they were asked for. */
  readonly mbps: number;
  readonly read: string;
  readonly write: string;
  readonly mixed: string;
  /** How much of it what is wanted takes. */
  readonly used: string;
  readonly binds: boolean;
}

export function limitRows({ prediction }: Design, readShare: number, wantedMBps: number): LimitRow[] {
  const limits = prediction?.limits ?? [];
  const least = prediction && mixedMBps(prediction, readShare);
  return limits.map((limit) => {
    const mbps = mixedMBps({ limits: [limit] }, readShare)!;
    return {
      name: limitInWords(limit),
      text: grouped(limit.text),
      mbps,
      read: thousands(limit.readMBps),
      write: thousands(limit.writeMBps),
      mixed: thousands(mbps),
      used: mbps > 0 ? `${Math.round((100 * wantedMBps) / mbps)} %` : '',
      binds: mbps === least,
    };
  });
}

/** The days of the prices of a region, by service: `EC2 2026-01-19`. */
export function priceDays(region: string): string[] {
  const prices = REGION_PRICES.find((one) => one.region === region);
  if (!prices) return [];
  const sources = {
    EC2: prices.instances.source,
    ...Object.fromEntries(VOLUME_TYPES.map((type) => [type, volumePriceSource(prices, type)])),
    FSx: prices.fsxLustre?.source ?? prices.fsxOpenZfs?.source ?? prices.fsxOntap?.source,
    EFS: prices.efs?.source,
  };
  return Object.entries(sources).map(([service, source]) => {
    if (!source) return `${service} not known`;
    return source.pricesOf ? `${service} of ${source.pricesOf}` : `${service} compared on ${source.checked}`;
  });
}

export const SORTS = ['title', 'read', 'write', 'capacity', 'cost'] as const;
export type SortName = (typeof SORTS)[number];

const SORT_KEYS: { readonly [name in SortName]: (row: Row) => number | string | undefined } = {
  title: ({ title }) => title,
  read: ({ read }) => read.mbps,
  write: ({ write }) => write.mbps,
  capacity: ({ capacityTB }) => capacityTB,
  cost: ({ usd }) => usd,
};

/** In order; what is not known comes last both ways. */
export function sorted(rows: readonly Row[], by: SortName, descending: boolean): Row[] {
  const key = SORT_KEYS[by];
  const sign = descending ? -1 : 1;
  return [...rows].sort((one, other) => {
    const [a, b] = [key(one), key(other)];
    if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined);
    return a < b ? -sign : a > b ? sign : one.id.localeCompare(other.id);
  });
}
