import type { Fact } from '../sizing/facts';

const SCHEMAS = {
  title: "CloudFormation's resource schemas by region, in cfn-lint 1.58.0",
  reference: 'https://github.com/aws-cloudformation/cfn-lint/tree/main/src/cfnlint/data/schemas/providers',
  checked: '2026-11-25',
};

/** Of what the templates use. A test compares it with the schemas. */
export const REGIONS_WITHOUT_TYPES: Fact<{ readonly [type: string]: readonly string[] }> = {
  value: {
    'AWS::FSx::': ['ap-southeast-6'],
    'AWS::ServiceCatalog::': ['ap-east-2', 'ap-southeast-5', 'ap-southeast-7', 'mx-central-1'],
  },
  unit: 'regions whose CloudFormation lacks types of these services',
  source: SCHEMAS,
};

/** The CDK knows them; nothing says which types their CloudFormation has. */
export const REGIONS_WITHOUT_SCHEMAS: Fact<readonly string[]> = {
  value: ['me-south-1', 'me-west-1'],
  unit: 'regions of which no schemas were found',
  source: { ...SCHEMAS, unverified: true },
};
