import { instanceTypeFacts } from '../instance-types';
import type { KnownStorage, Prediction } from './configuration';
import { type Cost, type CostItem, costOf } from './cost';
import { mixedMBps, predict } from './predict';
import type { PriceBook } from './price-book';
import { mbpsText } from './text';
import { AVAILABILITY, type Availability, DURABILITY, type Durability, type Need } from './wish';

/** A way to build the shared space, sized for a need. */
export interface Design {
  /** `lustre-gp3`, `fsx-lustre-ssd-250`, ... */
  readonly id: string;
  readonly title: string;
  readonly feasible: boolean;
  /** Why not, in words. */
  readonly reason?: string;
  readonly durability: Durability;
  readonly availability: Availability;
  /** What happens when a server fails. */
  readonly recovery: string;
  /** What to build. Only of feasible designs, as all that follows. */
  readonly storage?: KnownStorage;
  /** What to ask AWS for where it runs the servers. */
  readonly managed?: string;
  readonly prediction?: Prediction;
  /** MB/s for the reads and writes that were asked for, in turns. */
  readonly mixedMBps?: number;
  readonly perCore?: { readonly readMBps: number; readonly writeMBps: number; readonly mixedMBps: number };
  readonly capacityTB?: number;
  readonly cost?: Cost;
  readonly notes: readonly string[];
}

/** What a rule chose. */
export interface Choice {
  readonly storage: KnownStorage;
  readonly managed?: string;
  readonly items: readonly CostItem[];
  readonly capacityGiB: number;
  readonly durability?: Durability;
  readonly availability?: Availability;
  readonly notes?: readonly string[];
}

/** One design: what it is, and how it is sized. */
export interface DesignRule {
  readonly id: string;
  readonly title: string;
  /** The best that it offers. */
  readonly durability: Durability;
  readonly availability: Availability;
  readonly recovery: string;
  /** Hosts reach it through their network. */
  readonly overNetwork: boolean;
  /** The cheapest way to meet the need, or why there is none. */
  choose(need: Need, book: PriceBook): Choice | string;
}

const GIB_PER_TB = 1e12 / 2 ** 30;

/** Sizes a design for a need. */
export function design(rule: DesignRule, need: Need, book: PriceBook): Design {
  const { id, title, durability, availability, recovery } = rule;
  const about = { id, title, durability, availability, recovery, notes: [] };
  const choice = mismatch(rule, need) ?? rule.choose(need, book);
  if (typeof choice === 'string') return { ...about, feasible: false, reason: choice };
  const prediction = predict(choice.storage, { hosts: need.nodes, hostType: need.nodeType });
  const mixed = mixedMBps(prediction, need.readShare) ?? 0;
  return {
    ...about,
    durability: choice.durability ?? durability,
    availability: choice.availability ?? availability,
    feasible: true,
    storage: choice.storage,
    managed: choice.managed,
    prediction,
    mixedMBps: mixed,
    perCore: {
      readMBps: (prediction.readMBps ?? 0) / need.cores,
      writeMBps: (prediction.writeMBps ?? 0) / need.cores,
      mixedMBps: mixed / need.cores,
    },
    capacityTB: choice.capacityGiB / GIB_PER_TB,
    cost: costOf(choice.items),
    notes: choice.notes ?? [],
  };
}

function mismatch(rule: DesignRule, need: Need): string | undefined {
  if (DURABILITY.indexOf(rule.durability) < DURABILITY.indexOf(need.durability)) {
    return `Its data is as durable as '${rule.durability}'; '${need.durability}' is wanted.`;
  }
  if (AVAILABILITY.indexOf(rule.availability) < AVAILABILITY.indexOf(need.availability)) {
    return `Its availability is '${rule.availability}'; '${need.availability}' is wanted.`;
  }
  return rule.overNetwork ? networkTooSmall(need) : undefined;
}

function networkTooSmall({ nodes, nodeType, sharedMBps }: Need): string | undefined {
  const mbps = nodeType === undefined ? undefined : instanceTypeFacts(nodeType)?.networkBaselineMbps;
  if (mbps === undefined || (nodes * mbps) / 8 >= sharedMBps) return undefined;
  return (
    `The network of ${nodes} ${nodeType} carries ${mbpsText((nodes * mbps) / 8)}; ` +
    `${mbpsText(sharedMBps)} are wanted.`
  );
}
