import { EC2Client } from '@aws-sdk/client-ec2';
import { type CommandInvocation, SSMClient } from '@aws-sdk/client-ssm';
import { answerOf, Ec2Servers, SsmCleanUp, SsmHealth } from '../../../lambda/node-health/aws';
import { environmentOf } from '../../../lambda/node-health/environment';

const OFFLINE = { region: 'us-east-1', credentials: { accessKeyId: 'x', secretAccessKey: 'x' } };

/** A real client whose calls go nowhere: each is answered by the next answer. */
function stub<C extends { send: unknown }>(client: C, ...answers: unknown[]) {
  const sent: Record<string, unknown>[] = [];
  const send = async ({ input }: { input: Record<string, unknown> }) => {
    sent.push(input);
    return answers.shift() ?? {};
  };
  return Object.assign(client, { send, sent }) as unknown as C & { sent: typeof sent };
}

const invocation = (StatusDetails: string, Output = '', ResponseCode = -1): CommandInvocation => ({
  InstanceId: 'i-1',
  StatusDetails,
  CommandPlugins: [{ Output, ResponseCode }],
});

describe('an invocation', () => {
  test('says what its host says', () => {
    const healthy = { is: 'healthy', name: 'node1', usedPercent: 7, reasons: [] };
    expect(answerOf(invocation('Success', 'node1 healthy 7\n', 0))).toEqual(healthy);
    expect(answerOf(invocation('Success', 'node1 healthy -', 0))).toEqual({
      is: 'healthy',
      name: 'node1',
      reasons: [],
    });
    const text = 'node1 unhealthy 97 unreachable: 1.2.3.4:2049 does not answer; mount: /sasdata: x';
    expect(answerOf(invocation('Failed', text, 20))).toEqual({
      is: 'unhealthy',
      name: 'node1',
      usedPercent: 97,
      reasons: [
        { code: 'unreachable', text: '1.2.3.4:2049 does not answer' },
        { code: 'mount', text: '/sasdata: x' },
      ],
    });
    expect(answerOf(invocation('Failed', 'node1 unsure - mount: x; it started 20 s ago', 75))).toEqual({
      is: 'unsure',
      name: 'node1',
      reasons: [
        { code: 'mount', text: 'x' },
        { code: 'note', text: 'it started 20 s ago' },
      ],
    });
  });

  test.each(['Execution Timed Out', 'DeliveryTimedOut', 'Undeliverable', 'In Progress', ''])(
    'that is %j is silence',
    (status) => expect(answerOf(invocation(status))).toMatchObject({ is: 'silent' }),
  );

  test.each([
    ['says nothing', invocation('Failed', '', 20)],
    ['says something else', invocation('Failed', 'bash: no such file', 127)],
    ['ends otherwise than it says', invocation('Failed', 'node1 healthy 7', 20)],
    ['ends well and says otherwise', invocation('Success', 'node1 unhealthy 7 mount: x', 0)],
    ['says so with the wrong exit code', invocation('Failed', 'node1 unhealthy 7 mount: x', 1)],
  ])('that %s is unsure', (_name, given) => expect(answerOf(given)).toMatchObject({ is: 'unsure' }));
});

test('servers that run are found by a filter, whatever EC2 knows of the others', async () => {
  const LaunchTime = new Date(1000);
  const client = stub(new EC2Client(OFFLINE), {
    Reservations: [{ Instances: [{ InstanceId: 'i-1', LaunchTime }] }],
  });
  const servers = { filter: 'instance-id', values: ['i-1', 'i-2'] };
  expect([...(await new Ec2Servers(client).running(servers))]).toEqual([['i-1', 1000]]);
  expect(client.sent[0]!.Filters).toEqual([
    { Name: 'instance-id', Values: ['i-1', 'i-2'] },
    { Name: 'instance-state-name', Values: ['running'] },
  ]);
});

test('the commands of a document are found by their time', async () => {
  const client = stub(
    new SSMClient(OFFLINE),
    { Commands: [{ CommandId: 'c-1', RequestedDateTime: new Date(5000) }], NextToken: 'more' },
    { Commands: [{ CommandId: 'c-2', RequestedDateTime: new Date(6000) }] },
  );
  expect(await new SsmHealth(client, 'document').sent(4321)).toEqual([
    { id: 'c-1', sentAt: 5000 },
    { id: 'c-2', sentAt: 6000 },
  ]);
  expect(client.sent[0]!.Filters).toEqual([
    { key: 'DocumentName', value: 'document' },
    { key: 'InvokedAfter', value: '1970-01-01T00:00:04Z' },
  ]);
});

test('of several answers of a server the last one counts', async () => {
  const client = stub(
    new SSMClient(OFFLINE),
    { CommandInvocations: [invocation('Failed', 'node1 unhealthy - mount: x', 20)] },
    { CommandInvocations: [invocation('Success', 'node1 healthy -', 0)] },
  );
  const answers = await new SsmHealth(client, 'document').answers(['c-1', 'c-2']);
  expect(answers.get('i-1')).toMatchObject({ is: 'healthy' });
});

test('a clean-up says what it did, or how it ended', async () => {
  const client = stub(new SSMClient(OFFLINE), {
    CommandInvocations: [invocation('Success', '1 removed\nremoved x\n', 0), invocation('Undeliverable')],
  });
  expect(await new SsmCleanUp(client, 'document').results(['c'])).toEqual([
    { instanceId: 'i-1', done: true, said: '1 removed\nremoved x' },
    { instanceId: 'i-1', done: false, said: 'Undeliverable' },
  ]);
});

test('the environment is what the construct sets', () => {
  const given = {
    GRID: 'g',
    SERVER_FILTER: 'instance-id',
    SERVERS: 'i-1,i-2',
    DOCUMENT: 'd',
    INTERVAL_SECONDS: '300',
  };
  const settings = {
    grid: 'g',
    servers: { filter: 'instance-id', values: ['i-1', 'i-2'] },
    intervalSeconds: 300,
  };
  expect(environmentOf(given)).toEqual({ document: 'd', cleanUpDocument: '', settings });
  expect(environmentOf({ ...given, CLEAN_UP_DOCUMENT: 'c', CLEAN_UP_SECONDS: '3600' })).toEqual({
    document: 'd',
    cleanUpDocument: 'c',
    settings: { ...settings, cleanUpSeconds: 3600 },
  });
  expect(() => environmentOf({ ...given, CLEAN_UP_DOCUMENT: 'c' })).toThrow(/CLEAN_UP_SECONDS/);
  expect(() => environmentOf({})).toThrow(/DOCUMENT/);
});
