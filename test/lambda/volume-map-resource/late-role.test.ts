import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoSeeds } from '../../../lambda/volume-map-resource/aws';
import { handle } from '../../../lambda/volume-map-resource/handler';
import type { Ports } from '../../../lambda/volume-map-resource/ports';
import { simulatedTable } from '../../helpers/simulated-table';

/** Requests of one stack, each handled as a function of its own does, with a role that may count late. */
class Requests {
  readonly table = simulatedTable();
  readonly answers: { RequestId: string; Status: string; Reason: string }[] = [];
  now = 0;

  /** @param whileDenied what happens while the first call of the request is refused; undefined when the role counts */
  async handle(
    requestId: string,
    type: string,
    slots: readonly string[],
    whileDenied?: () => Promise<unknown>,
  ): Promise<void> {
    let denied = whileDenied !== undefined;
    const send = async (command: { input: object; constructor: { name: string } }) => {
      if (denied) throw Object.assign(new Error('not authorized'), { name: 'AccessDeniedException' });
      return this.table.handle(command.constructor.name.replace(/Command$/, ''), command.input);
    };
    const sleep = async (ms: number): Promise<void> => {
      this.now += ms;
      const then = whileDenied;
      whileDenied = undefined;
      await then?.();
      denied = false;
    };
    const timer = { now: () => this.now, sleep };
    const ports: Ports = {
      log: { info: () => undefined, error: () => undefined, metrics: () => undefined },
      timer,
      volumes: {
        factsOf: async (ids) => ids.map((volumeId) => ({ volumeId, holdsData: false, multiAttach: false })),
        begunAt: async () => new Map(),
        labelsOf: async () => [],
        ofSet: async () => [],
      },
      answers: { put: async (_url, body) => void this.answers.push(JSON.parse(body)) },
      workflow: () => ({ start: async () => undefined }),
      seeds: (table, tier, request) =>
        new DynamoSeeds({ send } as unknown as DynamoDBClient, table, tier, request, timer),
    };
    this.now += 1000;
    await handle(
      {
        RequestType: type,
        ResponseURL: 'https://answers.example/x',
        StackId: 'stack',
        RequestId: requestId,
        LogicalResourceId: 'Map',
        ...(type === 'Create' ? {} : { PhysicalResourceId: 'oss-map/create' }),
        ResourceProperties: properties(slots),
        ...(type === 'Create' ? {} : { OldResourceProperties: properties(['oss-00']) }),
      },
      ports,
    );
  }

  answerTo(requestId: string) {
    return this.answers.find((answer) => answer.RequestId === requestId);
  }
}

const properties = (slots: readonly string[]) => ({
  Tier: 'oss',
  Table: 'map',
  StateMachineArn: 'arn',
  TimeoutSeconds: '3300',
  SeededFor: 'tier-of-this-stack',
  Step: 'seed',
  Slots: slots.map((slot) => ({
    slot,
    networkInterfaceId: `eni-${slot}`,
    address: '10.0.0.1',
    adopted: 'false',
    volumes: [{ volumeId: `vol-${slot}`, device: '/dev/sdf' }],
  })),
});

test('an update whose role counts only when it is rolled back leaves the rows to its rollback', async () => {
  const requests = new Requests();
  await requests.handle('create', 'Create', ['oss-00']);
  await requests.handle('update', 'Update', ['oss-00', 'oss-01'], async () => {
    requests.now += 10_000;
    await requests.handle('rollback', 'Update', ['oss-00']);
    requests.now += 10_000;
  });
  expect(requests.answerTo('rollback')).toMatchObject({ Status: 'SUCCESS' });
  expect(requests.answerTo('update')).toMatchObject({
    Status: 'FAILED',
    Reason: expect.stringContaining('a later request of CloudFormation'),
  });
  expect([...requests.table.simulated.items.keys()].filter((item) => item.startsWith('slot#'))).toEqual([
    'slot#oss-00',
  ]);
});

test('an update whose role counts a little later does what it is for', async () => {
  const requests = new Requests();
  await requests.handle('create', 'Create', ['oss-00']);
  await requests.handle('update', 'Update', ['oss-00', 'oss-01'], async () => undefined);
  expect(requests.answerTo('update')).toMatchObject({ Status: 'SUCCESS' });
  expect(requests.table.simulated.items.has('slot#oss-01')).toBe(true);
});
