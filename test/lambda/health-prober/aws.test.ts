import { AutoScalingClient } from '@aws-sdk/client-auto-scaling';
import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { type CommandInvocation, SSMClient } from '@aws-sdk/client-ssm';
import { AutoScalingProbeGroup, CloudFormationStack } from '../../../lambda/health-prober/aws-group';
import { answerOf, SsmProbeHosts } from '../../../lambda/health-prober/aws-hosts';
import { DynamoProbeMap } from '../../../lambda/health-prober/aws-map';
import { settingsOf } from '../../../lambda/health-prober/environment';
import { toItem } from '../../../lambda/shared/attributes';
import { NOW } from './tier';

const OFFLINE = { region: 'us-east-1', credentials: { accessKeyId: 'x', secretAccessKey: 'x' } };

/** A real client whose calls go nowhere: each is answered by the next answer, an error is thrown. */
function stub<C extends { send: unknown }>(client: C, ...answers: unknown[]) {
  const sent: { name: string; input: Record<string, never> }[] = [];
  const send = async (command: { constructor: { name: string }; input: Record<string, never> }) => {
    sent.push({ name: command.constructor.name, input: command.input });
    const answer = answers.shift() ?? {};
    if (answer instanceof Error) throw answer;
    return answer;
  };
  return Object.assign(client, { send, sent }) as unknown as C & { sent: typeof sent };
}

const awsError = (name: string) => Object.assign(new Error(name), { name });

describe('an invocation', () => {
  const invocation = (StatusDetails: string, Output = '', ResponseCode = -1): CommandInvocation => ({
    StatusDetails,
    CommandPlugins: [{ Output, ResponseCode }],
  });
  const failed = (output: string, code: number) => answerOf(invocation('Failed', output, code));

  test('that ends says what the host says, of which slot and epoch', () => {
    const serves = { is: 'serves', slot: 'oss-03', epoch: 12 };
    expect(answerOf(invocation('Success', 'oss-03 12 serves \n', 0))).toEqual(serves);
    expect(answerOf(invocation('Success', 'program 0a1b\noss-03 12 serves\n', 0))).toEqual({
      ...serves,
      program: '0a1b',
    });
    expect(failed('program 0a1b\noss-03 12 fails x', 20)).toMatchObject({ is: 'fails', said: 'x' });
    expect(failed('program 0a1b\n- 0 fails x', 20)).toEqual({ is: 'fails', slot: '-', epoch: 0, said: 'x' });
    expect(failed('oss-03 12 fails nfsd does not answer\n----------ERROR-------\nx', 20)).toEqual({
      is: 'fails',
      slot: 'oss-03',
      epoch: 12,
      said: 'nfsd does not answer',
    });
  });

  test('that the host could not end is silence', () => {
    for (const details of ['Execution Timed Out', 'ExecutionTimedOut']) {
      expect(answerOf(invocation(details))).toEqual({ is: 'silent' });
    }
  });

  test.each([
    ['was not delivered', invocation('Delivery Timed Out')],
    ['waits', invocation('Pending')],
    ['waits for the host', invocation('Delayed')],
    ['runs still', invocation('In Progress')],
    ['was not deliverable', invocation('Undeliverable')],
    ['was terminated', invocation('Terminated')],
    ['was cancelled', invocation('Cancelled')],
    ['has no details', {}],
    ['cannot tell', invocation('Failed', 'oss-03 12 unsure it started 20 s ago', 75)],
    ['says so with the wrong exit code', invocation('Failed', 'oss-03 12 fails x', 1)],
    ['ends well and says otherwise', invocation('Success', 'oss-03 12 fails x', 0)],
    ['ends badly and says otherwise', invocation('Failed', 'oss-03 12 serves', 20)],
    ['says nothing', invocation('Failed', '', 20)],
    ['says something else', invocation('Failed', 'bash: no such file', 20)],
  ])('that %s says nothing of the service', (_name, given) => {
    expect(answerOf(given)).toMatchObject({ is: 'unknown' });
  });
});

