import { AutoScalingClient } from '@aws-sdk/client-auto-scaling';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { EC2Client } from '@aws-sdk/client-ec2';
import { SSMClient } from '@aws-sdk/client-ssm';
import { clientOf, type Patience } from '../shared/client';
import { jsonLog, type Log } from '../shared/log';
import type { Timer } from '../shared/timer';
import { Ec2Compute } from './aws-compute';
import { AutoScalingTier } from './aws-group';
import { SsmHosts } from './aws-hosts';
import { DynamoVolumeMap } from './aws-map';
import { Pace } from './pace';
import type { Ports } from './ports';
import type { Settings } from './settings';

/**
 * Of Systems Manager only hosts are heard: all that a pass does for slots whose hosts are not told anything just now,
 * heartbeats before all, has to find its time in the function's 90 s when Systems Manager says nothing.
 */
export const PATIENCE = {
  usual: { attempts: 5, timeoutMs: 10_000 },
  ssm: { attempts: 2, timeoutMs: 5_000 },
} as const satisfies { [of: string]: Patience };

/** The clients of the services that the reconciler reaches. */
export interface Clients {
  readonly ec2: EC2Client;
  readonly autoScaling: AutoScalingClient;
  readonly dynamodb: DynamoDBClient;
  readonly ssm: SSMClient;
}

/** The ports on the real services. */
export function awsPorts(settings: Settings, table: string, document: string): Ports {
  const clock = { now: () => Date.now() };
  const sleep = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds));
  const clients = {
    ec2: new EC2Client(clientOf(PATIENCE.usual)),
    autoScaling: new AutoScalingClient(clientOf(PATIENCE.usual)),
    dynamodb: new DynamoDBClient(clientOf(PATIENCE.usual)),
    ssm: new SSMClient(clientOf(PATIENCE.ssm)),
  };
  const log = jsonLog((line) => console.log(line), clock.now);
  return portsOn(clients, settings, table, document, { ...clock, sleep }, log);
}

/** The ports on these clients. */
export function portsOn(
  clients: Clients,
  settings: Settings,
  table: string,
  document: string,
  timer: Timer,
  log: Log,
): Ports {
  return {
    clock: timer,
    log,
    map: new DynamoVolumeMap(clients.dynamodb, table, settings.tier),
    compute: new Ec2Compute(clients.ec2, settings.tierTag, new Pace(timer)),
    group: new AutoScalingTier(clients.autoScaling, settings.groupName),
    hosts: new SsmHosts(clients.ssm, document, log),
  };
}
