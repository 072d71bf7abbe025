import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { EC2Client } from '@aws-sdk/client-ec2';
import { S3Client } from '@aws-sdk/client-s3';
import { SSMClient } from '@aws-sdk/client-ssm';
import { clientOf } from '../shared/client';
import { jsonLog } from '../shared/log';
import { portsOn } from './aws';
import { environmentOf } from './environment';
import { handle } from './handler';

/** Throttled calls come again by themselves; the workflow repeats what fails all the same. */
const CLIENT = clientOf({ attempts: 8, timeoutMs: 10_000 });

/** For what must not be done twice: it is not known whether a call without an answer was heard. */
export const ONCE = clientOf({ attempts: 1, timeoutMs: 30_000 });

/** The Lambda function's entry point. Clients are made anew: nothing outlives a call. */
export async function handler(event: unknown): Promise<unknown> {
  const clock = { now: () => Date.now() };
  const environment = environmentOf(process.env);
  // Paths instead of host names where the bucket's name cannot become part of one.
  const forcePathStyle = environment.notRepresentative !== undefined;
  const clients = {
    ec2: new EC2Client(CLIENT),
    ssm: new SSMClient(CLIENT),
    ssmOnce: new SSMClient(ONCE),
    s3: new S3Client({ ...CLIENT, forcePathStyle }),
    dynamodb: new DynamoDBClient(CLIENT),
  };
  const log = jsonLog((line) => console.log(line), clock.now);
  return handle(event, portsOn(clients, environment, clock, log));
}
