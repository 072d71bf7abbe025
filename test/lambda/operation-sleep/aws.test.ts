import { AutoScalingClient } from '@aws-sdk/client-auto-scaling';
import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { EC2Client } from '@aws-sdk/client-ec2';
import { SSMClient } from '@aws-sdk/client-ssm';
import { portsOn } from '../../../lambda/operation-sleep/aws';
import { LUSTRE } from './world';

const OFFLINE = { region: 'us-east-1', credentials: { accessKeyId: 'x', secretAccessKey: 'x' } };
const [MGS] = LUSTRE.tiers;

/** The ports on real clients whose calls go nowhere: each is answered by the next answer; an error is thrown. */
function ports(...answers: unknown[]) {
  const sent: { readonly [name: string]: unknown }[] = [];
  const stub = <C extends object>(client: C): C =>
    Object.assign(client, {
      send: async ({ input }: { input: { readonly [name: string]: unknown } }) => {
        sent.push(input);
        const answer = answers.shift() ?? {};
        if (answer instanceof Error) throw answer;
        return answer;
      },
    });
  const clients = {
    autoScaling: stub(new AutoScalingClient(OFFLINE)),
    cloudFormation: stub(new CloudFormationClient(OFFLINE)),
    dynamodb: stub(new DynamoDBClient(OFFLINE)),
    ec2: stub(new EC2Client(OFFLINE)),
    ssm: stub(new SSMClient(OFFLINE)),
  };
  return { ...portsOn(clients, { document: 'document' }, {} as never), sent };
}

const named = (name: string) => Object.assign(new Error(name), { name });

describe('groups', () => {
  test('are looked at on all pages, and not at all when none is named', async () => {
    const group = (AutoScalingGroupName: string, size: number) => ({
      AutoScalingGroupName,
      MinSize: size,
      DesiredCapacity: size,
      Instances: [{ InstanceId: 'i-1', LifecycleState: 'Terminating:Wait' }],
    });
    const { groups, sent } = ports(
      { AutoScalingGroups: [group('a', 1)], NextToken: 'more' },
      { AutoScalingGroups: [group('b', 0)] },
    );
    const members = [{ instanceId: 'i-1', lifecycle: 'Terminating:Wait' }];
    await expect(groups.describe(['a', 'b'])).resolves.toEqual([
      { name: 'a', least: 1, desired: 1, members },
      { name: 'b', least: 0, desired: 0, members },
    ]);
    // Without names Auto Scaling would tell all groups of the account.
    await expect(groups.describe([])).resolves.toEqual([]);
    expect(sent).toHaveLength(2);
  });

  test('get a size, and keep the most that they may have', async () => {
    const { groups, sent } = ports();
    await groups.resize('a', 0, 0);
    expect(sent).toEqual([{ AutoScalingGroupName: 'a', MinSize: 0, DesiredCapacity: 0 }]);
  });

  test.each([
    ['Pending', true],
    ['InProgress', true],
    ['Cancelling', true],
    ['Baking', true],
    ['RollbackInProgress', true],
    ['Successful', false],
    ['Failed', false],
    ['Cancelled', false],
    ['RollbackFailed', false],
    ['RollbackSuccessful', false],
  ])('are being refreshed while a refresh is %s: %s', async (Status, is) => {
    const { groups } = ports({ InstanceRefreshes: [{ Status: 'Successful' }, { Status }] });
    await expect(groups.isRefreshing('a')).resolves.toBe(is);
  });
});

describe('stacks', () => {
  const stack = (StackStatus: string) => ({ Stacks: [{ StackStatus }] });

  test('that change are told, and those that are not there do not', async () => {
    const { stacksUnderWay } = ports(
      stack('UPDATE_IN_PROGRESS'),
      named('ValidationError'),
      stack('UPDATE_COMPLETE_CLEANUP_IN_PROGRESS'),
      stack('UPDATE_ROLLBACK_FAILED'),
    );
    await expect(stacksUnderWay(['a', 'b', 'c', 'd'])).resolves.toEqual([
      'a is UPDATE_IN_PROGRESS',
      'c is UPDATE_COMPLETE_CLEANUP_IN_PROGRESS',
    ]);
  });

  test('that cannot be looked at are no stacks that rest', async () => {
    await expect(ports(named('Throttling')).stacksUnderWay(['a'])).rejects.toThrow('Throttling');
  });
});

test('in the map only the item of the sleep is written, and its first time counts', async () => {
  const { map, sent } = ports();
  await map.sleep(MGS!, '2026-01-01T20:00:00Z', 'arn:execution');
  await map.wake(MGS!);
  const Key = { tier: { S: 'mgs' }, item: { S: 'sleep' } };
  expect(sent[0]).toMatchObject({
    TableName: 'map',
    Key,
    UpdateExpression: 'SET #since = if_not_exists(#since, :since), #by = if_not_exists(#by, :by)',
  });
  expect(sent[1]).toEqual({ TableName: 'map', Key });
});

test('nodes are those of the stack that are not gone, by name', async () => {
  const instance = (InstanceId: string, name?: string) => ({
    InstanceId,
    State: { Name: 'running' },
    Tags: name ? [{ Key: 'Name', Value: name }] : [],
  });
  const { nodes, sent } = ports(
    { Reservations: [{ Instances: [instance('i-2', 'node2')] }], NextToken: 'more' },
    { Reservations: [{ Instances: [instance('i-3')] }, { Instances: [instance('i-1', 'control')] }] },
  );
  await expect(nodes.list('mine-grid')).resolves.toEqual([
    { instanceId: 'i-1', name: 'control', state: 'running' },
    { instanceId: 'i-3', name: 'i-3', state: 'running' },
    { instanceId: 'i-2', name: 'node2', state: 'running' },
  ]);
  expect(sent[0]!.Filters).toEqual([
    { Name: 'tag:aws:cloudformation:stack-name', Values: ['mine-grid'] },
    { Name: 'instance-state-name', Values: ['pending', 'running', 'stopping', 'stopped'] },
  ]);
});

test('hosts that can be reached are told, with what is asked', async () => {
  const { hosts, sent } = ports(
    {
      InstanceInformationList: [
        { InstanceId: 'i-1', PingStatus: 'Online' },
        { InstanceId: 'i-2', PingStatus: 'ConnectionLost' },
      ],
    },
    { Command: { CommandId: 'c-1' } },
    {
      CommandInvocations: [
        { InstanceId: 'i-1', StatusDetails: 'Success', CommandPlugins: [{ Output: 'x', ResponseCode: 0 }] },
      ],
    },
  );
  await expect(hosts.tell(['i-1', 'i-2'], 'unmount')).resolves.toEqual(['c-1']);
  expect(sent[1]).toMatchObject({
    DocumentName: 'document',
    InstanceIds: ['i-1'],
    Parameters: { what: ['unmount'] },
  });
  await expect(hosts.answers(['c-1'])).resolves.toEqual(
    new Map([['i-1', { state: 'ended', exitCode: 0, said: 'x' }]]),
  );
});
