import {
  AutoScalingClient,
  DescribeAutoScalingGroupsCommand,
  DescribeInstanceRefreshesCommand,
} from '@aws-sdk/client-auto-scaling';
import { CloudWatchClient, DescribeAlarmsCommand } from '@aws-sdk/client-cloudwatch';
import { DynamoDBClient, GetItemCommand, paginateScan } from '@aws-sdk/client-dynamodb';
import { EC2Client, paginateDescribeInstances, paginateDescribeSnapshots } from '@aws-sdk/client-ec2';
import { ListExecutionsCommand, SFNClient } from '@aws-sdk/client-sfn';
import { SSMClient } from '@aws-sdk/client-ssm';
import { ConfiguredRetryStrategy } from '@smithy/core/retry';
import { DESCRIBED_ALARMS, DESCRIBED_GROUPS, EC2_FILTER_VALUES } from '../../constructs/facts/services';
import { fromItem } from '../../lambda/shared/attributes';
import { refreshGoesOn } from '../../lambda/shared/group';
import { slotItem } from '../../lambda/shared/map';
import { ATTEMPTS, ask } from '../preflight/aws/ask';
import { delayMs } from '../preflight/aws/clients';
import { allPages, tagsOf } from '../preflight/aws/ec2';
import { backupsUnderWay } from './aws-fsx';
import { healthOf, runOn, saidOf } from './aws-hosts';
import { Throughput } from './aws-metrics';
import type { AlarmLook, GroupLook, InstanceLook, RefreshLook, SnapshotLook, StatusAws } from './port';

/** AWS itself, in a region, with the caller's credentials. */
export function statusAws(region: string): StatusAws {
  const options = { region, retryStrategy: new ConfiguredRetryStrategy(ATTEMPTS, delayMs) };
  const dynamodb = new DynamoDBClient(options);
  const autoScaling = new AutoScalingClient(options);
  const ec2 = new EC2Client(options);
  const cloudWatch = new CloudWatchClient(options);
  const stepFunctions = new SFNClient(options);
  const ssm = new SSMClient(options);
  const throughput = new Throughput(cloudWatch);
  return {
    slotItems: (TableName) =>
      ask('dynamodb:Scan', () =>
        allPages(
          paginateScan(
            { client: dynamodb },
            {
              TableName,
              ConsistentRead: true,
              FilterExpression: 'begins_with(#item, :slots)',
              ExpressionAttributeNames: { '#item': 'item' },
              ExpressionAttributeValues: { ':slots': { S: slotItem('') } },
            },
          ),
          ({ Items = [] }) => Items.map(fromItem),
        ),
      ),
    lock: (TableName) =>
      ask('dynamodb:GetItem', async (abortSignal) => {
        const command = new GetItemCommand({ TableName, Key: { id: { S: 'lock' } }, ConsistentRead: true });
        const { Item } = await dynamodb.send(command, { abortSignal });
        return Item && fromItem(Item);
      }),
    groups: (names) =>
      inParts(names, DESCRIBED_GROUPS.value, (AutoScalingGroupNames) =>
        groups(autoScaling, AutoScalingGroupNames),
      ),
    refreshes: (group) => refreshes(autoScaling, group),
    instances: (ids) => inParts(ids, EC2_FILTER_VALUES.value, (some) => instances(ec2, some)),
    backups: (ids) => backupsUnderWay(region, ids),
    snapshots: (ids) => inParts(ids, EC2_FILTER_VALUES.value, (some) => snapshots(ec2, some)),
    alarms: (names) => inParts(names, DESCRIBED_ALARMS.value, (some) => alarms(cloudWatch, some)),
    executions: (stateMachineArn) =>
      ask('states:ListExecutions', async (abortSignal) => {
        const command = new ListExecutionsCommand({ stateMachineArn, statusFilter: 'RUNNING' });
        const { executions = [] } = await stepFunctions.send(command, { abortSignal });
        return executions.map(({ name = '', executionArn = '', startDate }) => ({
          name,
          arn: executionArn,
          since: startDate?.toISOString(),
        }));
      }),
    health: (document) => healthOf(ssm, document),
    said: (document) => saidOf(ssm, document),
    throughput: (ids) => throughput.of(ids),
    freeBytes: (id) => throughput.freeBytes(id),
    run: (ids, script) => runOn(ssm, ids, script),
  };
}

