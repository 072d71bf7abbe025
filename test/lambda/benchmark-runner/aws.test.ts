import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ConditionalCheckFailedException, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { EC2Client } from '@aws-sdk/client-ec2';
import { S3Client } from '@aws-sdk/client-s3';
import { SSMClient } from '@aws-sdk/client-ssm';
import { ONCE } from '../../../lambda/benchmark-runner';
import { SsmCommands } from '../../../lambda/benchmark-runner/aws-commands';
import { Ec2Instances } from '../../../lambda/benchmark-runner/aws-instances';
import { S3Store } from '../../../lambda/benchmark-runner/aws-store';
import { DynamoRuns } from '../../../lambda/benchmark-runner/aws-table';
import { toItem } from '../../../lambda/shared/attributes';
import { START } from './fleet';

const OFFLINE = { region: 'us-east-1', credentials: { accessKeyId: 'x', secretAccessKey: 'x' } };

/** A real client whose calls go nowhere: each is answered by the next answer, an error is thrown. */
function stub<C extends { send: unknown }>(client: C, ...answers: unknown[]) {
  const sent: { name: string; input: Record<string, unknown> }[] = [];
  const send = async (command: { constructor: { name: string }; input: Record<string, unknown> }) => {
    sent.push({ name: command.constructor.name, input: command.input });
    const answer = answers.shift() ?? {};
    if (answer instanceof Error) throw answer;
    return answer;
  };
  return Object.assign(client, { send, sent }) as unknown as C & { sent: typeof sent };
}

const awsError = (name: string) => Object.assign(new Error(name), { name });

