/** JSON schema of the prices of a region (constructs/sizing/data/prices/region-prices.ts). */
const price = { type: 'number', exclusiveMinimum: 0 };
const prices = { type: 'object', additionalProperties: price };
const day = { type: 'string', pattern: '^\\d{4}-\\d{2}-\\d{2}$' };

const source = {
  type: 'object',
  required: ['title', 'reference', 'checked'],
  additionalProperties: false,
  properties: {
    title: { type: 'string', minLength: 10 },
    reference: { type: 'string', pattern: '^(https://|paper \\d{3})' },
    checked: day,
    pricesOf: day,
  },
};

function object(required: string[], properties: object) {
  return { type: 'object', required, additionalProperties: false, properties };
}

const deployments = object(['deployments', 'source'], {
  deployments: {
    type: 'object',
    minProperties: 1,
    additionalProperties: object(['gbMonth', 'mbpsMonth'], { gbMonth: price, mbpsMonth: price }),
  },
  source,
});

const byGB = object(['gbMonth'], { gbMonth: price, source });
const step = object(['usd'], { upTo: price, usd: price });

export const REGION_PRICES_SCHEMA = object(['region', 'instances', 'ebs'], {
  region: { type: 'string', minLength: 9 },
  instances: object(['perXlargeHour', 'source'], { perXlargeHour: prices, exactHour: prices, source }),
  ebs: object([], {
    gp3: object(['gbMonth', 'iopsMonth'], {
      gbMonth: price,
      iopsMonth: price,
      mibpsMonth: price,
      source,
    }),
    gp2: byGB,
    st1: byGB,
    io2: object(['gbMonth', 'iopsMonth'], {
      gbMonth: price,
      iopsMonth: { type: 'array', minItems: 1, items: step },
      source,
    }),
    source,
  }),
  fsxLustre: object(['ssdGbMonth', 'intelligentTiering', 'source'], {
    ssdGbMonth: object([], { 125: price, 250: price, 500: price, 1000: price }),
    intelligentTiering: object(['mbpsMonth', 'metadataIopsMonth'], {
      mbpsMonth: price,
      metadataIopsMonth: price,
    }),
    source,
  }),
  fsxOpenZfs: deployments,
  fsxOntap: deployments,
  efs: object(['gbMonth', 'mbpsMonth', 'includedMBpsPerGB', 'source'], {
    gbMonth: price,
    mbpsMonth: price,
    includedMBpsPerGB: price,
    source,
  }),
});
