import type { RegionPrices } from './region-prices';
import { EBS_PAGE_2021, EC2_OTHER_REGIONS, EFS_US_WEST_2, FSX, GP3_US_WEST_2 } from './sources';

/** List prices of us-west-2. */
export const US_WEST_2: RegionPrices = {
  region: 'us-west-2',
  instances: {
    perXlargeHour: {
      c3: 0.21,
      c6i: 0.17,
      c6id: 0.2016,
      c6in: 0.2268,
      c7i: 0.1785,
      i2: 0.8525,
      i3: 0.312,
      i3en: 0.452,
      i4i: 0.3432,
      i7ie: 0.5198,
      i8g: 0.3432,
      m4: 0.2,
      m5: 0.192,
      m5d: 0.226,
      m5dn: 0.272,
      m5n: 0.238,
      m6i: 0.192,
      m6id: 0.2373,
      m6idn: 0.31824,
      m6in: 0.27846,
      m7i: 0.2016,
      m8g: 0.17952,
      r5: 0.252,
      r5b: 0.298,
      r5d: 0.288,
      r5dn: 0.334,
      r5n: 0.298,
      r6i: 0.252,
      r6id: 0.3024,
      r6idn: 0.39078,
      r6in: 0.34866,
      r7i: 0.2646,
    },
    source: EC2_OTHER_REGIONS,
  },
  ebs: {
    gp3: { gbMonth: 0.08, iopsMonth: 0.005, mibpsMonth: 0.04, source: GP3_US_WEST_2 },
    gp2: { gbMonth: 0.1 },
    st1: { gbMonth: 0.045 },
    io2: {
      gbMonth: 0.125,
      iopsMonth: [{ upTo: 32_000, usd: 0.065 }, { upTo: 64_000, usd: 0.046 }, { usd: 0.032 }],
    },
    source: EBS_PAGE_2021,
  },
  fsxLustre: {
    ssdGbMonth: { '125': 0.145, '250': 0.21, '500': 0.34, '1000': 0.6 },
    intelligentTiering: { mbpsMonth: 0.52, metadataIopsMonth: 0.055 },
    source: FSX,
  },
  fsxOpenZfs: {
    deployments: {
      SINGLE_AZ_1: { gbMonth: 0.09, mbpsMonth: 0.26 },
      SINGLE_AZ_2: { gbMonth: 0.09, mbpsMonth: 0.26 },
      SINGLE_AZ_HA_1: { gbMonth: 0.09, mbpsMonth: 0.52 },
      SINGLE_AZ_HA_2: { gbMonth: 0.09, mbpsMonth: 0.52 },
      MULTI_AZ_1: { gbMonth: 0.18, mbpsMonth: 0.87 },
    },
    source: FSX,
  },
  fsxOntap: {
    deployments: {
      SINGLE_AZ_1: { gbMonth: 0.125, mbpsMonth: 0.72 },
      SINGLE_AZ_2: { gbMonth: 0.125, mbpsMonth: 1.6 },
      MULTI_AZ_1: { gbMonth: 0.25, mbpsMonth: 1.2 },
      MULTI_AZ_2: { gbMonth: 0.25, mbpsMonth: 2.5 },
    },
    source: FSX,
  },
  efs: { gbMonth: 0.3, mbpsMonth: 6, includedMBpsPerGB: 0.05, source: EFS_US_WEST_2 },
};
