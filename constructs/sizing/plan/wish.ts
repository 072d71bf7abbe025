import { instanceTypeFacts } from '../instance-types';
import { thousands } from './text';

/** How much of a disaster the data has to survive. */
export const DURABILITY = ['scratch', 'zone', 'region'] as const;
/** - `scratch`: may be lost with a server. - `zone`: survives servers. - `region`: survives an Availability Zone. */
export type Durability = (typeof DURABILITY)[number];

/** What happens when a server fails. */
export const AVAILABILITY = ['restore', 'replaced', 'standby', 'multi-zone'] as const;
/**
 * - `restore`: the file system is empty or gone, and filled again.
 * - `replaced`: the server is replaced with its data; hosts wait for some minutes.
 * - `standby`: others serve in the meantime; hosts wait for seconds to a minute.
 * - `multi-zone`: so, and when a whole Availability Zone fails.
 */
export type Availability = (typeof AVAILABILITY)[number];

/** What a grid needs from its storage. */
export interface Wish {
  readonly nodes: number;
  /** EC2 type of a node, `i4i.8xlarge` for example. */
  readonly nodeType?: string;
  /** Physical cores of a node (a vCPU of an Intel type is half a one). Left out: those of the type. */
  readonly coresPerNode?: number;
  /** MB/s (10^6 bytes) for each physical core. The papers want 100. Left out: 0, temporary space is not looked at. */
  readonly temporaryMBpsPerCore?: number;
  /** MB/s for each physical core. The papers want 50 to 75. */
  readonly sharedMBpsPerCore: number;
  /** Shared space, in 10^12 bytes. */
  readonly capacityTB: number;
  /** Which part of the bytes is read, from 0 to 1. Left out: a half. */
  readonly readShare?: number;
  /** Hosts that mount the shared space. Left out: the nodes. */
  readonly clients?: number;
  /** Left out: `zone`. */
  readonly durability?: Durability;
  /** Left out: `replaced`. */
  readonly availability?: Availability;
  /** Left out: us-east-1. */
  readonly region?: string;
  /** How long instances run in a month. Left out: 730, always. */
  readonly hoursPerMonth?: number;
}

/** A wish with nothing left out. */
export interface Need {
  readonly nodes: number;
  readonly nodeType?: string;
  readonly coresPerNode: number;
  readonly cores: number;
  readonly temporaryMBpsPerCore: number;
  readonly sharedMBpsPerCore: number;
  /** For all cores together. */
  readonly sharedMBps: number;
  readonly capacityTB: number;
  readonly capacityGiB: number;
  readonly readShare: number;
  readonly clients: number;
  readonly durability: Durability;
  readonly availability: Availability;
  readonly region: string;
  readonly hoursPerMonth: number;
}

// Larger wishes are mistakes in the unit: the largest grids of the papers have four nodes, and a petabyte is 1000 TB.
const MOST = {
  nodes: 10_000,
  coresPerNode: 1000,
  temporaryMBpsPerCore: 10_000,
  sharedMBpsPerCore: 1_000_000,
  capacityTB: 1_000_000,
  clients: 100_000,
  hoursPerMonth: 744,
} as const;

export const DEFAULT_REGION = 'us-east-1';
const HOURS_PER_MONTH = 730;

/** What the wish says, or one sentence for each thing that is wrong with it. */
export function needOf(wish: Wish): { need?: Need; problems: string[] } {
  const facts = wish.nodeType === undefined ? undefined : instanceTypeFacts(wish.nodeType);
  const cores = wish.coresPerNode ?? facts?.cores;
  const clients = wish.clients ?? wish.nodes;
  const hours = wish.hoursPerMonth ?? HOURS_PER_MONTH;
  const readShare = wish.readShare ?? 0.5;
  const temporary = wish.temporaryMBpsPerCore ?? 0;
  const { durability = 'zone', availability = 'replaced', region = DEFAULT_REGION } = wish;
  const problems = [
    problemUnlessWhole('nodes', wish.nodes, MOST.nodes),
    cores === undefined
      ? coresMissing(wish.nodeType)
      : problemUnlessBetween('cores of a node', cores, 1, MOST.coresPerNode),
    problemUnlessBetween('MB/s of temporary space for a core', temporary, 0, MOST.temporaryMBpsPerCore),
    problemUnlessBetween(
      'MB/s of shared space for a core',
      wish.sharedMBpsPerCore,
      0,
      MOST.sharedMBpsPerCore,
    ),
    problemUnlessBetween('capacity in TB', wish.capacityTB, 0, MOST.capacityTB),
    problemUnlessBetween('share of reads', readShare, 0, 1),
    problemUnlessWhole('clients', clients, MOST.clients),
    problemUnlessBetween('hours in a month', hours, 0, MOST.hoursPerMonth),
    problemUnlessOneOf('durability', durability, DURABILITY),
    problemUnlessOneOf('availability', availability, AVAILABILITY),
    clients < wish.nodes
      ? `Only ${clients} clients for ${wish.nodes} nodes: every node mounts the shared space. Give at least ` +
        `${wish.nodes}, or leave it out.`
      : undefined,
    wish.capacityTB === 0 && wish.sharedMBpsPerCore > 0
      ? 'Throughput without capacity: give the TB that the shared space has to hold.'
      : undefined,
  ].filter((problem) => problem !== undefined);
  if (problems.length) return { problems };
  const all = wish.nodes * cores!;
  const need: Need = {
    nodes: wish.nodes,
    nodeType: wish.nodeType?.toLowerCase(),
    coresPerNode: cores!,
    cores: all,
    temporaryMBpsPerCore: temporary,
    sharedMBpsPerCore: wish.sharedMBpsPerCore,
    sharedMBps: wish.sharedMBpsPerCore * all,
    capacityTB: wish.capacityTB,
    capacityGiB: Math.ceil((wish.capacityTB * 1e12) / 2 ** 30),
    readShare,
    clients,
    durability,
    availability,
    region,
    hoursPerMonth: hours,
  };
  return { need, problems };
}

function coresMissing(nodeType: string | undefined): string {
  return nodeType === undefined
    ? 'Neither the type of the nodes nor their cores are given: give one of them.'
    : `The type '${nodeType}' is not in the tables: give the physical cores of a node as well.`;
}

function problemUnlessBetween(what: string, value: number, min: number, max: number): string | undefined {
  if (value >= min && value <= max) return undefined;
  return `The ${what}: ${value}. Allowed: ${min} to ${thousands(max)}.`;
}

function problemUnlessWhole(what: string, value: number, max: number): string | undefined {
  if (Number.isInteger(value) && value >= 1 && value <= max) return undefined;
  return `The number of ${what}: ${value}. Allowed: a whole number from 1 to ${thousands(max)}.`;
}

function problemUnlessOneOf(what: string, value: string, allowed: readonly string[]): string | undefined {
  return allowed.includes(value) ? undefined : `The ${what}: '${value}'. Allowed: ${allowed.join(', ')}.`;
}