describe('Systems Manager', () => {
  const info = (...ids: string[]) => ({
    InstanceInformationList: ids.map((InstanceId) => ({ InstanceId, PingStatus: 'Online' })),
  });

  test('asks those whose agent answers, fifty at a time', async () => {
    const ids = Array.from({ length: 60 }, (_, index) => `i-${index}`);
    const gone = { InstanceInformationList: [{ InstanceId: 'i-1', PingStatus: 'ConnectionLost' }] };
    const client = stub(
      new SSMClient(OFFLINE),
      { InstanceInformationList: [...info('i-0').InstanceInformationList, ...gone.InstanceInformationList] },
      { Command: { CommandId: 'c-1' } },
      info('i-50', 'i-51'),
      { Command: { CommandId: 'c-2' } },
    );
    expect(await new SsmProbeHosts(client, 'document').ask(ids)).toEqual(['c-1', 'c-2']);
    const [looked, sent, , second] = client.sent.map(({ input }) => input as Record<string, unknown>);
    expect(looked!.Filters).toEqual([{ Key: 'InstanceIds', Values: ids.slice(0, 50) }]);
    expect(sent).toMatchObject({ DocumentName: 'document', InstanceIds: ['i-0'], TimeoutSeconds: 30 });
    expect(second!.InstanceIds).toEqual(['i-50', 'i-51']);
  });

  test('sends nothing when no agent answers, and knows nothing of a batch whose agent went', async () => {
    expect(await new SsmProbeHosts(stub(new SSMClient(OFFLINE), {}), 'd').ask(['i-1'])).toEqual([]);
    const went = stub(new SSMClient(OFFLINE), info('i-1'), awsError('InvalidInstanceId'));
    expect(await new SsmProbeHosts(went, 'd').ask(['i-1'])).toEqual([]);
    const throttled = stub(new SSMClient(OFFLINE), info('i-1'), awsError('ThrottlingException'));
    await expect(new SsmProbeHosts(throttled, 'd').ask(['i-1'])).rejects.toThrow('Throttling');
  });

  test('reads the answers of all commands, all pages', async () => {
    const serves = (InstanceId: string) => ({
      InstanceId,
      StatusDetails: 'Success',
      CommandPlugins: [{ Output: `${InstanceId} 1 serves`, ResponseCode: 0 }],
    });
    const client = stub(
      new SSMClient(OFFLINE),
      { CommandInvocations: [serves('i-1')], NextToken: 'more' },
      { CommandInvocations: [serves('i-2')] },
      { CommandInvocations: [serves('i-3')] },
    );
    const found = await new SsmProbeHosts(client, 'd').answers(['c-1', 'c-2']);
    expect(Object.keys(found)).toEqual(['i-1', 'i-2', 'i-3']);
    expect(client.sent[2]!.input).toMatchObject({ CommandId: 'c-2', Details: true });
  });
});

describe('Auto Scaling', () => {
  const group = (...answers: unknown[]) => {
    const client = stub(new AutoScalingClient(OFFLINE), ...answers);
    return { client, port: new AutoScalingProbeGroup(client, 'group') };
  };

  test('tells members and suspended processes', async () => {
    const Instances = [{ InstanceId: 'i-1', LifecycleState: 'InService', HealthStatus: 'Healthy' }];
    const { port } = group({
      AutoScalingGroups: [{ Instances, SuspendedProcesses: [{ ProcessName: 'Launch' }] }],
    });
    expect(await port.describe()).toEqual({
      members: [{ instanceId: 'i-1', lifecycle: 'InService', healthy: true }],
      suspended: ['Launch'],
    });
    expect(await group({ AutoScalingGroups: [] }).port.describe()).toBeUndefined();
  });

  test.each([
    ['Pending', true],
    ['InProgress', true],
    ['Baking', true],
    ['Cancelling', true],
    ['RollbackInProgress', true],
    ['SomethingNew', true],
    ['Successful', false],
    ['Failed', false],
    ['Cancelled', false],
    ['RollbackSuccessful', false],
    ['RollbackFailed', false],
  ])('a refresh that is %s is under way: %s', async (Status, expected) => {
    expect(await group({ InstanceRefreshes: [{ Status: 'Failed' }, { Status }] }).port.isRefreshing()).toBe(
      expected,
    );
  });

  test('is told of a server that does not serve, and keeps to the grace period', async () => {
    const { client, port } = group({});
    expect(await port.setUnhealthy('i-1')).toBe(true);
    expect(client.sent[0]).toEqual({
      name: 'SetInstanceHealthCommand',
      input: { InstanceId: 'i-1', HealthStatus: 'Unhealthy', ShouldRespectGracePeriod: true },
    });
    expect(await group(awsError('ValidationError')).port.setUnhealthy('i-1')).toBe(false);
    await expect(group(awsError('ResourceContention')).port.setUnhealthy('i-1')).rejects.toThrow();
  });
});

