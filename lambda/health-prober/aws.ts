import type { AutoScalingClient } from '@aws-sdk/client-auto-scaling';
import type { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { SSMClient } from '@aws-sdk/client-ssm';
import type { Log } from '../shared/log';
import { AutoScalingProbeGroup, CloudFormationStack } from './aws-group';
import { SsmProbeHosts } from './aws-hosts';
import { DynamoProbeMap } from './aws-map';
import type { Environment } from './environment';
import type { Clock, Ports } from './ports';

/** The clients of the services that the prober reaches. */
export interface Clients {
  readonly autoScaling: AutoScalingClient;
  readonly cloudFormation: CloudFormationClient;
  readonly dynamodb: DynamoDBClient;
  readonly ssm: SSMClient;
}

/** The ports on these clients. */
export function portsOn(clients: Clients, environment: Environment, clock: Clock, log: Log): Ports {
  const { settings, table, document, stackId } = environment;
  return {
    clock,
    log,
    map: new DynamoProbeMap(clients.dynamodb, table, settings.tier),
    group: new AutoScalingProbeGroup(clients.autoScaling, settings.groupName),
    hosts: new SsmProbeHosts(clients.ssm, document),
    stack: new CloudFormationStack(clients.cloudFormation, stackId),
  };
}
