/**
 * Writes offer files as the price list has them: the lines about the file, and the columns of AmazonEC2 (AWS Billing
 * User Guide, "Reading the service price list file for an AWS service"; made here, nothing was fetched).
 */
const COLUMNS = [
  ...['SKU', 'OfferTermCode', 'RateCode', 'TermType', 'PriceDescription', 'EffectiveDate', 'StartingRange'],
  ...[
    'EndingRange',
    'Unit',
    'PricePerUnit',
    'Currency',
    'RelatedTo',
    'LeaseContractLength',
    'PurchaseOption',
  ],
  ...['OfferingClass', 'Product Family', 'serviceCode', 'Location', 'Location Type', 'Instance Type', 'vCPU'],
  ...['Memory', 'Storage', 'Volume Type', 'Tenancy', 'EBS Optimized', 'Operating System', 'License Model'],
  ...['Group', 'Group Description', 'usageType', 'operation', 'CapacityStatus', 'Pre Installed S/W'],
  ...['MarketOption', 'Region Code', 'serviceName', 'Storage Class', 'Volume API Name'],
] as const;

export type Cells = { readonly [name in (typeof COLUMNS)[number]]?: string };

const REGION: Cells = {
  TermType: 'OnDemand',
  EffectiveDate: '2026-11-01',
  StartingRange: '0',
  EndingRange: 'Inf',
  Currency: 'USD',
  Location: 'EU (Frankfurt)',
  'Location Type': 'AWS Region',
  'Region Code': 'eu-central-1',
};

let skus = 0;

export function line(values: Cells): string {
  const sku = `SKU${String(++skus).padStart(13, '0')}`;
  const row: Cells = { ...REGION, SKU: sku, OfferTermCode: 'JRTCKXETXF', ...values };
  return COLUMNS.map((name) => `"${(row[name] ?? '').replaceAll('"', '""')}"`).join(',');
}

/** An hour of an instance: Linux, shared, in use, unless something else is said. */
export function hour(type: string, usd: string, values: Cells = {}): string {
  return line({
    'Product Family': 'Compute Instance',
    PriceDescription: `$${usd} per On Demand Linux ${type} Instance Hour`,
    'Instance Type': type,
    Tenancy: 'Shared',
    'Operating System': 'Linux',
    'License Model': 'No License required',
    CapacityStatus: 'Used',
    'Pre Installed S/W': 'NA',
    MarketOption: 'OnDemand',
    usageType: `EUC1-BoxUsage:${type}`,
    operation: 'RunInstances',
    Unit: 'Hrs',
    PricePerUnit: usd,
    ...values,
  });
}

/** A month of a volume: `VolumeUsage.gp3` for example. */
export function volume(what: string, usd: string, unit: string, values: Cells = {}): string {
  return line({ usageType: `EUC1-EBS:${what}`, PricePerUnit: usd, Unit: unit, ...values });
}

export function offerFile(service: string, rows: readonly string[]): string {
  const about = [
    ['FormatVersion', 'v1.0'],
    [
      'Disclaimer',
      'This pricing list is for informational purposes only. All prices are subject to the terms',
    ],
    ['Publication Date', '2026-11-20T21:10:18Z'],
    ['Version', '20261120211018'],
    ['OfferCode', service],
  ].map(([name, value]) => `"${name}","${value}"`);
  return `${[...about, COLUMNS.map((name) => `"${name}"`).join(','), ...rows].join('\n')}\n`;
}

/** What the list of a region has of volumes, in its units. */
export const VOLUMES: readonly string[] = [
  volume('VolumeUsage.gp3', '0.0952000000', 'GB-Mo'),
  volume('VolumeP-IOPS.gp3', '0.0060000000', 'IOPS-Mo'),
  volume('VolumeP-Throughput.gp3', '48.7424000000', 'GiBps-mo'),
  volume('VolumeUsage.io2', '0.1490000000', 'GB-month'),
  volume('VolumeP-IOPS.io2', '0.0780000000', 'IOPS-Mo'),
  volume('VolumeP-IOPS.io2.tier2', '0.0546000000', 'IOPS-Mo'),
  volume('VolumeP-IOPS.io2.tier3', '0.0382200000', 'IOPS-Mo'),
];
