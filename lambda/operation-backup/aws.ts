import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { EC2Client } from '@aws-sdk/client-ec2';
import { SFNClient } from '@aws-sdk/client-sfn';
import { SSMClient } from '@aws-sdk/client-ssm';
import { clientOf } from '../shared/client';
import { jsonLog } from '../shared/log';
import type { OperationEnvironment } from '../shared/operation/environment';
import { AnsweringHosts } from '../shared/operation/hosts';
import { OperationLock } from '../shared/operation/lock';
import { stacksUnderWay } from '../shared/operation/stacks';
import { readTier } from '../shared/read-tier';
import { DynamoCatalogue } from './aws-catalogue';
import { Ec2Snapshots } from './aws-snapshots';
import type { HostsPort, Ports } from './ports';
import { PATIENCE, type Settings } from './settings';

const CLIENT = clientOf(PATIENCE);

/** The document by which hosts hold writes, and let go. */
class SsmHolders extends AnsweringHosts implements HostsPort {
  constructor(client: SSMClient, documentName: string) {
    super(client, documentName, 'Backup of the deployment');
  }

  tell(instanceIds: readonly string[], what: string, token: string, seconds: number): Promise<string[]> {
    return this.ask(instanceIds, { what: [what], token: [token], seconds: [String(seconds)] });
  }
}

/** The ports on the real services. */
export function awsPorts({ table, document, settings }: OperationEnvironment<Settings>): Ports {
  const dynamo = new DynamoDBClient(CLIENT);
  const stacks = new CloudFormationClient(CLIENT);
  return {
    log: jsonLog((line) => console.log(line), Date.now, 'Deployment'),
    now: Date.now,
    lock: new OperationLock(table, dynamo, new SFNClient(CLIENT)),
    stacksUnderWay: (names) => stacksUnderWay(stacks, names),
    map: { read: (tier) => readTier(dynamo, tier.table, tier.tier) },
    hosts: new SsmHolders(new SSMClient(CLIENT), document),
    snapshots: new Ec2Snapshots(new EC2Client(CLIENT), settings.deployment),
    catalogue: new DynamoCatalogue(dynamo, table),
  };
}