describe('the map', () => {
  const map = (...answers: unknown[]) => {
    const client = stub(new DynamoDBClient(OFFLINE), ...answers);
    return { client, port: new DynamoProbeMap(client, 'table', 'oss') };
  };
  const claim = { slot: 'oss-00', owner: 'i-1', epoch: 2 };
  const record = { epoch: 2, round: 7, misses: 3, at: 'now', provenBy: '0a1b' };

  test('holds the round and the marks, and that the workflow looks at the tier is no matter', async () => {
    const marks = [{ slot: 'oss-00', owner: 'i-9', at: 'then' }];
    const items = (expires: number) => ({
      Items: [
        toItem({
          tier: 'oss',
          item: 'probe',
          round: 7,
          sentAt: 'x',
          commands: ['c-1'],
          marks: [...marks, 'edited'],
        }),
        toItem({ tier: 'oss', item: 'lease', holder: 'run', expires, wakeups: 0 }),
      ],
    });
    expect(await map(items(NOW / 1000 + 5)).port.read()).toEqual({
      rows: { slots: [], owners: [], broken: [] },
      round: { round: 7, sentAt: 'x', commands: ['c-1'] },
      marks,
    });
    expect(await map({ Items: [] }).port.read()).toMatchObject({ round: undefined, marks: [] });
  });

  test('every write has its condition: owner, epoch and round; the last mark; the round before', async () => {
    const { client, port } = map();
    await port.count(claim, record);
    await port.mark(claim, record, [{ slot: 'oss-00', owner: 'i-1', at: 'now' }], undefined);
    await port.mark(claim, record, [{ slot: 'oss-00', owner: 'i-1', at: 'now' }], {
      slot: 'a',
      owner: 'i-0',
      at: 'b',
    });
    await port.begin({ round: 8, sentAt: 'now', commands: [] });
    const writes = client.sent.flatMap(({ input }) => {
      const { TransactItems } = input as { TransactItems?: { Update: Record<string, never> }[] };
      return TransactItems ? TransactItems.map(({ Update }) => Update) : [input];
    });
    expect(writes).toHaveLength(6);
    for (const write of writes) {
      const { UpdateExpression, ConditionExpression, ExpressionAttributeNames, ExpressionAttributeValues } =
        write as Record<string, string>;
      const text = `${UpdateExpression} ${ConditionExpression}`;
      const used = (pattern: RegExp) => [...new Set<string>(text.match(pattern) ?? [])].sort();
      expect(Object.keys(ExpressionAttributeNames!).sort()).toEqual(used(/#\w+/g));
      expect(Object.keys(ExpressionAttributeValues!).sort()).toEqual(used(/:\w+/g));
    }
    const conditions = writes.map(({ ConditionExpression }) => String(ConditionExpression));
    expect(conditions[0]).toContain('#owner = :owner AND #epoch = :epoch AND #served = :epoch');
    expect(conditions[0]).toContain('#probe.#round < :round');
    expect(conditions[1]).toContain('#owner = :owner AND #epoch = :epoch AND #served = :epoch');
    expect([conditions[2], conditions[4]]).toEqual(['attribute_not_exists(#last)', '#last = :last']);
    expect(conditions[5]).toBe('attribute_not_exists(#round) OR #round < :round');
  });

  test('losing a race is an answer, throttling is not', async () => {
    expect(await map(awsError('ConditionalCheckFailedException')).port.count(claim, record)).toBe(false);
    await expect(map(awsError('ThrottlingException')).port.count(claim, record)).rejects.toThrow();
  });
});

test('CloudFormation tells the state of the stack', async () => {
  const client = stub(
    new CloudFormationClient(OFFLINE),
    { Stacks: [{ StackStatus: 'UPDATE_COMPLETE' }] },
    {},
  );
  const stack = new CloudFormationStack(client, 'id');
  expect(await stack.status()).toBe('UPDATE_COMPLETE');
  await expect(stack.status()).rejects.toThrow('does not know the stack');
});

test('what the environment lacks is named', () => {
  const env = { TABLE: 't', DOCUMENT: 'd', STACK_ID: 's', TIER: 'oss', TIER_TAG: 'x', GROUP: 'g' };
  const counts = { SLOT_COUNT: '2', INTERVAL_SECONDS: '60', MISSES: '3', PROGRAM: '0a1b' };
  expect(settingsOf({ ...env, ...counts }).settings).toMatchObject({
    slotCount: 2,
    intervalSeconds: 60,
    misses: 3,
    program: '0a1b',
  });
  expect(() => settingsOf({ ...env, ...counts, MISSES: 'x' })).toThrow(
    'MISSES is not a whole number from 1 up',
  );
  expect(() => settingsOf({ ...env, ...counts, STACK_ID: '' })).toThrow('STACK_ID is missing');
});
