import { AutoScalingClient } from '@aws-sdk/client-auto-scaling';
import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { EC2Client } from '@aws-sdk/client-ec2';
import { S3Client } from '@aws-sdk/client-s3';
import { SFNClient } from '@aws-sdk/client-sfn';
import { SSMClient } from '@aws-sdk/client-ssm';
import { OWN_AGENT } from './agent-name';
import type { LocalCloud } from './localcloud';

/** The SDK clients through which the demo acts and looks, all bound to the embedded AWS. */
export interface Clients {
  readonly ec2: EC2Client;
  readonly autoScaling: AutoScalingClient;
  readonly dynamodb: DynamoDBClient;
  readonly cloudformation: CloudFormationClient;
  readonly stepFunctions: SFNClient;
  readonly ssm: SSMClient;
  readonly s3: S3Client;
}

/** Clients with fixed endpoint and test credentials: nothing of the caller's AWS configuration is used. */
export function connect(cloud: LocalCloud): Clients {
  const settings = {
    endpoint: cloud.endpoint,
    region: cloud.environment.AWS_REGION ?? 'us-east-1',
    credentials: {
      accessKeyId: cloud.environment.AWS_ACCESS_KEY_ID ?? 'test',
      secretAccessKey: cloud.environment.AWS_SECRET_ACCESS_KEY ?? 'test',
    },
    customUserAgent: OWN_AGENT,
  };
  return {
    ec2: new EC2Client(settings),
    autoScaling: new AutoScalingClient(settings),
    dynamodb: new DynamoDBClient(settings),
    cloudformation: new CloudFormationClient(settings),
    stepFunctions: new SFNClient(settings),
    ssm: new SSMClient(settings),
    // The embedded AWS has one name for all buckets.
    s3: new S3Client({ ...settings, forcePathStyle: true }),
  };
}
