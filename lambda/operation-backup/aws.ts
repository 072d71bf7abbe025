import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { EC2Client, paginateDescribeInstances } from '@aws-sdk/client-ec2';
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

async function sharedVolumes(client: CloudFormationClient, stack: string): Promise<string[]> {
  const { Stacks } = await client.send(new DescribeStacksCommand({ StackName: stack }));
  const output = Stacks?.[0]?.Outputs?.find(({ OutputKey }) => OutputKey === 'VolumeIds');
  return JSON.parse(output?.OutputValue ?? '[]') as string[];
}

/** By the tag that Auto Scaling gives its instances, and nobody else can. */
async function runningIn(client: EC2Client, groups: readonly string[]): Promise<Map<string, string[]>> {
  const GROUP = 'aws:autoscaling:groupName';
  const found = new Map<string, string[]>();
  const Filters = [
    { Name: `tag:${GROUP}`, Values: [...groups] },
    { Name: 'instance-state-name', Values: ['running'] },
  ];
  for await (const { Reservations } of paginateDescribeInstances({ client }, { Filters })) {
    for (const { InstanceId = '', Tags } of (Reservations ?? []).flatMap((each) => each.Instances ?? [])) {
      const group = Tags?.find(({ Key }) => Key === GROUP)?.Value ?? '';
      found.set(group, [...(found.get(group) ?? []), InstanceId]);
    }
  }
  return found;
}

/** The ports on the real services. */
export function awsPorts({ table, document, settings }: OperationEnvironment<Settings>): Ports {
  const dynamo = new DynamoDBClient(CLIENT);
  const ec2 = new EC2Client(CLIENT);
  const stacks = new CloudFormationClient(CLIENT);
  return {
    log: jsonLog((line) => console.log(line), Date.now, 'Deployment'),
    now: Date.now,
    lock: new OperationLock(table, dynamo, new SFNClient(CLIENT)),
    stacksUnderWay: (names) => stacksUnderWay(stacks, names),
    sharedVolumes: (stack) => sharedVolumes(stacks, stack),
    nodes: (groups) => runningIn(ec2, groups),
    map: { read: (tier) => readTier(dynamo, tier.table, tier.tier) },
    hosts: new SsmHolders(new SSMClient(CLIENT), document),
    snapshots: new Ec2Snapshots(ec2, settings.deployment),
    catalogue: new DynamoCatalogue(dynamo, table),
  };
}
