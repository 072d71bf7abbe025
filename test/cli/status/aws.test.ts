import { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import { SSMClient } from '@aws-sdk/client-ssm';
import { healthOf, runOn, saidOf } from '../../../cli/status/aws-hosts';
import { Throughput } from '../../../cli/status/aws-metrics';

const OFFLINE = { region: 'eu-west-1', credentials: { accessKeyId: 'x', secretAccessKey: 'x' } };

type Request = {
  readonly constructor: { readonly name: string };
  readonly input: { [key: string]: unknown };
};

/** A client whose answers these are, by the name of the command. */
function stub<C extends object>(client: C, answers: { [command: string]: (input: never) => unknown }) {
  const sent: { [key: string]: unknown }[] = [];
  const send = async (request: Request) => {
    const command = request.constructor.name.replace(/Command$/, '');
    sent.push({ command, ...request.input });
    return answers[command]!(request.input as never);
  };
  return { client: Object.assign(client, { send }) as C, sent };
}

describe('what volumes read and write', () => {
  const END = Date.parse('2026-11-28T12:00:00Z');
  const minutesBefore = (minutes: number) => new Date(END - minutes * 60_000);
  const metrics = (results: object[]) =>
    stub(new CloudWatchClient(OFFLINE), { GetMetricData: () => ({ MetricDataResults: results }) });

  test('is the newest figure that both have, by the second; one without figures is left out', async () => {
    const { client, sent } = metrics([
      { Id: 'read0', Timestamps: [minutesBefore(10), minutesBefore(5)], Values: [9e9, 3e9] },
      { Id: 'write0', Timestamps: [minutesBefore(10)], Values: [6e9] },
      { Id: 'read1', Timestamps: [], Values: [] },
    ]);
    const throughput = new Throughput(client, () => END + 90_000);
    // Nothing is written any more: the older figure does not count.
    expect(await throughput.of(['vol-1', 'vol-2'])).toEqual({ 'vol-1': { readMBps: 10, writeMBps: 0 } });
    expect(sent).toHaveLength(1);
    // A period that is not over would count for less than it is.
    expect(sent[0]!.EndTime).toEqual(new Date(END));
  });

  test('is asked for again after a minute, and at once after an error', async () => {
    let now = END;
    let fails = true;
    const { client, sent } = stub(new CloudWatchClient(OFFLINE), {
      GetMetricData: () => {
        if (fails) throw new Error('odd');
        return { MetricDataResults: [{ Id: 'free', Timestamps: [minutesBefore(5)], Values: [5] }] };
      },
    });
    const throughput = new Throughput(client, () => now);
    await expect(throughput.freeBytes('fs-1')).rejects.toThrow('odd');
    fails = false;
    for (const later of [0, 30_000, 61_000]) {
      now = END + later;
      expect(await throughput.freeBytes('fs-1')).toBe(5);
    }
    expect(sent).toHaveLength(3);
  });
});

describe('what servers said', () => {
  const at = (minutes: number) => new Date(Date.now() - minutes * 60_000);
  const invocation = (id: string, minutes: number, status: string, output: string, code = 0) => ({
    InstanceId: id,
    RequestedDateTime: at(minutes),
    StatusDetails: status,
    CommandPlugins: [{ Output: output, ResponseCode: code }],
  });
  const rounds = (...answers: object[][]) =>
    stub(new SSMClient(OFFLINE), {
      ListCommands: () => ({
        Commands: answers.map((_, index) => ({ CommandId: `c${index}`, RequestedDateTime: at(5 * index) })),
      }),
      ListCommandInvocations: ({ CommandId }: { CommandId: string }) => ({
        CommandInvocations: answers[Number(CommandId.slice(1))],
      }),
    }).client;

  test('is of the newest round that has ended', async () => {
    const client = rounds(
      [invocation('i-1', 0, 'InProgress', ''), invocation('i-2', 0, 'Success', 'node2 healthy 7')],
      [invocation('i-1', 5, 'Failed', 'node1 unhealthy - mount: /sasdata is not mounted', 20)],
      [invocation('i-1', 10, 'Success', 'node1 healthy -')],
    );
    expect(await healthOf(client, 'document')).toMatchObject({
      'i-1': {
        is: 'unhealthy',
        name: 'node1',
        reasons: [{ code: 'mount', text: '/sasdata is not mounted' }],
      },
      'i-2': { is: 'healthy', usedPercent: 7 },
    });
  });

  test('nobody was asked: nothing is known', async () => {
    expect(await healthOf(rounds(), 'document')).toEqual({});
  });

  test('of storage servers only what speaks against one is told', async () => {
    const client = rounds([
      invocation('i-1', 0, 'Failed', 'nfs-00 3 fails nfsd does not run', 20),
      invocation('i-2', 0, 'Success', 'nfs-01 3 serves'),
    ]);
    expect(await saidOf(client, 'document')).toEqual({ 'i-1': 'nfsd does not run' });
  });

  test('a script goes to those that can be reached, in one command', async () => {
    const { client, sent } = stub(new SSMClient(OFFLINE), {
      DescribeInstanceInformation: () => ({
        InstanceInformationList: [
          { InstanceId: 'i-1', PingStatus: 'Online' },
          { InstanceId: 'i-2', PingStatus: 'ConnectionLost' },
        ],
      }),
      SendCommand: () => ({ Command: { CommandId: 'c' } }),
      ListCommandInvocations: () => ({ CommandInvocations: [invocation('i-1', 0, 'Success', 'said')] }),
    });
    expect(await runOn(client, ['i-1', 'i-2'], 'df\nexit 0')).toEqual({ 'i-1': 'said' });
    expect(sent.filter(({ command }) => command === 'SendCommand')).toEqual([
      expect.objectContaining({
        InstanceIds: ['i-1'],
        Parameters: { commands: ['df', 'exit 0'], executionTimeout: ['30'] },
      }),
    ]);
  });
});
