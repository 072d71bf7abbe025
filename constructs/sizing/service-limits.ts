import type { Source } from './facts';

/** A limit of an AWS service that the constructs check at synthesis. */
export interface ServiceLimit {
  readonly value: number;
  readonly unit: string;
  readonly source: Source;
}

function limit(value: number, unit: string, title: string, reference: string): ServiceLimit {
  return { value, unit, source: { title, reference, checked: '2026-11-20' } };
}

/** Limits of services, each with its source. */
export const SERVICE_LIMITS = {
  /** Before base64 encoding. */
  userDataBytes: limit(
    16 * 1024,
    'bytes',
    'Amazon EC2 user data: 16 KB in raw form',
    'https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/instancedata-add-user-data.html',
  ),
  stackResources: limit(
    500,
    'resources per stack',
    'AWS CloudFormation quotas',
    'https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/cloudformation-limits.html',
  ),
  /** In S3, as that of a product is. */
  templateBytes: limit(
    1_000_000,
    'bytes per template',
    'AWS CloudFormation quotas: 1 MB for a template in S3',
    'https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/cloudformation-limits.html',
  ),
  templateParameters: limit(
    200,
    'parameters per template',
    'AWS CloudFormation quotas',
    'https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/cloudformation-limits.html',
  ),
  workflowHistoryEvents: limit(
    25_000,
    'events per execution of a standard workflow',
    'AWS Step Functions quotas',
    'https://docs.aws.amazon.com/step-functions/latest/dg/service-quotas.html',
  ),
  lambdaTimeoutSeconds: limit(
    900,
    'seconds',
    'AWS Lambda quotas',
    'https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html',
  ),
  placementGroupsPerRegion: limit(
    500,
    'placement groups per account and Region',
    'Placement group rules and limitations',
    'https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/limitations-placement-groups.html',
  ),
  /** AWS keeps the first four addresses and the last one of every subnet. */
  reservedAddressesPerSubnet: limit(
    5,
    'addresses per subnet',
    'Subnet CIDR blocks',
    'https://docs.aws.amazon.com/vpc/latest/userguide/subnet-sizing.html',
  ),
} as const;

/** Prefix lengths that a VPC or a subnet may have. Source: Amazon VPC user guide, VPC and subnet CIDR blocks. */
export const VPC_PREFIX_LENGTHS = { shortest: 16, longest: 28 } as const;
