import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { deployedOf } from '../../../cli/planner/deployed';
import { type PriceSource, regionPrices } from '../../../constructs/sizing/data/prices';
import { costOf } from '../../../constructs/sizing/plan';
import { parseConfig } from '../../../lib/config';

/** What a hot spare of the reference deployment costs, as the planner says it. */
export interface SparePrice {
  readonly what: string;
  /** USD a month, list price; undefined: it is not known. */
  readonly usdMonth?: number;
  readonly region: string;
  readonly source?: PriceSource;
}

const REFERENCE = 'config/sas-grid-lustre.yaml';

/** What the bill of the reference deployment has more with a spare of its object storage servers than without. */
export function sparePrice(): SparePrice {
  const file = resolve(__dirname, '..', '..', '..', REFERENCE);
  const config = parseConfig(readFileSync(file, 'utf8'), REFERENCE);
  const storage = config.storage!;
  const spares = { ...config, storage: { ...storage, oss: { ...storage.oss, hotSpares: 1 } } };
  const without = new Set(deployedOf(config).items.map(({ what }) => what));
  const { region, items } = deployedOf(spares);
  const more = items.filter(({ what }) => !without.has(what));
  return {
    what: more.map(({ what }) => what).join(', '),
    usdMonth: costOf(more).usd,
    region,
    source: regionPrices(region)?.instances.source,
  };
}
