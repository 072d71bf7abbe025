import { EC2Client } from '@aws-sdk/client-ec2';
import { SSMClient } from '@aws-sdk/client-ssm';
import { clientOf } from '../shared/client';
import { jsonLog } from '../shared/log';
import { Ec2Servers, SsmCleanUp, SsmHealth } from './aws';
import { environmentOf } from './environment';
import { type RunResult, run } from './handler';
import { PATIENCE } from './settings';

const CLIENT = clientOf(PATIENCE);

/** The Lambda function's entry point. Clients are made anew: nothing outlives a call. */
export async function handler(): Promise<RunResult> {
  const { settings, document, cleanUpDocument } = environmentOf(process.env);
  const ssm = new SSMClient(CLIENT);
  return run(
    {
      log: jsonLog((line) => console.log(line), Date.now, 'Grid'),
      now: Date.now,
      servers: new Ec2Servers(new EC2Client(CLIENT)),
      health: new SsmHealth(ssm, document),
      cleanUp: new SsmCleanUp(ssm, cleanUpDocument),
    },
    settings,
  );
}
