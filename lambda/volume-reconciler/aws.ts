import { AutoScalingClient } from '@aws-sdk/client-auto-scaling';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { EC2Client } from '@aws-sdk/client-ec2';
import { SSMClient } from '@aws-sdk/client-ssm';
import { jsonLog } from '../shared/log';
import { Ec2Compute } from './aws-compute';
import { AutoScalingTier } from './aws-group';
import { SsmHosts } from './aws-hosts';
import { DynamoVolumeMap } from './aws-map';
import { Pace } from './pace';
import type { Ports } from './ports';
import type { Settings } from './settings';

/** Standard retries with backoff; adaptive mode would keep state between calls, which the reconciler must not have. */
const CLIENT = { maxAttempts: 5, retryMode: 'standard' } as const;

/** The ports on the real services. */
export function awsPorts(settings: Settings, table: string, document: string): Ports {
  const clock = { now: () => Date.now() };
  const sleep = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds));
  return {
    clock,
    log: jsonLog((line) => console.log(line), clock.now),
    map: new DynamoVolumeMap(new DynamoDBClient(CLIENT), table, settings.tier),
    compute: new Ec2Compute(new EC2Client(CLIENT), settings.tierTag, new Pace({ ...clock, sleep })),
    group: new AutoScalingTier(new AutoScalingClient(CLIENT), settings.groupName),
    hosts: new SsmHosts(new SSMClient(CLIENT), document),
  };
}
