import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { toItem } from '../../../lambda/shared/attributes';
import { DynamoVolumeMap } from '../../../lambda/volume-reconciler/aws-map';
import { NO_FAULTS } from '../../../simulation/aws/call';
import { SimulatedDynamoDb } from '../../../simulation/aws/dynamodb/table';
import { TIMINGS } from '../../../simulation/aws/timings';
import { Random } from '../../../simulation/core/random';
import { Scheduler } from '../../../simulation/core/scheduler';

const claim = { slot: 'oss-00', owner: 'i-1', epoch: 1 };
const note = { phase: 'serving', timeline: {} };

function table() {
  const random = (name: string) => new Random(1).fork(name);
  const context = {
    scheduler: new Scheduler(0),
    timings: TIMINGS,
    faults: NO_FAULTS,
    observer: {},
    random,
  };
  const simulated = new SimulatedDynamoDb(context, 'map', 'oss');
  const call = { index: 0, worker: 'test', service: 'dynamodb', input: {}, at: 0, attempt: 1 } as const;
  const handle = (operation: string, input: object) =>
    simulated.handle(operation, input, { ...call, operation });
  const client = {
    send: async (command: { input: object; constructor: { name: string } }) =>
      handle(command.constructor.name.replace(/Command$/, ''), command.input),
  };
  const seeded = {
    tier: 'oss',
    item: 'slot#oss-00',
    slot: 'oss-00',
    epoch: 0,
    servedEpoch: 0,
    released: false,
  };
  handle('TransactWriteItems', { TransactItems: [{ Put: { TableName: 'map', Item: toItem(seeded) } }] });
  return {
    map: new DynamoVolumeMap(client as unknown as DynamoDBClient, 'map', 'oss'),
    servedEpoch: () => (simulated.items.get('slot#oss-00') as { servedEpoch: number }).servedEpoch,
  };
}

// A worker may sleep between what it saw and its write. Meanwhile a volume was taken off by hand and is back: the host's mount is dead.
test('what a command once came to serve is not noted after something came off', async () => {
  const { map, servedEpoch } = table();
  const tell = async (sentAt: string, id: string) => {
    await map.beginCommand(claim, { sentAt, attempts: 1, failures: 0 }, note, false);
    await map.recordCommand(claim, sentAt, id);
  };
  await map.claim({ ...claim, epoch: 0 }, '2026-01-01T00:00:00Z', {});
  await tell('first', 'c-1');
  await map.unserve(claim, { ...note, reason: 'something of the slot was detached after the host was told' });
  expect(await map.markServed(claim, 'c-1', {})).toBe(false);
  await tell('second', 'c-2');
  expect(await map.markServed(claim, 'c-1', {})).toBe(false);
  expect(servedEpoch()).toBe(0);
  expect(await map.markServed(claim, 'c-2', {})).toBe(true);
  expect(servedEpoch()).toBe(1);
});