/** As many at once as a call takes. */
async function inParts<T>(
  names: readonly string[],
  most: number,
  look: (some: string[]) => Promise<T[]>,
): Promise<T[]> {
  const found: T[] = [];
  for (let start = 0; start < names.length; start += most)
    found.push(...(await look(names.slice(start, start + most))));
  return found;
}

async function groups(client: AutoScalingClient, AutoScalingGroupNames: string[]): Promise<GroupLook[]> {
  const { AutoScalingGroups = [] } = await ask('autoscaling:DescribeAutoScalingGroups', (abortSignal) =>
    client.send(new DescribeAutoScalingGroupsCommand({ AutoScalingGroupNames }), { abortSignal }),
  );
  return AutoScalingGroups.map((group) => ({
    name: group.AutoScalingGroupName!,
    min: group.MinSize ?? 0,
    desired: group.DesiredCapacity ?? 0,
    members: (group.Instances ?? []).map(({ InstanceId, LifecycleState, HealthStatus }) => ({
      instanceId: InstanceId!,
      lifecycle: LifecycleState ?? 'unknown',
      healthy: HealthStatus?.toLowerCase() !== 'unhealthy',
    })),
    tags: tagsOf(group.Tags),
    suspended: (group.SuspendedProcesses ?? []).map(({ ProcessName = '' }) => ProcessName),
  }));
}

async function refreshes(client: AutoScalingClient, AutoScalingGroupName: string): Promise<RefreshLook[]> {
  const { InstanceRefreshes = [] } = await ask('autoscaling:DescribeInstanceRefreshes', (abortSignal) =>
    client.send(new DescribeInstanceRefreshesCommand({ AutoScalingGroupName, MaxRecords: 10 }), {
      abortSignal,
    }),
  );
  return InstanceRefreshes.filter(refreshGoesOn).map((one) => ({
    status: one.Status ?? 'unknown',
    percent: one.PercentageComplete,
    since: one.StartTime?.toISOString(),
  }));
}

/** By a filter: an id that EC2 does not know any more is an error otherwise. */
async function instances(client: EC2Client, Values: string[]): Promise<InstanceLook[]> {
  const Filters = [{ Name: 'instance-id', Values }];
  const found = await ask('ec2:DescribeInstances', () =>
    allPages(paginateDescribeInstances({ client }, { Filters }), ({ Reservations = [] }) =>
      Reservations.flatMap(({ Instances = [] }) => Instances),
    ),
  );
  return found.map((one) => ({
    id: one.InstanceId!,
    state: one.State?.Name ?? 'unknown',
    type: one.InstanceType ?? '',
    address: one.PrivateIpAddress,
    name: tagsOf(one.Tags).Name,
    launched: one.LaunchTime?.toISOString(),
  }));
}

async function snapshots(client: EC2Client, Values: string[]): Promise<SnapshotLook[]> {
  const Filters = [
    { Name: 'status', Values: ['pending'] },
    { Name: 'volume-id', Values },
  ];
  const found = await ask('ec2:DescribeSnapshots', () =>
    allPages(
      paginateDescribeSnapshots({ client }, { Filters, OwnerIds: ['self'] }),
      ({ Snapshots = [] }) => Snapshots,
    ),
  );
  return found.map(({ SnapshotId = '', VolumeId = '', Progress = '', StartTime }) => ({
    id: SnapshotId,
    volumeId: VolumeId,
    progress: Progress,
    since: StartTime?.toISOString(),
  }));
}

async function alarms(client: CloudWatchClient, AlarmNames: string[]): Promise<AlarmLook[]> {
  const { MetricAlarms = [], CompositeAlarms = [] } = await ask('cloudwatch:DescribeAlarms', (abortSignal) =>
    client.send(
      new DescribeAlarmsCommand({
        AlarmNames,
        AlarmTypes: ['MetricAlarm', 'CompositeAlarm'],
        MaxRecords: 100,
      }),
      { abortSignal },
    ),
  );
  return [...MetricAlarms, ...CompositeAlarms].map((one) => ({
    name: one.AlarmName!,
    state: one.StateValue ?? 'INSUFFICIENT_DATA',
    description: one.AlarmDescription,
    since: one.StateTransitionedTimestamp?.toISOString() ?? one.StateUpdatedTimestamp?.toISOString(),
  }));
}
