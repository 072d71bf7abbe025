import type { RegionPrices } from './region-prices';
import { EBS_PAGE_2021, EC2_OTHER_REGIONS, FSX } from './sources';

/** List prices of ap-southeast-2. */
export const AP_SOUTHEAST_2: RegionPrices = {
  region: 'ap-southeast-2',
  instances: {
    perXlargeHour: {
      c3: 0.264625,
      c4: 0.260625,
      c6i: 0.222,
      c6id: 0.2646,
      c6in: 0.2961,
      c7i: 0.2331,
      i3: 0.374,
      i3en: 0.542,
      i4i: 0.4115,
      m4: 0.25,
      m5: 0.24,
      m5d: 0.284,
      m6i: 0.24,
      m6id: 0.2982,
      m6idn: 0.40248,
      m6in: 0.351,
      m7i: 0.252,
      r5: 0.302,
      r5b: 0.362,
      r5d: 0.348,
      r5dn: 0.408,
      r5n: 0.362,
      r6i: 0.302,
      r6id: 0.348,
      r6in: 0.42354,
      r7i: 0.3171,
    },
    source: EC2_OTHER_REGIONS,
  },
  ebs: {
    gp3: { gbMonth: 0.096, iopsMonth: 0.006 },
    gp2: { gbMonth: 0.12 },
    st1: { gbMonth: 0.054 },
    io2: {
      gbMonth: 0.138,
      iopsMonth: [{ upTo: 32_000, usd: 0.072 }, { upTo: 64_000, usd: 0.05 }, { usd: 0.035 }],
    },
    source: EBS_PAGE_2021,
  },
  fsxLustre: {
    ssdGbMonth: { '125': 0.171, '250': 0.246, '500': 0.396, '1000': 0.695 },
    intelligentTiering: { mbpsMonth: 0.598, metadataIopsMonth: 0.072 },
    source: FSX,
  },
  fsxOpenZfs: {
    deployments: {
      SINGLE_AZ_1: { gbMonth: 0.108, mbpsMonth: 0.299 },
      SINGLE_AZ_2: { gbMonth: 0.108, mbpsMonth: 0.299 },
      SINGLE_AZ_HA_1: { gbMonth: 0.108, mbpsMonth: 0.598 },
      SINGLE_AZ_HA_2: { gbMonth: 0.108, mbpsMonth: 0.598 },
      MULTI_AZ_1: { gbMonth: 0.216, mbpsMonth: 1.1361 },
    },
    source: FSX,
  },
  fsxOntap: {
    deployments: {
      SINGLE_AZ_1: { gbMonth: 0.15, mbpsMonth: 0.94 },
      SINGLE_AZ_2: { gbMonth: 0.15, mbpsMonth: 2.089 },
      MULTI_AZ_1: { gbMonth: 0.3, mbpsMonth: 1.567 },
      MULTI_AZ_2: { gbMonth: 0.3, mbpsMonth: 3.265 },
    },
    source: FSX,
  },
};
