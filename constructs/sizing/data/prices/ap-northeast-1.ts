import type { RegionPrices } from './region-prices';
import { EBS_AP_NORTHEAST_1, EBS_PAGE_2021, EC2_OTHER_REGIONS, EFS_AP_NORTHEAST_1, FSX } from './sources';

/** List prices of ap-northeast-1. */
export const AP_NORTHEAST_1: RegionPrices = {
  region: 'ap-northeast-1',
  instances: {
    perXlargeHour: {
      c3: 0.255375,
      c4: 0.252,
      c6i: 0.214,
      c6id: 0.2562,
      c6in: 0.2856,
      c7i: 0.2247,
      i2: 1.0005,
      i3: 0.366,
      i3en: 0.532,
      i4i: 0.4026,
      i7ie: 0.6118,
      m4: 0.258,
      m5: 0.248,
      m5d: 0.292,
      m5dn: 0.35,
      m5n: 0.306,
      m6id: 0.3066,
      m6idn: 0.4095,
      m6in: 0.35802,
      m7i: 0.2604,
      r5: 0.304,
      r5b: 0.362,
      r5d: 0.348,
      r5dn: 0.406,
      r5n: 0.362,
      r6i: 0.304,
      r6id: 0.3654,
      r6idn: 0.47502,
      r6in: 0.42354,
      r7i: 0.3192,
    },
    source: EC2_OTHER_REGIONS,
  },
  ebs: {
    gp3: { gbMonth: 0.096, iopsMonth: 0.006, mibpsMonth: 0.048 },
    io2: {
      gbMonth: 0.142,
      iopsMonth: [{ upTo: 32_000, usd: 0.074 }, { upTo: 64_000, usd: 0.0518 }, { usd: 0.03626 }],
    },
    gp2: { gbMonth: 0.12, source: EBS_PAGE_2021 },
    st1: { gbMonth: 0.054, source: EBS_PAGE_2021 },
    source: EBS_AP_NORTHEAST_1,
  },
  fsxLustre: {
    ssdGbMonth: { '125': 0.188, '250': 0.282, '500': 0.471, '1000': 0.848 },
    intelligentTiering: { mbpsMonth: 0.656, metadataIopsMonth: 0.069 },
    source: FSX,
  },
  fsxOpenZfs: {
    deployments: {
      SINGLE_AZ_1: { gbMonth: 0.108, mbpsMonth: 0.35 },
      SINGLE_AZ_2: { gbMonth: 0.108, mbpsMonth: 0.35 },
      SINGLE_AZ_HA_1: { gbMonth: 0.108, mbpsMonth: 0.7 },
      SINGLE_AZ_HA_2: { gbMonth: 0.108, mbpsMonth: 0.7 },
      MULTI_AZ_1: { gbMonth: 0.216, mbpsMonth: 1.0955 },
    },
    source: FSX,
  },
  fsxOntap: {
    deployments: {
      SINGLE_AZ_1: { gbMonth: 0.15, mbpsMonth: 0.906 },
      SINGLE_AZ_2: { gbMonth: 0.15, mbpsMonth: 2.013 },
      MULTI_AZ_1: { gbMonth: 0.3, mbpsMonth: 1.511 },
      MULTI_AZ_2: { gbMonth: 0.3, mbpsMonth: 3.148 },
    },
    source: FSX,
  },
  efs: { gbMonth: 0.36, mbpsMonth: 7.2, includedMBpsPerGB: 0.05, source: EFS_AP_NORTHEAST_1 },
};
