import type { RegionPrices } from '../../constructs/sizing/data/prices';
import { offerRows, type Row } from './csv';

/** What is taken from the offer file of EC2. */
export interface Ec2Offer {
  /** The day of the file, yyyy-mm-dd. */
  readonly published: string;
  /** USD an hour by type. */
  readonly hours: ReadonlyMap<string, number>;
  readonly ebs: Omit<RegionPrices['ebs'], 'source'>;
}

const MIBPS_PER_GIBPS = 1024;

/** Reads the offer file of EC2 of one region (`offers/v1.0/aws/AmazonEC2/current/<region>/index.csv`). */
export async function readEc2Offer(lines: AsyncIterable<string> | Iterable<string>): Promise<Ec2Offer> {
  const about = new Map<string, string>();
  const hours = new Map<string, number>();
  const volumes = new Map<string, number>();
  for await (const row of offerRows(lines, about)) {
    const usd = Number(row.PricePerUnit);
    if (row.TermType !== 'OnDemand' || row.Currency !== 'USD' || !(usd > 0)) continue;
    if (isLinuxHour(row)) hours.set(row['Instance Type']!, usd);
    const volume = volumeKey(row);
    if (volume) volumes.set(volume, row.Unit?.startsWith('GiBps') ? usd / MIBPS_PER_GIBPS : usd);
  }
  return { published: (about.get('Publication Date') ?? '').slice(0, 10), hours, ebs: ebsOf(volumes) };
}

// Shared tenancy, nothing installed, and in use: the same type has a dozen prices besides this one.
function isLinuxHour(row: Row): boolean {
  return (
    row.Unit === 'Hrs' &&
    row.Tenancy === 'Shared' &&
    row['Operating System'] === 'Linux' &&
    row['Pre Installed S/W'] === 'NA' &&
    row.CapacityStatus === 'Used' &&
    row['License Model'] === 'No License required'
  );
}

// Outside us-east-1 the usage type begins with the region: EUC1-EBS:VolumeUsage.gp3.
function volumeKey(row: Row): string | undefined {
  return /(?:^|-)EBS:(Volume(?:Usage|P-IOPS|P-Throughput)\.\w+(?:\.tier[23])?)$/.exec(
    row.usageType ?? '',
  )?.[1];
}

function ebsOf(prices: ReadonlyMap<string, number>): Ec2Offer['ebs'] {
  const [gp3, gp3Iops, gp3Speed] = ['Usage.gp3', 'P-IOPS.gp3', 'P-Throughput.gp3'].map((name) =>
    prices.get(`Volume${name}`),
  );
  const io2 = prices.get('VolumeUsage.io2');
  const steps = ['', '.tier2', '.tier3'].map((tier) => prices.get(`VolumeP-IOPS.io2${tier}`));
  const byGB = (type: string) => {
    const gbMonth = prices.get(`VolumeUsage.${type}`);
    return gbMonth === undefined ? {} : { [type]: { gbMonth } };
  };
  return {
    ...(gp3 && gp3Iops && gp3Speed
      ? { gp3: { gbMonth: gp3, iopsMonth: gp3Iops, mibpsMonth: gp3Speed } }
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
