import type { RegionPrices } from '../../constructs/sizing/data/prices';
import { type Row, readOffer } from './csv';
import { Prices, usdOf } from './price';

/** What is taken from the offer file of EC2. */
export interface Ec2Offer {
  /** The day of the file, yyyy-mm-dd. */
  readonly published: string;
  /** USD an hour by type. */
  readonly hours: ReadonlyMap<string, number>;
  readonly ebs: Omit<RegionPrices['ebs'], 'source'>;
  /** What has two prices in the file, and was left out. */
  readonly left: readonly string[];
}

const MIBPS_PER_GIBPS = 1024;

/**
 * Reads the offer file of EC2 of one region (`offers/v1.0/aws/AmazonEC2/current/<region>/index.csv`).
 *
 * @throws Error when it is no such file, is cut off, or has a unit that is not understood
 */
export async function readEc2Offer(
  lines: AsyncIterable<string> | Iterable<string>,
  region: string,
): Promise<Ec2Offer> {
  const [hours, volumes] = [new Prices(), new Prices()];
  const { about, rows } = await readOffer(lines, maybeWanted);
  for await (const row of rows) {
    const usd = usdOf(row, region);
    if (usd === undefined) continue;
    if (isLinuxHour(row)) hours.add(row['Instance Type']!, usd);
    const volume = volumeKey(row);
    if (volume) volumes.add(volume, usd / unitsIn(row, volume));
  }
  const published = (about.get('Publication Date') ?? '').slice(0, 10);
  const left = [...hours.left, ...volumes.left];
  return { published, hours: hours.all, ebs: ebsOf(volumes), left };
}

/** Cheap, before the line is taken apart. */
function maybeWanted(line: string): boolean {
  return line.includes('"OnDemand"') && (line.includes('"Shared"') || line.includes('EBS:Volume'));
}

// Shared tenancy, nothing installed, and in use: the same type has a dozen prices besides this one.
function isLinuxHour(row: Row): boolean {
  return (
    row.Unit === 'Hrs' &&
    row.Tenancy === 'Shared' &&
    row['Operating System'] === 'Linux' &&
    row['Pre Installed S/W'] === 'NA' &&
    row.CapacityStatus === 'Used' &&
    row['License Model'] === 'No License required' &&
    // Blocks of capacity that are bought ahead have hours as well.
    (row.MarketOption ?? 'OnDemand') === 'OnDemand'
  );
}

// Outside us-east-1 the usage type begins with the region: EUC1-EBS:VolumeUsage.gp3.
function volumeKey(row: Row): string | undefined {
  return /^(?:[A-Z0-9]+-)?EBS:(Volume(?:Usage|P-IOPS|P-Throughput)\.\w+(?:\.tier[23])?)$/.exec(
    row.usageType ?? '',
  )?.[1];
}

// The list writes GB-Mo and GB-month, and advertises throughput for each MiB/s but lists it for each GiB/s.
function unitsIn({ Unit = '' }: Row, volume: string): number {
  const unit = Unit.toLowerCase();
  if (volume.startsWith('VolumeUsage') && /^gb-mo(nth)?$/.test(unit)) return 1;
  if (volume.startsWith('VolumeP-IOPS') && /^iops-mo(nth)?$/.test(unit)) return 1;
  if (volume.startsWith('VolumeP-Throughput') && /^mibps-mo(nth)?$/.test(unit)) return 1;
  if (volume.startsWith('VolumeP-Throughput') && /^gibps-mo(nth)?$/.test(unit)) return MIBPS_PER_GIBPS;
  throw new Error(`the price list has ${volume} by '${Unit}', which is not understood`);
}

function ebsOf(prices: Prices): Ec2Offer['ebs'] {
  const [gp3, iops, mibps] = ['Usage.gp3', 'P-IOPS.gp3', 'P-Throughput.gp3'].map((name) =>
    prices.get(`Volume${name}`),
  );
  const io2 = prices.get('VolumeUsage.io2');
  const steps = ['', '.tier2', '.tier3'].map((tier) => prices.get(`VolumeP-IOPS.io2${tier}`));
  const byGB = (type: string) => {
    const gbMonth = prices.get(`VolumeUsage.${type}`);
    return gbMonth === undefined ? {} : { [type]: { gbMonth } };
  };
  return {
    ...(gp3 && iops
      ? { gp3: { gbMonth: gp3, iopsMonth: iops, ...(mibps ? { mibpsMonth: mibps } : {}) } }
      : {}),
    ...byGB('gp2'),
    ...byGB('st1'),
    ...(io2 && steps[0] && steps[1] && steps[2]
      ? {
          io2: {
            gbMonth: io2,
            // EBS pricing: up to 32,000, up to 64,000, and above.
            iopsMonth: [{ upTo: 32_000, usd: steps[0] }, { upTo: 64_000, usd: steps[1] }, { usd: steps[2] }],
          },
        }
      : {}),
  };
}
