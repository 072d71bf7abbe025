import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { toItem } from '../../../lambda/shared/attributes';
import { DynamoVolumeMap } from '../../../lambda/volume-reconciler/aws-map';
import { simulatedTable } from '../../helpers/simulated-table';

const claim = { slot: 'oss-00', owner: 'i-1', epoch: 1 };
const note = { phase: 'serving', timeline: {} };

function table() {
  const { simulated, handle } = simulatedTable();
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
    edit: (change: object) => simulated.editRow('slot#oss-00', (row) => Object.assign(row, change)),
    epoch: () => (simulated.items.get('slot#oss-00') as { epoch: number }).epoch,
    servedEpoch: () => (simulated.items.get('slot#oss-00') as { servedEpoch: number }).servedEpoch,
  };
}

// A worker may sleep between what it saw and its write. Meanwhile a volume was taken off by hand and is back: the
// host's mount is dead.
test('what a command once came to serve is not noted after something came off', async () => {
  const { map, servedEpoch } = table();
  const tell = async (sentAt: string, id: string) => {
    await map.beginCommand(claim, { sentAt, attempts: 1, failures: 0 }, note, false);
    await map.recordCommand(claim, sentAt, id);
  };
  await map.claim({ ...claim, epoch: 0 }, '2026-01-01T00:00:00Z', {});
  await tell('first', 'c-1');
  await map.unserve(claim, { ...note, reason: 'something of the slot was detached after the host was told' });
  expect(await map.markServed(claim, 'c-1', {}, [])).toBe(false);
  await tell('second', 'c-2');
  expect(await map.markServed(claim, 'c-1', {}, [])).toBe(false);
  expect(servedEpoch()).toBe(0);
  expect(await map.markServed(claim, 'c-2', {}, [])).toBe(true);
  expect(servedEpoch()).toBe(1);
});

// Somebody has lowered the epoch of the row, which was served: a late claim finds its epoch again.
test.each([
  [2, true],
  [3, false],
])('a claim at epoch 2 of a row that was served at epoch %s is granted: %s', async (served, granted) => {
  const { map, edit, epoch } = table();
  edit({ epoch: 2, servedEpoch: served });
  expect(await map.claim({ ...claim, epoch: 2 }, '2026-01-01T00:00:00Z', {})).toBe(granted);
  expect(epoch()).toBe(granted ? 3 : 2);
});
