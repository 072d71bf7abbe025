import type { RegionPrices } from '../../constructs/sizing/data/prices';
import { knownInstanceTypes } from '../../constructs/sizing/instance-types';
import { PriceBook } from '../../constructs/sizing/plan';

/** Prices by type as prices by family: that of the xlarge, and the sizes that it does not give. */
export function byFamily(
  hours: ReadonlyMap<string, number>,
): Pick<RegionPrices['instances'], 'perXlargeHour' | 'exactHour'> {
  const perXlargeHour: { [family: string]: number } = {};
  const exactHour: { [type: string]: number } = {};
  const known = knownInstanceTypes().filter(({ name }) => hours.has(name));
  for (const { family } of known) {
    const hour = hours.get(`${family}.xlarge`);
    if (hour !== undefined) perXlargeHour[family] = hour;
  }
  const source = { title: '', reference: '', checked: '' };
  const book = new PriceBook({ region: '', instances: { perXlargeHour, source }, ebs: {} }, 1);
  for (const { name } of known) {
    const [hour, byRule] = [hours.get(name)!, book.instanceHour(name)];
    if (byRule === undefined || Math.abs(byRule - hour) > 1e-6) exactHour[name] = hour;
  }
  return Object.keys(exactHour).length ? { perXlargeHour, exactHour } : { perXlargeHour };
}

/** The text of `data/prices/<region>.ts`, for the formatter to break its lines. */
export function regionFile(prices: RegionPrices): string {
  const name = prices.region.toUpperCase().replaceAll('-', '_');
  return [
    "import type { RegionPrices } from './region-prices';",
    '',
    `/** List prices of ${prices.region}. Made by scripts/refresh-prices.ts. */`,
    `export const ${name}: RegionPrices = ${literal(prices)};`,
    '',
  ].join('\n');
}

function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).filter(([, one]) => one !== undefined);
    return `{ ${entries.map(([key, one]) => `${keyText(key)}: ${literal(one)}`).join(', ')} }`;
  }
  return typeof value === 'string'
    ? `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
    : String(value);
}

function keyText(key: string): string {
  return /^[A-Za-z_]\w*$/.test(key) || /^[1-9]\d*$/.test(key) ? key : `'${key}'`;
}
