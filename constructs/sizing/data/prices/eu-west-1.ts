import type { RegionPrices } from './region-prices';
import { EBS_PAGE_2021, EC2_OTHER_REGIONS, FSX, GP3_EU_WEST_1, IO2_EU_WEST_1 } from './sources';

/** List prices of eu-west-1. */
export const EU_WEST_1: RegionPrices = {
  region: 'eu-west-1',
  instances: {
    perXlargeHour: {
      c6i: 0.1824,
      c6id: 0.2289,
      c6in: 0.2562,
      c7i: 0.19152,
      d2: 0.735,
      i3en: 0.5,
      i4i: 0.3784,
      m4: 0.222,
      m5: 0.214,
      m5d: 0.252,
      m5dn: 0.304,
      m6i: 0.214,
      m6id: 0.2646,
      m6idn: 0.35568,
      m6in: 0.31122,
      m7i: 0.2247,
      r5: 0.282,
      r5b: 0.334,
      r5d: 0.32,
      r5n: 0.334,
      r6id: 0.336,
      r6idn: 0.43524,
      r6in: 0.39078,
      r7i: 0.2961,
    },
    source: EC2_OTHER_REGIONS,
  },
  ebs: {
    gp3: { gbMonth: 0.088, iopsMonth: 0.0055, mibpsMonth: 0.044, source: GP3_EU_WEST_1 },
    gp2: { gbMonth: 0.11, source: GP3_EU_WEST_1 },
    st1: { gbMonth: 0.05 },
    io2: {
      gbMonth: 0.138,
      iopsMonth: [{ upTo: 32_000, usd: 0.072 }, { upTo: 64_000, usd: 0.05 }, { usd: 0.035 }],
      source: IO2_EU_WEST_1,
    },
    source: EBS_PAGE_2021,
  },
  fsxLustre: {
    ssdGbMonth: { '125': 0.16, '250': 0.231, '500': 0.374, '1000': 0.66 },
    intelligentTiering: { mbpsMonth: 0.572, metadataIopsMonth: 0.062 },
    source: FSX,
  },
  fsxOpenZfs: {
    deployments: {
      SINGLE_AZ_1: { gbMonth: 0.099, mbpsMonth: 0.286 },
      SINGLE_AZ_2: { gbMonth: 0.099, mbpsMonth: 0.286 },
      SINGLE_AZ_HA_1: { gbMonth: 0.099, mbpsMonth: 0.572 },
      SINGLE_AZ_HA_2: { gbMonth: 0.099, mbpsMonth: 0.572 },
      MULTI_AZ_1: { gbMonth: 0.198, mbpsMonth: 0.9824 },
    },
    source: FSX,
  },
  fsxOntap: {
    deployments: {
      SINGLE_AZ_1: { gbMonth: 0.138, mbpsMonth: 0.813 },
      SINGLE_AZ_2: { gbMonth: 0.138, mbpsMonth: 1.807 },
      MULTI_AZ_1: { gbMonth: 0.275, mbpsMonth: 1.355 },
      MULTI_AZ_2: { gbMonth: 0.275, mbpsMonth: 2.823 },
    },
    source: FSX,
  },
};
