import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoVolumeMap } from '../../../lambda/volume-reconciler/aws-map';
import { LEASE_MS } from '../../../lambda/volume-reconciler/settings';
import { simulatedTable } from '../../helpers/simulated-table';

const NOW = Date.parse('2026-01-01T12:00:00Z');

function table() {
  const { simulated, handle } = simulatedTable();
  const send = async (command: { input: object; constructor: { name: string } }) =>
    handle(command.constructor.name.replace(/Command$/, ''), command.input);
  const map = new DynamoVolumeMap({ send } as unknown as DynamoDBClient, 'map', 'oss');
  const take = (holder: string, now = NOW) => map.takeLease(holder, now, now + LEASE_MS);
  return { map, simulated, take };
}

test('a lease is its holder’s until it ends, and the holder hears of others', async () => {
  const { map, take } = table();
  expect(await take('one')).toEqual({ wakeups: 0, beatAt: 0 });
  expect(await take('two')).toBeUndefined();
  expect(await map.wakeHolder(NOW)).toBe(true);
  expect(await take('one', NOW + 1000)).toMatchObject({ wakeups: 1 });
  expect(await take('two', NOW + LEASE_MS)).toBeUndefined();
  expect(await take('two', NOW + LEASE_MS + 3000)).toBeDefined();
});

test.each([
  ['that has no end', { expires: undefined }],
  ['for longer than anybody takes one', { expires: NOW / 1000 + 86_400 }],
  ['until what is no time', { expires: 'tomorrow' }],
])('a lease %s, written by hand, keeps nobody out', async (_name, change) => {
  const { simulated, take } = table();
  await take('one');
  simulated.editRow('lease', (row) => {
    for (const [name, value] of Object.entries(change)) {
      if (value === undefined) delete row[name];
      else row[name] = value;
    }
  });
  expect(await take('two')).toBeDefined();
});

test.each(['soon', NOW + 86_400_000])('heartbeats that were noted for %s are due', async (beatAt) => {
  const { simulated, take } = table();
  await take('one');
  simulated.editRow('lease', (row) => {
    row.beatAt = beatAt;
  });
  expect(await take('one')).toMatchObject({ beatAt: 0 });
});

test('wake-ups that are no number are counted anew', async () => {
  const { map, simulated, take } = table();
  await take('one');
  simulated.editRow('lease', (row) => {
    row.wakeups = 'many';
  });
  expect(await map.wakeHolder(NOW)).toBe(false);
  expect(await take('one')).toMatchObject({ wakeups: 0 });
  expect(await map.wakeHolder(NOW)).toBe(true);
  expect(await take('one')).toMatchObject({ wakeups: 1 });
});
