import { AutoScalingClient } from '@aws-sdk/client-auto-scaling';
import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SSMClient } from '@aws-sdk/client-ssm';
import { clientOf } from '../shared/client';
import { jsonLog } from '../shared/log';
import { portsOn } from './aws';
import { settingsOf } from './environment';
import { type RunResult, run } from './handler';
import { PATIENCE } from './settings';

const CLIENT = clientOf(PATIENCE);

/** The Lambda function's entry point. Clients are made anew: nothing outlives a call. */
export async function handler(): Promise<RunResult> {
  const environment = settingsOf(process.env);
  const clock = { now: () => Date.now() };
  const clients = {
    autoScaling: new AutoScalingClient(CLIENT),
    cloudFormation: new CloudFormationClient(CLIENT),
    dynamodb: new DynamoDBClient(CLIENT),
    ssm: new SSMClient(CLIENT),
  };
  const log = jsonLog((line) => console.log(line), clock.now);
  return run(portsOn(clients, environment, clock, log), environment.settings);
}
