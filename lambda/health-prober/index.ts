import { AutoScalingClient } from '@aws-sdk/client-auto-scaling';
import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SSMClient } from '@aws-sdk/client-ssm';
import { jsonLog } from '../shared/log';
import { AutoScalingProbeGroup, CloudFormationStack } from './aws-group';
import { SsmProbeHosts } from './aws-hosts';
import { DynamoProbeMap } from './aws-map';
import { settingsOf } from './environment';
import { type RunResult, run } from './handler';

const CLIENT = { maxAttempts: 3, retryMode: 'standard' } as const;

/** The Lambda function's entry point. Clients are made anew: nothing outlives a call. */
export async function handler(): Promise<RunResult> {
  const { settings, table, document, stackId } = settingsOf(process.env);
  const clock = { now: () => Date.now() };
  const ports = {
    clock,
    log: jsonLog((line) => console.log(line), clock.now),
    map: new DynamoProbeMap(new DynamoDBClient(CLIENT), table, settings.tier),
    group: new AutoScalingProbeGroup(new AutoScalingClient(CLIENT), settings.groupName),
    hosts: new SsmProbeHosts(new SSMClient(CLIENT), document),
    stack: new CloudFormationStack(new CloudFormationClient(CLIENT), stackId),
  };
  return run(ports, settings);
}