describe('Systems Manager', () => {
  const commands = (...answers: unknown[]) => {
    const client = stub(new SSMClient(OFFLINE), ...answers);
    return { client, port: new SsmCommands(client, client, 'bucket') };
  };
  const order = {
    document: 'doc',
    instanceIds: ['i-1'],
    parameters: { FileMiB: '8' },
    outputPrefix: 'runs/r/outputs/t',
    comment: 'r t 0',
  };

  test('is told where the output goes, and to go on after a host has failed', async () => {
    const { client, port } = commands({ Command: { CommandId: 'c' } });
    expect(await port.send(order)).toBe('c');
    expect(client.sent[0]!.input).toEqual({
      DocumentName: 'doc',
      InstanceIds: ['i-1'],
      Parameters: { FileMiB: ['8'] },
      TimeoutSeconds: 60,
      Comment: 'r t 0',
      MaxConcurrency: '100%',
      MaxErrors: '100%',
      OutputS3BucketName: 'bucket',
      OutputS3KeyPrefix: 'runs/r/outputs/t',
    });
  });

  test('that refuses a host is told from one that cannot be asked', async () => {
    expect(await commands(awsError('InvalidInstanceId')).port.send(order)).toBeUndefined();
    await expect(commands(awsError('ThrottlingException')).port.send(order)).rejects.toThrow(
      'ThrottlingException',
    );
  });

  test('is asked once to send, even without an answer: a second command would run beside the first', async () => {
    let requests = 0;
    const server = createServer((request) => {
      requests += 1;
      request.socket.destroy();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const [again, once] = [
      new SSMClient({ ...OFFLINE, endpoint }),
      new SSMClient({ ...OFFLINE, ...ONCE, endpoint }),
    ];
    try {
      await expect(new SsmCommands(again, once, 'bucket').send(order)).rejects.toThrow();
      expect(requests).toBe(1);
    } finally {
      for (const client of [again, once]) client.destroy();
      server.close();
    }
  });

  test('is asked for a command by its comment, on all pages', async () => {
    const { client, port } = commands(
      { Commands: [{ CommandId: 'x', Comment: 'r t 1' }], NextToken: 'more' },
      { Commands: [{ CommandId: 'c', Comment: 'r t 0' }] },
    );
    expect(await port.find('doc', 'r t 0', START)).toBe('c');
    expect(client.sent[0]!.input.Filters).toEqual([
      { key: 'InvokedAfter', value: '2026-11-22T10:14:00Z' },
      { key: 'DocumentName', value: 'doc' },
    ]);
    expect(await commands({ Commands: [] }).port.find('doc', 'r t 0', START)).toBeUndefined();
  });

  test('says of each host how it went', async () => {
    const plugin = { ResponseCode: 75, Output: 'no room', ResponseFinishDateTime: new Date(START) };
    const { port } = commands(
      {
        CommandInvocations: [
          { InstanceId: 'i-1', Status: 'Failed', StatusDetails: 'Failed', CommandPlugins: [plugin] },
        ],
        NextToken: 'm',
      },
      { CommandInvocations: [{ InstanceId: 'i-2', Status: 'Pending' }, {}] },
    );
    expect(await port.invocations('c')).toEqual([
      {
        instanceId: 'i-1',
        status: 'Failed',
        statusDetails: 'Failed',
        responseCode: 75,
        endedAt: START,
        said: 'no room',
      },
      {
        instanceId: 'i-2',
        status: 'Pending',
        statusDetails: 'Pending',
        responseCode: undefined,
        endedAt: undefined,
        said: '',
      },
    ]);
  });

  test('hears from hosts in lists of fifty, and an agent that is silent is not online', async () => {
    const many = Array.from({ length: 51 }, (_, index) => `i-${index}`);
    const { client, port } = commands(
      {
        InstanceInformationList: [
          { InstanceId: 'i-0', PingStatus: 'Online' },
          { InstanceId: 'i-1', PingStatus: 'ConnectionLost' },
        ],
      },
      { InstanceInformationList: [{ InstanceId: 'i-50', PingStatus: 'Online' }] },
    );
    expect(await port.online(many)).toEqual(['i-0', 'i-50']);
    expect(
      client.sent.map(({ input }) => (input.Filters as { Values: string[] }[])[0]!.Values.length),
    ).toEqual([50, 1]);
  });

  test('has kept the beginning of an output, or nothing', async () => {
    expect(await commands({ StandardOutputContent: 'x' }).port.output('c', 'i')).toBe('x');
    expect(await commands({ StandardOutputContent: '' }).port.output('c', 'i')).toBeUndefined();
    expect(await commands(awsError('InvocationDoesNotExist')).port.output('c', 'i')).toBeUndefined();
    await expect(commands(awsError('InternalServerError')).port.output('c', 'i')).rejects.toThrow();
    const { client, port } = commands({});
    await port.cancel('c', ['i-1']);
    expect(client.sent[0]).toEqual({
      name: 'CancelCommandCommand',
      input: { CommandId: 'c', InstanceIds: ['i-1'] },
    });
  });
});

test('EC2 is asked by filters, and an instance with two of the tags is one', async () => {
  const instance = {
    InstanceId: 'i-1',
    InstanceType: 'm6in.large',
    PrivateIpAddress: '10.0.0.1',
    State: { Name: 'running' },
    Tags: [{ Key: 'Name', Value: 'node1' }],
    RootDeviceName: '/dev/sda1',
    // Its system's disk is no disk that is measured; an instance-store mapping has no volume.
    BlockDeviceMappings: [
      { DeviceName: '/dev/sda1', Ebs: { VolumeId: 'vol-1' } },
      { DeviceName: '/dev/sdf', Ebs: { VolumeId: 'vol-2' } },
      { DeviceName: '/dev/sdg', Ebs: { VolumeId: 'vol-3' } },
      { DeviceName: '/dev/sdb' },
    ],
  };
  const client = stub(
    new EC2Client(OFFLINE),
    { Reservations: [{ Instances: [instance] }], NextToken: 'm' },
    { Reservations: [{ Instances: [{ InstanceId: 'i-2' }] }] },
    { Reservations: [{ Instances: [instance] }] },
  );
  const found = await new Ec2Instances(client).tagged([
    { key: 'a', values: ['1'] },
    { key: 'b', values: ['2'] },
  ]);
  expect(found).toEqual([
    {
      instanceId: 'i-1',
      name: 'node1',
      instanceType: 'm6in.large',
      privateIp: '10.0.0.1',
      volumes: 2,
      state: 'running',
    },
    { instanceId: 'i-2', name: undefined, instanceType: '', privateIp: undefined, state: 'pending' },
  ]);
  expect(client.sent[0]!.input.Filters).toEqual([{ Name: 'tag:a', Values: ['1'] }]);
  const named = stub(new EC2Client(OFFLINE), {}, {});
  await new Ec2Instances(named).named(Array.from({ length: 201 }, (_, index) => `i-${index}`));
  expect(named.sent.map(({ input }) => (input.Filters as { Values: string[] }[])[0]!.Values.length)).toEqual([
    200, 1,
  ]);
});

describe('the bucket', () => {
  const body = (value: unknown) => ({ Body: { transformToString: async () => JSON.stringify(value) } });

  test('has records whole, and says nothing of what is not there', async () => {
    const client = stub(
      new S3Client(OFFLINE),
      {},
      body([{ id: 's' }]),
      awsError('NoSuchKey'),
      awsError('AccessDenied'),
    );
    const store = new S3Store(client, 'b');
    await store.saveSteps('r', []);
    expect(client.sent[0]!.input).toMatchObject({ Bucket: 'b', Key: 'runs/r/steps.json', Body: '[]' });
    expect(await store.steps('r')).toEqual([{ id: 's' }]);
    expect(await store.outcomes('r', 's')).toBeUndefined();
    // Rights that are missing are no missing object.
    await expect(store.run('r')).rejects.toThrow('AccessDenied');
  });

  test('has the outputs where the agents put them, on all pages', async () => {
    const folder = 'runs/r/outputs/t/c/';
    const client = stub(
      new S3Client(OFFLINE),
      {
        Contents: [{ Key: `${folder}i-1/awsrunShellScript/sas_io/stdout` }],
        IsTruncated: true,
        NextContinuationToken: 'm',
      },
      {
        Contents: [
          { Key: `${folder}i-1/awsrunShellScript/sas_io/stderr` },
          { Key: `${folder}i-2/awsrunShellScript/0.awsrunShellScript/stdout` },
        ],
      },
    );
    expect(await new S3Store(client, 'b').outputs('runs/r/outputs/t', 'c')).toEqual({
      'i-1': `${folder}i-1/awsrunShellScript/sas_io/stdout`,
      'i-2': `${folder}i-2/awsrunShellScript/0.awsrunShellScript/stdout`,
    });
    expect(client.sent[0]!.input).toMatchObject({ Bucket: 'b', Prefix: folder });
  });
});

describe('the table', () => {
  const runs = (...answers: unknown[]) => {
    const client = stub(new DynamoDBClient(OFFLINE), ...answers);
    return { client, port: new DynamoRuns(client, 't', 'b', () => START) };
  };
  const taken = new ConditionalCheckFailedException({
    message: 'x',
    $metadata: {},
    Item: toItem({ holder: 'another', until: 7 }),
  });

  test('gives the lock to one run, apart from the history, and says who has it', async () => {
    const { client, port } = runs({}, taken, taken);
    expect(await port.lock('r', 100, 50)).toBeUndefined();
    const { Item, ConditionExpression } = client.sent[0]!.input as {
      Item: Record<string, unknown>;
      ConditionExpression: string;
    };
    expect(Item).toMatchObject({ benchmark: { S: 'b#lock' }, holder: { S: 'r' }, until: { N: '100' } });
    expect(Number((Item.deleteAfter as { N: string }).N)).toBeGreaterThan(100);
    expect(ConditionExpression).toBe('attribute_not_exists(holder) OR holder = :me OR #until < :now');
    expect(await port.lock('r', 100, 50)).toEqual({ runId: 'another', until: 7 });
    // Another one has it by now: there is nothing to give back.
    await port.unlock('r');
    expect(client.sent[2]!.input).toMatchObject({ ConditionExpression: 'holder = :me' });
    await expect(
      runs(awsError('ProvisionedThroughputExceededException')).port.lock('r', 1, 1),
    ).rejects.toThrow();
  });

  test('takes what was sent only if nobody has changed it since', async () => {
    const sent = { version: 2, batches: [], absent: {}, startAt: 0 };
    const { client, port } = runs({}, {}, taken, { Item: { sent: { S: JSON.stringify(sent) } } }, {});
    expect(await port.saveSent('r', 's', sent, undefined)).toBe(true);
    expect(await port.saveSent('r', 's', sent, { ...sent, version: 1 })).toBe(true);
    expect(client.sent.map(({ input }) => input.ConditionExpression)).toEqual([
      'attribute_not_exists(runId)',
      'version = :before',
    ]);
    expect(client.sent[1]!.input.ExpressionAttributeValues).toEqual({ ':before': { N: '1' } });
    expect(await port.saveSent('r', 's', sent, { ...sent, version: 1 })).toBe(false);
    expect(await port.sent('r', 's')).toEqual(sent);
    expect(client.sent[3]!.input).toMatchObject({
      Key: { benchmark: { S: 'b#sent' }, runId: { S: 'r/s' } },
      ConsistentRead: true,
    });
    expect(await port.sent('r', 's')).toBeUndefined();
  });
});
