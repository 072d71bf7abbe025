import { AutoScalingClient } from '@aws-sdk/client-auto-scaling';
import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { CloudWatchLogsClient } from '@aws-sdk/client-cloudwatch-logs';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { EC2Client } from '@aws-sdk/client-ec2';
import { IAMClient } from '@aws-sdk/client-iam';
import { KMSClient } from '@aws-sdk/client-kms';
import { ServiceQuotasClient } from '@aws-sdk/client-service-quotas';
import { SSMClient } from '@aws-sdk/client-ssm';
import { ConfiguredRetryStrategy } from '@smithy/core/retry';
import { ATTEMPTS } from './ask';

/** A client of each service that is asked. */
export type Clients = ReturnType<typeof makeClients>;

// All in all less than a call may take. Calls side by side do not come again at the same moment.
const FIRST_MS = { least: 50, most: 150 };

/** How long to wait before another attempt. */
export function delayMs(attempt: number): number {
  const { least, most } = FIRST_MS;
  return (least + Math.random() * (most - least)) * 2 ** attempt;
}

export function makeClients(region: string) {
  const options = { region, retryStrategy: new ConfiguredRetryStrategy(ATTEMPTS, delayMs) };
  return {
    autoScaling: new AutoScalingClient(options),
    cloudFormation: new CloudFormationClient(options),
    dynamodb: new DynamoDBClient(options),
    ec2: new EC2Client(options),
    iam: new IAMClient(options),
    kms: new KMSClient(options),
    logs: new CloudWatchLogsClient(options),
    quotas: new ServiceQuotasClient(options),
    ssm: new SSMClient(options),
  };
}
