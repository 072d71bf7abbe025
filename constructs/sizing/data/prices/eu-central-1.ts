import type { RegionPrices } from './region-prices';
import { EBS_PAGE_2021, EC2_OTHER_REGIONS, FSX } from './sources';

/** List prices of eu-central-1. */
export const EU_CENTRAL_1: RegionPrices = {
  region: 'eu-central-1',
  instances: {
    perXlargeHour: {
      c3: 0.258,
      c4: 0.227125,
      c6i: 0.194,
      c6id: 0.2331,
      c6in: 0.2583,
      c7i: 0.2037,
      d2: 0.794,
      i3: 0.372,
      i3en: 0.54,
      i4i: 0.4092,
      i7ie: 0.621,
      i8g: 0.4092,
      m4: 0.24,
      m5: 0.23,
      m5d: 0.272,
      m5dn: 0.324,
      m5n: 0.282,
      m6i: 0.23,
      m6id: 0.2856,
      m6idn: 0.37908,
      m6in: 0.32994,
      m7i: 0.2415,
      m8g: 0.21508,
      r5: 0.304,
      r5b: 0.356,
      r5d: 0.346,
      r5dn: 0.398,
      r5n: 0.356,
      r6i: 0.304,
      r6id: 0.3633,
      r6idn: 0.46566,
      r6in: 0.41652,
      r7i: 0.3192,
    },
    source: EC2_OTHER_REGIONS,
  },
  ebs: {
    gp3: { gbMonth: 0.0952, iopsMonth: 0.006 },
    gp2: { gbMonth: 0.119 },
    st1: { gbMonth: 0.054 },
    io2: {
      gbMonth: 0.149,
      iopsMonth: [{ upTo: 32_000, usd: 0.078 }, { upTo: 64_000, usd: 0.055 }, { usd: 0.038 }],
    },
    source: EBS_PAGE_2021,
  },
  fsxLustre: {
    ssdGbMonth: { '125': 0.181, '250': 0.269, '500': 0.444, '1000': 0.794 },
    intelligentTiering: { mbpsMonth: 0.593, metadataIopsMonth: 0.063 },
    source: FSX,
  },
  fsxOpenZfs: {
    deployments: {
      SINGLE_AZ_1: { gbMonth: 0.107, mbpsMonth: 0.35 },
      SINGLE_AZ_2: { gbMonth: 0.107, mbpsMonth: 0.35 },
      SINGLE_AZ_HA_1: { gbMonth: 0.107, mbpsMonth: 0.7 },
      SINGLE_AZ_HA_2: { gbMonth: 0.107, mbpsMonth: 0.7 },
      MULTI_AZ_1: { gbMonth: 0.2146, mbpsMonth: 0.9925 },
    },
    source: FSX,
  },
  fsxOntap: {
    deployments: {
      SINGLE_AZ_1: { gbMonth: 0.149, mbpsMonth: 0.822 },
      SINGLE_AZ_2: { gbMonth: 0.149, mbpsMonth: 1.827 },
      MULTI_AZ_1: { gbMonth: 0.298, mbpsMonth: 1.369 },
      MULTI_AZ_2: { gbMonth: 0.298, mbpsMonth: 2.852 },
    },
    source: FSX,
  },
};
