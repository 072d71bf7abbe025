import type { RegionPrices } from '../../constructs/sizing/data/prices';
import type { PriceSource } from '../../constructs/sizing/data/prices/region-prices';

/** The prices of FSx of AWS' sample FSx viewer, as far as they are used here. */
export interface FsxPriceFile {
  readonly last_updated: string;
  readonly regions: {
    readonly [region: string]: {
      readonly ONTAP?: ByDeployment;
      readonly OPENZFS?: ByDeployment;
      readonly LUSTRE?: {
        readonly storage: {
          // The tier of 125 stands under PERSISTENT_1 there.
          readonly PERSISTENT_1?: { readonly SSD?: { readonly [tier: string]: number } };
          readonly PERSISTENT_2?: { readonly SSD?: { readonly [tier: string]: number } };
        };
        readonly metadata_iops: number;
        readonly throughput: number;
      };
    };
  };
}

interface ByDeployment {
  readonly storage: { readonly [deployment: string]: number };
  readonly throughput: { readonly [deployment: string]: number };
}

const TIERS = ['125', '250', '500', '1000'];

/** The prices of FSx in a region; what the file lacks is left out. */
export function fsxPrices(
  file: FsxPriceFile,
  region: string,
  source: PriceSource,
): Pick<RegionPrices, 'fsxLustre' | 'fsxOpenZfs' | 'fsxOntap'> {
  const { LUSTRE, OPENZFS, ONTAP } = file.regions[region] ?? {};
  const ssd = { ...LUSTRE?.storage.PERSISTENT_1?.SSD, ...LUSTRE?.storage.PERSISTENT_2?.SSD };
  const tiers = TIERS.filter((tier) => ssd[tier] !== undefined).map((tier) => [tier, ssd[tier]!] as const);
  return {
    ...(LUSTRE && tiers.length
      ? {
          fsxLustre: {
            ssdGbMonth: Object.fromEntries(tiers),
            intelligentTiering: { mbpsMonth: LUSTRE.throughput, metadataIopsMonth: LUSTRE.metadata_iops },
            source,
          },
        }
      : {}),
    ...(OPENZFS ? { fsxOpenZfs: { deployments: deploymentsOf(OPENZFS), source } } : {}),
    ...(ONTAP ? { fsxOntap: { deployments: deploymentsOf(ONTAP), source } } : {}),
  };
}

function deploymentsOf({ storage, throughput }: ByDeployment) {
  const names = Object.keys(storage).filter((name) => throughput[name] !== undefined);
  return Object.fromEntries(
    names.sort().map((name) => [name, { gbMonth: storage[name]!, mbpsMonth: throughput[name]! }]),
  );
}
