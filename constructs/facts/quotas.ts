import type { Fact, Source } from '../sizing/facts';

// Quotas of Service Quotas that a deployment may reach, by the codes that its API takes.

const DOCS = 'https://docs.aws.amazon.com';

/** A quota of a region, as Service Quotas knows it. */
export interface Quota {
  /** The service's code in Service Quotas. */
  readonly service: string;
  readonly code: string;
  /** As the console names it. */
  readonly name: string;
  /** What an account has that never asked for more. */
  readonly initially: number;
}

function quotasOf<T>(value: T, unit: string, source: Omit<Source, 'checked'>): Fact<T> {
  return { value, unit, source: { ...source, checked: '2026-11-27' } };
}

const runningInstances = (what: string, code: string, initially: number): Quota => ({
  service: 'ec2',
  code,
  name: `Running On-Demand ${what} instances`,
  initially,
});

/** Which quota of vCPUs a type counts against, by the letters before the first digit. Any other one is not known. */
export const VCPU_QUOTAS: Fact<readonly { readonly families: readonly string[]; readonly quota: Quota }[]> =
  quotasOf(
    [
      {
        families: ['a', 'c', 'd', 'h', 'i', 'im', 'is', 'm', 'r', 't', 'z'],
        quota: runningInstances('Standard (A, C, D, H, I, M, R, T, Z)', 'L-1216C47A', 5),
      },
      { families: ['x'], quota: runningInstances('X', 'L-7295265B', 0) },
      { families: ['hpc'], quota: runningInstances('HPC', 'L-F7808C92', 0) },
      { families: ['g', 'vt'], quota: runningInstances('G and VT', 'L-DB2E81BA', 0) },
      { families: ['p'], quota: runningInstances('P', 'L-417A185B', 0) },
      { families: ['f'], quota: runningInstances('F', 'L-74FC7D96', 0) },
      { families: ['u'], quota: runningInstances('High Memory', 'L-43DA4232', 0) },
    ],
    'quotas of running vCPUs, by families of instance types',
    {
      title: 'Amazon EC2 User Guide, On-Demand Instances: quotas, with links that have the codes',
      reference: `${DOCS}/AWSEC2/latest/UserGuide/ec2-on-demand-instances.html`,
    },
  );

const storage = (type: string, name: string, code: string, initially: number): Quota => ({
  service: 'ebs',
  code,
  name: `Storage for ${name} (${type}) volumes, in TiB`,
  initially,
});

const GENERAL_REFERENCE = {
  title: 'AWS General Reference, Amazon EBS endpoints and quotas; codes as Service Quotas lists them',
  reference: `${DOCS}/general/latest/gr/ebs-service.html`,
};

/** TiB of volumes, by volume type. */
export const STORAGE_QUOTAS: Fact<{ readonly [volumeType: string]: Quota }> = quotasOf(
  {
    gp2: storage('gp2', 'General Purpose SSD', 'L-D18FCD1D', 50),
    gp3: storage('gp3', 'General Purpose SSD', 'L-7A658B76', 50),
    io1: storage('io1', 'Provisioned IOPS SSD', 'L-FD252861', 50),
    io2: storage('io2', 'Provisioned IOPS SSD', 'L-09BD8365', 20),
    st1: storage('st1', 'Throughput Optimized HDD', 'L-82ACEF56', 50),
    sc1: storage('sc1', 'Cold HDD', 'L-17AF77E8', 50),
  },
  'quotas of TiB of volumes, by type',
  GENERAL_REFERENCE,
);

/** IOPS that are provisioned, by volume type. Those of gp3 have no quota. */
export const IOPS_QUOTAS: Fact<{ readonly [volumeType: string]: Quota }> = quotasOf(
  {
    io1: {
      service: 'ebs',
      code: 'L-B3A130E6',
      name: 'IOPS for Provisioned IOPS SSD (io1) volumes',
      initially: 300_000,
    },
    io2: {
      service: 'ebs',
      code: 'L-8D977E7E',
      name: 'IOPS for Provisioned IOPS SSD (io2) volumes',
      initially: 100_000,
    },
  },
  'quotas of provisioned IOPS, by type',
  GENERAL_REFERENCE,
);

/** What a network takes. */
export const NETWORK_QUOTAS = quotasOf(
  {
    addresses: { service: 'ec2', code: 'L-0263D0A3', name: 'EC2-VPC Elastic IPs', initially: 5 },
    vpcs: { service: 'vpc', code: 'L-F678F1CE', name: 'VPCs per Region', initially: 5 },
    rules: {
      service: 'vpc',
      code: 'L-0EA8095F',
      name: 'Inbound or outbound rules per security group',
      initially: 60,
    },
  },
  'quotas of networks',
  {
    title: 'Amazon VPC User Guide, Amazon VPC quotas; codes as Service Quotas lists them',
    reference: `${DOCS}/vpc/latest/userguide/amazon-vpc-limits.html`,
  },
);

/** All of them, each once. */
export const ALL_QUOTAS: readonly Quota[] = [
  ...VCPU_QUOTAS.value.map(({ quota }) => quota),
  ...Object.values(STORAGE_QUOTAS.value),
  ...Object.values(IOPS_QUOTAS.value),
  ...Object.values(NETWORK_QUOTAS.value),
];

/** Whoever launches encrypted hosts for a group asks for this at the key. */
export const AUTO_SCALING_KEY_ACTIONS: Fact<readonly string[]> = {
  value: [
    'kms:Encrypt',
    'kms:Decrypt',
    'kms:ReEncryptFrom',
    'kms:ReEncryptTo',
    'kms:GenerateDataKey',
    'kms:GenerateDataKeyWithoutPlaintext',
    'kms:DescribeKey',
    'kms:CreateGrant',
  ],
  unit: 'rights on a customer managed key that AWSServiceRoleForAutoScaling needs',
  source: {
    title:
      'Amazon EC2 Auto Scaling User Guide, Required AWS KMS key policy for use with encrypted volumes: ' +
      'ReEncrypt* and GenerateDataKey* stand for more',
    reference: `${DOCS}/autoscaling/ec2/userguide/key-policy-requirements-EBS-encryption.html`,
    checked: '2026-11-27',
  },
};

/** Where the CDK deploys when neither the stack, the environment nor the profile names a region. */
export const CDK_REGION: Fact<string> = {
  value: 'us-east-1',
  unit: 'region of the CDK when nothing names one',
  source: {
    title: 'aws-cdk 2.1148.1, AwsCliCompatible.region',
    reference:
      'https://github.com/aws/aws-cdk-cli/blob/main/packages/%40aws-cdk/toolkit-lib/lib/api/aws-auth/awscli-compatible.ts',
    checked: '2026-11-27',
  },
};
