import { toItem } from '../../lambda/shared/attributes';
import { NO_FAULTS } from '../../proof/simulation/aws/call';
import type { Context } from '../../proof/simulation/aws/context';
import { holds, updated } from '../../proof/simulation/aws/dynamodb/evaluate';
import { parseCondition, parseUpdate } from '../../proof/simulation/aws/dynamodb/parser';
import { SimulatedDynamoDb } from '../../proof/simulation/aws/dynamodb/table';
import { TIMINGS } from '../../proof/simulation/aws/timings';
import { Random } from '../../proof/simulation/core/random';
import { Scheduler } from '../../proof/simulation/core/scheduler';

const ITEM = toItem({
  tier: 'oss',
  item: 'slot#1',
  epoch: 3,
  owner: 'i-1',
  done: false,
  command: { sentAt: 'now' },
});
const VALUES = toItem({
  ':i1': 'i-1',
  ':i2': 'i-2',
  ':three': 3,
  ':four': 4,
  ':text': '3',
  ':no': false,
  ':now': 'now',
});
const ALIASES = { names: { '#owner': 'owner', '#command': 'command' }, values: VALUES };

test.each([
  ['#owner = :i1 AND epoch = :three', true],
  ['#owner = :i2 OR epoch >= :three', true],
  ['#owner = :i2 OR epoch = :three AND #owner = :i2', false],
  ['(#owner = :i2 OR epoch = :three) AND #owner = :i1', true],
  ['NOT #owner = :i1', false],
  ['NOT (#owner = :i2 AND epoch = :three)', true],
  ['epoch = :text', false],
  ['epoch <> :text', true],
  ['epoch < :four', true],
  ['missing < :four', false],
  ['missing <> :four', false],
  ['done = :no', true],
  ['attribute_exists(#owner)', true],
  ['attribute_not_exists(missing) AND attribute_exists(tier)', true],
  ['attribute_exists(#command.sentAt)', true],
  ['#command.sentAt = :now', true],
  ['#command.missing = :now', false],
  ['begins_with(#owner, :i1)', true],
])('the condition %s holds: %s', (text, expected) => {
  expect(holds(parseCondition(text).tree, ITEM, ALIASES)).toBe(expected);
});

test('an update sets from the values before, removes, adds and leaves the item alone', () => {
  const update = parseUpdate(
    'SET #owner = :i2, again = #owner, epoch = epoch + :four, kept = if_not_exists(done, :i1), ' +
      'made = if_not_exists(nothing, :i1), #command.id = :i1 REMOVE done, absent ADD wakeups :three',
  );
  const after = updated(update.tree, ITEM, ALIASES);
  expect(after).toEqual(
    toItem({
      tier: 'oss',
      item: 'slot#1',
      owner: 'i-2',
      again: 'i-1',
      epoch: 7,
      kept: false,
      made: 'i-1',
      command: { sentAt: 'now', id: 'i-1' },
      wakeups: 3,
    }),
  );
  expect(ITEM.owner).toEqual({ S: 'i-1' });
  expect(ITEM.command).toEqual(toItem({ c: { sentAt: 'now' } }).c);
});

test.each([
  ['SET missing.member = :i1', 'document path'],
  ['SET a = missing', 'does not exist in the item'],
  ['SET a = :i1, a.b = :i2', 'overlap'],
  ['SET a = :i1 SET b = :i2', 'only be used once'],
  ['DELETE a :i1', 'not simulated'],
])('the update %s is refused', (text, message) => {
  expect(() => updated(parseUpdate(text).tree, ITEM, ALIASES)).toThrow(message);
});

test.each(['size(a) > :three', 'a BETWEEN :three AND :four', 'a = ', 'a = :b c', '"'])(
  'the condition %s is refused',
  (text) => {
    expect(() => parseCondition(text)).toThrow(/Invalid expression/);
  },
);

function table() {
  const scheduler = new Scheduler(0);
  const context: Context = {
    scheduler,
    timings: TIMINGS,
    faults: NO_FAULTS,
    observer: {},
    random: (name) => new Random(1).fork(name),
  };
  const simulated = new SimulatedDynamoDb(context, 'map', 'oss');
  const call = {
    index: 0,
    worker: 'test',
    service: 'dynamodb',
    operation: '',
    input: {},
    at: 0,
    attempt: 1,
  } as const;
  return {
    simulated,
    scheduler,
    send: (operation: string, input: object) => simulated.handle(operation, input, call),
  };
}

const KEY = { tier: { S: 'oss' }, item: { S: 'lease' } };

