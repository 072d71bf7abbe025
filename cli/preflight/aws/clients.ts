import { AutoScalingClient } from '@aws-sdk/client-auto-scaling';
import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { CloudWatchLogsClient } from '@aws-sdk/client-cloudwatch-logs';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { EC2Client } from '@aws-sdk/client-ec2';
import { IAMClient } from '@aws-sdk/client-iam';
import { KMSClient } from '@aws-sdk/client-kms';
import { ServiceQuotasClient } from '@aws-sdk/client-service-quotas';
import { SSMClient } from '@aws-sdk/client-ssm';
import { ATTEMPTS } from './ask';

/** A client of each service that is asked. */
export type Clients = ReturnType<typeof makeClients>;

export function makeClients(region: string) {
  const options = { region, maxAttempts: ATTEMPTS };
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
