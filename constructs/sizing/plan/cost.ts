/** One line of a month's bill. */
export interface CostItem {
  /** `3 x m6in.8xlarge`. */
  readonly what: string;
  /** USD a month. Undefined: the price is not known. */
  readonly usd?: number;
}

/** What something costs a month, list prices without taxes and discounts. */
export interface Cost {
  readonly items: readonly CostItem[];
  /** The sum of the items. Undefined when the price of one is not known. */
  readonly usd?: number;
  /** The sum of the items whose price is known. */
  readonly knownUsd: number;
}

/** Adds up. */
export function costOf(items: readonly CostItem[]): Cost {
  const knownUsd = items.reduce((sum, { usd }) => sum + (usd ?? 0), 0);
  const known = items.every(({ usd }) => usd !== undefined);
  return { items, usd: known ? knownUsd : undefined, knownUsd };
}