test('an update on condition writes once, and says which condition failed by name', () => {
  const { simulated, send } = table();
  const take = {
    TableName: 'map',
    Key: KEY,
    UpdateExpression: 'SET holder = :me',
    ConditionExpression: 'attribute_not_exists(holder)',
    ExpressionAttributeValues: { ':me': { S: 'a' } },
  };
  expect(send('UpdateItem', { ...take, ReturnValues: 'ALL_NEW' })).toEqual({
    Attributes: { ...KEY, holder: { S: 'a' } },
  });
  expect(() => send('UpdateItem', take)).toThrow(
    expect.objectContaining({ name: 'ConditionalCheckFailedException' }),
  );
  expect(simulated.items.get('lease')).toEqual({ tier: 'oss', item: 'lease', holder: 'a' });
});

test.each([
  [{ ExpressionAttributeValues: { ':me': { S: 'a' }, ':unused': { S: 'b' } } }, /unused/],
  [{ ExpressionAttributeValues: {} }, /not defined/],
  [{ TableName: 'another' }, /not found/],
  [{ ReturnConsumedCapacity: 'TOTAL' }, /not simulated/],
])('an update with %j is refused', (change, message) => {
  const { send } = table();
  const values = { ':me': { S: 'a' } };
  const input = {
    TableName: 'map',
    Key: KEY,
    UpdateExpression: 'SET holder = :me',
    ExpressionAttributeValues: values,
  };
  expect(() => send('UpdateItem', { ...input, ...change })).toThrow(message);
});

test('a transaction is all or nothing, gives a reason for each item, and is done once per token', async () => {
  const { simulated, scheduler, send } = table();
  const put = (item: string) => ({
    Put: {
      TableName: 'map',
      Item: { tier: { S: 'oss' }, item: { S: item } },
      ConditionExpression: 'attribute_not_exists(tier)',
    },
  });
  send('TransactWriteItems', { TransactItems: [put('a')], ClientRequestToken: 'one' });
  const refused = expect.objectContaining({
    name: 'TransactionCanceledException',
    CancellationReasons: [
      expect.objectContaining({ Code: 'None' }),
      expect.objectContaining({ Code: 'ConditionalCheckFailed' }),
    ],
  });
  const both = { TransactItems: [put('b'), put('a')], ClientRequestToken: 'two' };
  expect(() => send('TransactWriteItems', both)).toThrow(refused);
  expect([...simulated.items.keys()]).toEqual(['a']);
  // The SDK's repeat of what was done.
  expect(send('TransactWriteItems', { TransactItems: [put('a')], ClientRequestToken: 'one' })).toEqual({});
  expect(() => send('TransactWriteItems', { TransactItems: [put('c')], ClientRequestToken: 'one' })).toThrow(
    /differ/,
  );
  await scheduler.run(11 * 60_000);
  expect(() => send('TransactWriteItems', { TransactItems: [put('a')], ClientRequestToken: 'one' })).toThrow(
    /cancelled/,
  );
});

test('a query pages in the order of the keys', () => {
  const { send } = table();
  for (const item of ['slot#2', 'lease', 'slot#1']) {
    send('PutItem', { TableName: 'map', Item: { tier: { S: 'oss' }, item: { S: item } } });
  }
  const query = {
    TableName: 'map',
    ConsistentRead: true,
    KeyConditionExpression: 'tier = :tier',
    ExpressionAttributeValues: { ':tier': { S: 'oss' } },
    Limit: 2,
  };
  const first = send('Query', query) as { Items: object[]; LastEvaluatedKey: object };
  expect(first.LastEvaluatedKey).toEqual({ tier: { S: 'oss' }, item: { S: 'slot#1' } });
  const second = send('Query', { ...query, ExclusiveStartKey: first.LastEvaluatedKey }) as {
    Items: object[];
  };
  expect([...first.Items, ...second.Items].map((item) => (item as typeof KEY).item.S)).toEqual([
    'lease',
    'slot#1',
    'slot#2',
  ]);
});

test('rows are edited and deleted by hand', () => {
  const { simulated, send } = table();
  send('PutItem', { TableName: 'map', Item: { ...KEY, holder: { S: 'a' }, wakeups: { N: '1' } } });
  expect(
    simulated.editRow('lease', (row) => {
      row.wakeups = 'many';
      delete row.holder;
    }),
  ).toBe(true);
  expect(simulated.items.get('lease')).toEqual({ tier: 'oss', item: 'lease', wakeups: 'many' });
  expect([simulated.deleteRow('lease'), simulated.deleteRow('lease'), simulated.items.size]).toEqual([
    true,
    false,
    0,
  ]);
});
