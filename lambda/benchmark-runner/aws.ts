import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { EC2Client } from '@aws-sdk/client-ec2';
import type { S3Client } from '@aws-sdk/client-s3';
import type { SSMClient } from '@aws-sdk/client-ssm';
import type { Log } from '../shared/log';
import type { Clock } from '../shared/timer';
import { SsmCommands } from './aws-commands';
import { Ec2Instances } from './aws-instances';
import { S3Store } from './aws-store';
import { DynamoRuns } from './aws-table';
import type { Environment } from './environment';
import type { Ports } from './ports';

/** The clients of the services that the runner reaches. */
export interface Clients {
  readonly ec2: EC2Client;
  readonly ssm: SSMClient;
  /** Calls once, whatever comes of it. */
  readonly ssmOnce: SSMClient;
  readonly s3: S3Client;
  readonly dynamodb: DynamoDBClient;
}

/** The ports on these clients. */
export function portsOn(clients: Clients, environment: Environment, clock: Clock, log: Log): Ports {
  const { bucket, table, benchmark, notRepresentative } = environment;
  return {
    clock,
    log,
    instances: new Ec2Instances(clients.ec2),
    commands: new SsmCommands(clients.ssm, clients.ssmOnce, bucket),
    store: new S3Store(clients.s3, bucket),
    table: new DynamoRuns(clients.dynamodb, table, benchmark, clock.now),
    ...(notRepresentative && { notRepresentative }),
  };
}
