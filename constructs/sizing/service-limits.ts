import type { Fact } from './facts';

function limit(value: number, unit: string, title: string, reference: string): Fact<number> {
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
  /** With periods of an hour or more; with shorter ones it is a day. */
  alarmHours: limit(
    7 * 24,
    'hours that an alarm looks back',
    'Amazon CloudWatch API Reference, PutMetricAlarm: Period times EvaluationPeriods is at most 604,800 seconds',
    'https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_PutMetricAlarm.html',
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
  stackOutputs: limit(
    200,
    'outputs per template',
    'AWS CloudFormation quotas',
    'https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/cloudformation-limits.html',
  ),
  /**
   * Lambda takes 1 MB in an asynchronous invocation. What CloudFormation itself sends to a custom resource is
   * documented nowhere; this was Lambda's quota until 2025.
   */
  customResourceRequestBytes: limit(
    256 * 1024,
    'bytes per request to a custom resource',
    'Lambda API Reference, InvokeAsync: 256 KB; Invoke: 1 MB',
    'https://docs.aws.amazon.com/lambda/latest/dg/API_InvokeAsync.html',
  ),
  workflowStateBytes: limit(
    256 * 1024,
    'bytes of input or output of a state',
    'AWS Step Functions quotas',
    'https://docs.aws.amazon.com/step-functions/latest/dg/service-quotas.html',
  ),
  /** The quota of a new account; it is raised on request (`GP3_STORAGE_QUOTA_CODE`). */
  gp3StorageTiB: limit(
    50,
    'TiB of gp3 volumes per account and Region',
    'Amazon EBS endpoints and quotas: storage for General Purpose SSD (gp3) volumes',
    'https://docs.aws.amazon.com/general/latest/gr/ebs-service.html',
  ),
  networkInterfacesPerRegion: limit(
    5_000,
    'network interfaces per account and Region',
    'Amazon VPC quotas',
    'https://docs.aws.amazon.com/vpc/latest/userguide/amazon-vpc-limits.html',
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

/** The code in Service Quotas of "Storage for General Purpose SSD (gp3) volumes, in TiB", of the service `ebs`. */
export const GP3_STORAGE_QUOTA_CODE = 'L-7A658B76';

/** Prefix lengths that a VPC or a subnet may have. Source: Amazon VPC user guide, VPC and subnet CIDR blocks. */
export const VPC_PREFIX_LENGTHS = { shortest: 16, longest: 28 } as const;
