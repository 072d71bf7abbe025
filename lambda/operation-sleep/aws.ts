import {
  AutoScalingClient,
  DescribeInstanceRefreshesCommand,
  paginateDescribeAutoScalingGroups,
  UpdateAutoScalingGroupCommand,
} from '@aws-sdk/client-auto-scaling';
import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import {
  DeleteItemCommand,
  DynamoDBClient,
  GetItemCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import {
  EC2Client,
  paginateDescribeInstances,
  StartInstancesCommand,
  StopInstancesCommand,
} from '@aws-sdk/client-ec2';
import { SFNClient } from '@aws-sdk/client-sfn';
import { SSMClient } from '@aws-sdk/client-ssm';
import { fromItem, type Plain, toItem } from '../shared/attributes';
import { clientOf } from '../shared/client';
import { refreshGoesOn } from '../shared/group';
import { jsonLog } from '../shared/log';
import { SLEEP_ITEM, type TierRows } from '../shared/map';
import type { OperationEnvironment } from '../shared/operation/environment';
import { OperationLock } from '../shared/operation/lock';
import { stacksUnderWay } from '../shared/operation/stacks';
import { readTier } from '../shared/read-tier';
import { SsmSleepHosts } from './hosts';
import type { Group, GroupsPort, MapPort, Night, NightPort, Node, NodesPort, Ports } from './ports';
import { PATIENCE, type Settings, type SleepingTier } from './settings';

const CLIENT = clientOf(PATIENCE);

/** The groups of the servers. */
class AutoScalingGroups implements GroupsPort {
  constructor(private readonly client: AutoScalingClient) {}

  async describe(names: readonly string[]): Promise<Group[]> {
    if (names.length === 0) return [];
    const found: Group[] = [];
    const pages = paginateDescribeAutoScalingGroups(
      { client: this.client },
      { AutoScalingGroupNames: [...names] },
    );
    for await (const { AutoScalingGroups } of pages) {
      for (const group of AutoScalingGroups ?? []) {
        const members = (group.Instances ?? []).map(({ InstanceId, LifecycleState }) => ({
          instanceId: InstanceId ?? '',
          lifecycle: LifecycleState ?? 'unknown',
        }));
        found.push({
          name: group.AutoScalingGroupName ?? '',
          least: group.MinSize ?? 0,
          desired: group.DesiredCapacity ?? 0,
          members,
        });
      }
    }
    return found;
  }

  async resize(name: string, least: number, desired: number): Promise<void> {
    await this.client.send(
      new UpdateAutoScalingGroupCommand({
        AutoScalingGroupName: name,
        MinSize: least,
        DesiredCapacity: desired,
      }),
    );
  }

  async isRefreshing(name: string): Promise<boolean> {
    const { InstanceRefreshes } = await this.client.send(
      new DescribeInstanceRefreshesCommand({ AutoScalingGroupName: name, MaxRecords: 5 }),
    );
    return (InstanceRefreshes ?? []).some(refreshGoesOn);
  }
}

/** The volume map, as far as it says that a tier sleeps. */
class DynamoSleepMap implements MapPort {
  constructor(private readonly client: DynamoDBClient) {}

  read({ table, tier }: SleepingTier): Promise<TierRows> {
    return readTier(this.client, table, tier);
  }

  async sleep(tier: SleepingTier, since: string, by: string): Promise<void> {
    await this.client.send(
      new UpdateItemCommand({
        TableName: tier.table,
        Key: keyOf(tier),
        // The first time counts.
        UpdateExpression: 'SET #since = if_not_exists(#since, :since), #by = if_not_exists(#by, :by)',
        ExpressionAttributeNames: { '#since': 'since', '#by': 'by' },
        ExpressionAttributeValues: toItem({ ':since': since, ':by': by }),
      }),
    );
  }

  async wake(tier: SleepingTier): Promise<void> {
    await this.client.send(new DeleteItemCommand({ TableName: tier.table, Key: keyOf(tier) }));
  }
}

const keyOf = ({ tier }: SleepingTier) => ({ tier: { S: tier }, item: { S: SLEEP_ITEM } });

/** The grid's nodes, which keep their ids. */
class Ec2Nodes implements NodesPort {
  constructor(private readonly client: EC2Client) {}

  async list(stack: string): Promise<Node[]> {
    const Filters = [
      { Name: 'tag:aws:cloudformation:stack-name', Values: [stack] },
      { Name: 'instance-state-name', Values: ['pending', 'running', 'stopping', 'stopped'] },
    ];
    const found: Node[] = [];
    for await (const page of paginateDescribeInstances({ client: this.client }, { Filters })) {
      for (const { InstanceId = '', State, Tags } of (page.Reservations ?? []).flatMap(
        (each) => each.Instances ?? [],
      )) {
        const name = Tags?.find(({ Key }) => Key === 'Name')?.Value ?? InstanceId;
        found.push({ instanceId: InstanceId, name, state: State?.Name ?? 'unknown' });
      }
    }
    return found.sort((a, b) => a.name.localeCompare(b.name));
  }

  async stop(instanceIds: readonly string[]): Promise<void> {
    await this.client.send(new StopInstancesCommand({ InstanceIds: [...instanceIds] }));
  }

  async start(instanceIds: readonly string[]): Promise<void> {
    await this.client.send(new StartInstancesCommand({ InstanceIds: [...instanceIds] }));
  }
}

const NIGHT = { id: { S: 'sleep' } };

/** An item of the deployment's own table. */
class DynamoNight implements NightPort {
  constructor(
    private readonly client: DynamoDBClient,
    private readonly table: string,
  ) {}

  async read(): Promise<Night | undefined> {
    const { Item } = await this.client.send(
      new GetItemCommand({ TableName: this.table, Key: NIGHT, ConsistentRead: true }),
    );
    if (!Item) return undefined;
    const { nodes, unmounted, by, dawns } = fromItem(Item);
    const list = (value?: Plain): string[] => (Array.isArray(value) ? value.map(String) : []);
    return {
      nodes: list(nodes),
      unmounted: list(unmounted),
      by: String(by ?? ''),
      dawns: dawns === true,
    };
  }

  async begin(since: string, by: string): Promise<void> {
    await this.set('SET #since = :since, #by = :by REMOVE #dawns', {
      names: { '#since': 'since', '#by': 'by', '#dawns': 'dawns' },
      values: { ':since': since, ':by': by },
    });
  }

  async remember(nodes: readonly string[]): Promise<void> {
    await this.addTo('nodes', (await this.read())?.nodes, nodes);
  }

  async unmounting(groups: readonly string[]): Promise<void> {
    await this.addTo('unmounted', (await this.read())?.unmounted, groups);
  }

  async letGo(): Promise<void> {
    await this.set('SET #list = :none', { names: { '#list': 'unmounted' }, values: { ':none': [] } });
  }

  private async addTo(name: string, known: readonly string[] = [], more: readonly string[]): Promise<void> {
    const all = [...new Set([...known, ...more])].sort();
    if (all.length === known.length) return;
    await this.set('SET #list = :all', { names: { '#list': name }, values: { ':all': all } });
  }

  async dawn(): Promise<void> {
    await this.set('SET #dawns = :yes', { names: { '#dawns': 'dawns' }, values: { ':yes': true } });
  }

  async end(): Promise<void> {
    await this.client.send(new DeleteItemCommand({ TableName: this.table, Key: NIGHT }));
  }

  private async set(
    UpdateExpression: string,
    { names, values }: { names: Record<string, string>; values: Parameters<typeof toItem>[0] },
  ): Promise<void> {
    await this.client.send(
      new UpdateItemCommand({
        TableName: this.table,
        Key: NIGHT,
        UpdateExpression,
        ExpressionAttributeNames: names,
        ExpressionAttributeValues: toItem(values),
      }),
    );
  }
}

/** The clients of the SDK. */
export interface Clients {
  readonly autoScaling: AutoScalingClient;
  readonly cloudFormation: CloudFormationClient;
  readonly dynamodb: DynamoDBClient;
  readonly ec2: EC2Client;
  readonly ssm: SSMClient;
}

/** What the deployment's own table holds, the log and the clock. */
type Own = Pick<Ports, 'log' | 'now' | 'lock' | 'night'>;

/** The ports on these clients. */
export function portsOn(
  clients: Clients,
  { document }: Pick<OperationEnvironment<Settings>, 'document'>,
  own: Own,
): Ports {
  return {
    ...own,
    stacksUnderWay: (names) => stacksUnderWay(clients.cloudFormation, names),
    groups: new AutoScalingGroups(clients.autoScaling),
    map: new DynamoSleepMap(clients.dynamodb),
    nodes: new Ec2Nodes(clients.ec2),
    hosts: new SsmSleepHosts(clients.ssm, document),
  };
}

/** The ports on the real services. */
export function awsPorts(environment: OperationEnvironment<Settings>): Ports {
  const dynamodb = new DynamoDBClient(CLIENT);
  const { table } = environment;
  return portsOn(
    {
      autoScaling: new AutoScalingClient(CLIENT),
      cloudFormation: new CloudFormationClient(CLIENT),
      dynamodb,
      ec2: new EC2Client(CLIENT),
      ssm: new SSMClient(CLIENT),
    },
    environment,
    {
      log: jsonLog((line) => console.log(line), Date.now, 'Deployment'),
      now: Date.now,
      lock: new OperationLock(table, dynamodb, new SFNClient(CLIENT)),
      night: new DynamoNight(dynamodb, table),
    },
  );
}
