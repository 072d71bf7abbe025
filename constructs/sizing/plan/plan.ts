import { REGION_PRICES, regionPrices } from '../data/prices';
import { type Design, design } from './design';
import { EFS_RULE } from './designs/efs';
import { FSX_LUSTRE_RULES } from './designs/fsx-lustre';
import { IO2_RULES } from './designs/io2';
import { LUSTRE_RULES } from './designs/lustre';
import { MANAGED_RULES } from './designs/managed';
import { NFS_RULES } from './designs/nfs';
import { type GridPlan, gridPlan } from './grid';
import { PriceBook } from './price-book';
import { DEFAULT_REGION, type Need, needOf, type Wish } from './wish';

const RULES = [...LUSTRE_RULES, ...NFS_RULES, ...IO2_RULES, ...FSX_LUSTRE_RULES, ...MANAGED_RULES, EFS_RULE];

const LEFT_OUT =
  'List prices, on demand. Left out: root volumes, load balancers, keys, logs, snapshots, backups, traffic ' +
  'between zones, licences and taxes.';

/** The ids of all designs, in the order of a plan. */
export const DESIGN_IDS: readonly string[] = RULES.map(({ id }) => id);

/** What a wish comes to with each design. */
export interface Plan {
  /** What is wrong with the wish, one sentence each; then there is nothing else. */
  readonly problems: readonly string[];
  readonly need?: Need;
  readonly grid?: GridPlan;
  readonly designs: readonly Design[];
  /** The id of the cheapest one that is feasible and whose price is known. */
  readonly cheapest?: string;
  /** Ids, the cheapest first: no other one delivers as much for as little. */
  readonly frontier: readonly string[];
  /** What is to be known of all of it, one sentence each. */
  readonly notes: readonly string[];
}

/**
 * Sizes every design for a wish and says what it delivers and costs. Never throws for a wish, however absurd:
 * `problems` says what is wrong with it, and `reason` of a design why it cannot be.
 */
export function plan(wish: Wish): Plan {
  const { need, problems } = needOf(wish);
  if (!need) return { problems, designs: [], frontier: [], notes: [] };
  const book = new PriceBook(regionPrices(need.region), need.hoursPerMonth, regionPrices(DEFAULT_REGION));
  const designs = RULES.map((rule) => design(rule, need, book));
  const frontier = frontierOf(designs).map(({ id }) => id);
  const grid = gridPlan(need, book);
  return { problems, need, grid, designs, cheapest: frontier[0], frontier, notes: notesOn(need) };
}

function notesOn({ region, nodeType }: Need): string[] {
  const prices = regionPrices(region);
  const known = REGION_PRICES.map((one) => one.region).join(', ');
  return [
    LEFT_OUT,
    ...(prices ? [] : [`There are no prices for ${region} here, only for ${known}.`]),
    ...(prices && !(prices.ebs.gp3?.mibpsMonth && prices.ebs.io2)
      ? [`Not all prices of EBS in ${region} are known here: designs that need them have none.`]
      : []),
    ...(nodeType === undefined
      ? ['The type of the nodes is not given: their network was not looked at.']
      : []),
  ];
}

/** The designs that no other one beats in both cost and throughput, the cheapest first. */
export function frontierOf<T extends Pick<Design, 'cost' | 'mixedMBps' | 'feasible'>>(
  designs: readonly T[],
): T[] {
  const known = designs
    .filter((one) => one.feasible && one.cost?.usd !== undefined)
    .sort((a, b) => a.cost!.usd! - b.cost!.usd! || b.mixedMBps! - a.mixedMBps!);
  let fastest = Number.NEGATIVE_INFINITY;
  return known.filter(({ mixedMBps }) => {
    if (mixedMBps! <= fastest) return false;
    fastest = mixedMBps!;
    return true;
  });
}
