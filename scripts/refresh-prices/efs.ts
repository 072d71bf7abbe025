import type { RegionPrices } from '../../constructs/sizing/data/prices';
import { readOffer } from './csv';
import { Prices, usdOf } from './price';

/** What is taken from the offer file of EFS. */
export interface EfsOffer {
  /** The day of the file, yyyy-mm-dd. */
  readonly published: string;
  /** Undefined: the file does not have both prices. */
  readonly prices: Omit<NonNullable<RegionPrices['efs']>, 'source'> | undefined;
}

/** EFS User Guide, throughput modes: 50 MiB/s for each TiB, which the bill writes as 1 MiB/s for each 20 GB. */
const INCLUDED_MBPS_PER_GB = 0.05;

/**
 * Reads the offer file of EFS of one region (`offers/v1.0/aws/AmazonEFS/current/<region>/index.csv`): Regional,
 * Standard, with provisioned throughput. One Zone, Infrequent Access, Archive and elastic throughput have other usage
 * types.
 *
 * @throws Error when it is no such file, or is cut off
 */
export async function readEfsOffer(
  lines: AsyncIterable<string> | Iterable<string>,
  region: string,
): Promise<EfsOffer> {
  const prices = new Prices();
  const { about, rows } = await readOffer(lines, (line) => line.includes('"OnDemand"'));
  for await (const row of rows) {
    const usd = usdOf(row, region);
    const what = /^(?:[A-Z0-9]+-)?(TimedStorage-ByteHrs|ProvisionedTP-MiBpsHrs)$/.exec(
      row.usageType ?? '',
    )?.[1];
    if (usd !== undefined && what && row.Unit === UNITS[what]) prices.add(what, usd);
  }
  const [gbMonth, mbpsMonth] = [prices.get('TimedStorage-ByteHrs'), prices.get('ProvisionedTP-MiBpsHrs')];
  return {
    published: (about.get('Publication Date') ?? '').slice(0, 10),
    prices:
      gbMonth && mbpsMonth ? { gbMonth, mbpsMonth, includedMBpsPerGB: INCLUDED_MBPS_PER_GB } : undefined,
  };
}

const UNITS: { readonly [usage: string]: string } = {
  'TimedStorage-ByteHrs': 'GB-Mo',
  'ProvisionedTP-MiBpsHrs': 'MiBps-Mo',
};
