import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { EC2ClientConfig } from '@aws-sdk/client-ec2';
import { AssumeRoleCommand, STSClient } from '@aws-sdk/client-sts';
import { clientOf } from '../shared/client';
import { jsonLog } from '../shared/log';
import { Ec2Destination, Ec2Source } from './aws-snapshots';
import { DynamoWork } from './aws-work';
import type { Environment } from './environment';
import type { Ports } from './ports';
import { PATIENCE, type Settings } from './settings';

/** The ports on the real services. */
export async function awsPorts({ table, settings }: Environment): Promise<Ports> {
  return {
    log: jsonLog((line) => console.log(line), Date.now, 'Deployment'),
    now: Date.now,
    source: new Ec2Source(settings),
    destination: new Ec2Destination(settings, await credentialsOf(settings)),
    work: new DynamoWork(new DynamoDBClient(clientOf(PATIENCE)), table),
  };
}

/** Of the other account, for one pass; its role knows the deployment by its name. */
async function credentialsOf({ deployment, destination }: Settings): Promise<EC2ClientConfig> {
  const { roleArn } = destination;
  if (roleArn === undefined) return {};
  const { Credentials } = await new STSClient(clientOf(PATIENCE)).send(
    new AssumeRoleCommand({
      RoleArn: roleArn,
      RoleSessionName: `copies-${deployment}`.slice(0, 64),
      ExternalId: deployment,
    }),
  );
  const { AccessKeyId = '', SecretAccessKey = '', SessionToken = '' } = Credentials ?? {};
  return {
    credentials: {
      accessKeyId: AccessKeyId,
      secretAccessKey: SecretAccessKey,
      sessionToken: SessionToken,
    },
  };
}
