import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import { CloudWatchLogsClient } from '@aws-sdk/client-cloudwatch-logs';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { EC2Client } from '@aws-sdk/client-ec2';
import { S3Client } from '@aws-sdk/client-s3';
import { SSMClient } from '@aws-sdk/client-ssm';
import { clientOf } from '../shared/client';
import { DeploymentHosts } from './aws-hosts';
import { AwsSources } from './aws-sources';
import { S3Store } from './aws-store';
import { environmentOf } from './environment';
import { type BundleEvent, handle } from './handler';
import { PATIENCE } from './settings';

const CLIENT = clientOf(PATIENCE);

/** The Lambda function's entry point. Clients are made anew: nothing outlives a call. */
export function handler(event: BundleEvent): Promise<object> {
  const { settings, bucket, document, tag } = environmentOf(process.env);
  const clients = {
    cloudFormation: new CloudFormationClient(CLIENT),
    cloudWatch: new CloudWatchClient(CLIENT),
    logs: new CloudWatchLogsClient(CLIENT),
    dynamodb: new DynamoDBClient(CLIENT),
  };
  const s3 = new S3Client({
    ...CLIENT,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    forcePathStyle: process.env.AWS_ENDPOINT_URL !== undefined,
  });
  const where = { key: tag, value: settings.deployment };
  return handle(
    event,
    {
      now: Date.now,
      hosts: new DeploymentHosts(new EC2Client(CLIENT), new SSMClient(CLIENT), where, document),
      sources: new AwsSources(clients, Date.now),
      store: new S3Store(s3, bucket),
    },
    settings,
  );
}
