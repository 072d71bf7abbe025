import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SFNClient } from '@aws-sdk/client-sfn';
import { STEP_TIMEOUT } from '../../../../constructs/operations/operations';
import { fromItem, type Plain, toItem } from '../../../../lambda/shared/attributes';
import { OperationLock, STEP_MS } from '../../../../lambda/shared/operation/lock';

const OFFLINE = { region: 'us-east-1', credentials: { accessKeyId: 'x', secretAccessKey: 'x' } };
const SINCE = '2026-01-01T20:00:00.000Z';
const LATER = '2026-01-01T21:00:00.000Z';

const named = (name: string) => Object.assign(new Error(name), { name });

/** A table with one item, whose conditions are those of the lock, and executions. */
class Account {
  item?: { [name: string]: Plain };
  /** By ARN; an error is thrown. */
  readonly executions = new Map<string, string | Error>();
  /** Happens between what is read and what is written. */
  meanwhile?: () => void;
  readonly lock = new OperationLock(
    'table',
    this.client(new DynamoDBClient(OFFLINE), (name, input) => this.dynamo(name, input)),
    this.client(new SFNClient(OFFLINE), (_name, { executionArn }) => {
      const status = this.executions.get(String(executionArn)) ?? named('ExecutionDoesNotExist');
      if (status instanceof Error) throw status;
      return { status };
    }),
  );

  // biome-ignore lint/suspicious/noExplicitAny: what goes through a client is of every type
  private client<C extends object>(client: C, answer: (name: string, input: any) => unknown): C {
    const send = async (command: { input: unknown; constructor: { name: string } }) =>
      answer(command.constructor.name, command.input);
    return Object.assign(client, { send });
  }

  // biome-ignore lint/suspicious/noExplicitAny: as above
  private dynamo(name: string, input: any): unknown {
    expect(input).toMatchObject({ TableName: 'table', Key: { id: { S: 'lock' } } });
    if (name === 'GetItemCommand') {
      expect(input.ConsistentRead).toBe(true);
      return { Item: this.item && toItem(this.item) };
    }
    this.meanwhile?.();
    const values: { [name: string]: Plain } = fromItem(input.ExpressionAttributeValues);
    const wanted = { 'execution = :held': values[':held'], 'execution = :execution': values[':execution'] };
    const condition: string = input.ConditionExpression;
    const holds =
      condition === 'attribute_not_exists(id)'
        ? this.item === undefined
        : this.item?.execution === wanted[condition as keyof typeof wanted];
    if (!holds) throw named('ConditionalCheckFailedException');
    if (name === 'DeleteItemCommand') this.item = undefined;
    else {
      const assignments = String(input.UpdateExpression).replace('SET ', '').replaceAll('#', '').split(', ');
      const set = assignments.map((one) => one.split(' = ') as [string, string]);
      this.item = { ...this.item, ...Object.fromEntries(set.map(([key, value]) => [key, values[value]!])) };
    }
    return {};
  }
}

/** With `stop`, held by an execution. */
async function heldBy(execution: string, status?: string | Error): Promise<Account> {
  const account = new Account();
  await account.lock.take('stop', execution, SINCE);
  if (status) account.executions.set(execution, status);
  return account;
}

test('the first one has it, with nothing done', async () => {
  const account = new Account();
  const held = { operation: 'stop', execution: 'a', since: SINCE, progress: {} };
  await expect(account.lock.take('stop', 'a', SINCE)).resolves.toEqual(held);
  expect(account.item).toEqual({ ...held, at: SINCE, step: 'it begins' });
});

test('its next step finds what the one before noted', async () => {
  const account = await heldBy('a', 'RUNNING');
  await account.lock.note('a', 'nodes stop', { asked: ['2026', 'c-1'], node: 'i-1' });
  await expect(account.lock.take('stop', 'a', LATER)).resolves.toMatchObject({
    since: SINCE,
    progress: { asked: ['2026', 'c-1'], node: 'i-1' },
  });
  expect(account.item).toMatchObject({ step: 'nodes stop' });
});

test.each(['RUNNING', 'PENDING_REDRIVE'])('an execution that is %s keeps it', async (status) => {
  const account = await heldBy('a', status);
  await expect(account.lock.take('start', 'b', LATER)).resolves.toMatchObject({
    operation: 'stop',
    execution: 'a',
  });
  expect(account.item).toMatchObject({ execution: 'a', since: SINCE });
});

test.each([
  'SUCCEEDED',
  'FAILED',
  'TIMED_OUT',
  'ABORTED',
  named('ExecutionDoesNotExist'),
  named('InvalidArn'),
])('from one that is %s it is taken, and its progress is forgotten', async (status) => {
  const account = await heldBy('a', status);
  await account.lock.note('a', 'nodes stop', { asked: ['c-1'] });
  await expect(account.lock.take('start', 'b', LATER)).resolves.toEqual({
    operation: 'start',
    execution: 'b',
    since: LATER,
    progress: {},
  });
  expect(account.item).toMatchObject({ execution: 'b', progress: {} });
});

test.each(['ABORTED', named('ExecutionDoesNotExist')])(
  'a step of one that is %s may still run: nobody has it until that has ended',
  async (status) => {
    const account = await heldBy('a', status);
    account.executions.set('a', 'RUNNING');
    await account.lock.take('stop', 'a', LATER);
    account.executions.set('a', status);
    const after = (ms: number) => new Date(Date.parse(LATER) + ms).toISOString();
    await expect(account.lock.take('start', 'b', after(STEP_MS))).resolves.toMatchObject({
      execution: 'a',
      ending: true,
    });
    expect(account.item).toMatchObject({ execution: 'a', at: LATER });
    await expect(account.lock.take('start', 'b', after(STEP_MS + 1))).resolves.toMatchObject({
      execution: 'b',
    });
  },
);

test('longer than the functions of operations may take, and not much', () => {
  expect(STEP_MS).toBeGreaterThan(STEP_TIMEOUT.toMilliseconds());
  expect(STEP_MS).toBeLessThan(2 * STEP_TIMEOUT.toMilliseconds());
});

test('a step of which another execution has taken the lock since does nothing', async () => {
  const account = await heldBy('a');
  account.meanwhile = () => {
    account.item = { ...account.item!, execution: 'b' };
  };
  await expect(account.lock.take('stop', 'a', LATER)).rejects.toThrow('taken by another execution');
});

test('whether it runs cannot be told: nobody takes it', async () => {
  const account = await heldBy('a', named('ThrottlingException'));
  await expect(account.lock.take('start', 'b', LATER)).rejects.toThrow('ThrottlingException');
  expect(account.item).toMatchObject({ execution: 'a' });
});

test.each(['free', 'left by one that died'])(
  'of two that want it at once, when it is %s, one has it',
  async (was) => {
    const account = was === 'free' ? new Account() : await heldBy('a', 'ABORTED');
    account.meanwhile = () => {
      account.item = { id: 'lock', operation: 'start', execution: 'c', since: LATER, progress: {} };
    };
    await expect(account.lock.take('stop', 'b', LATER)).resolves.toMatchObject({
      operation: 'start',
      execution: 'c',
    });
    expect(account.item).toMatchObject({ execution: 'c' });
  },
);

test('one that was freed meanwhile is taken by the next step', async () => {
  const account = await heldBy('a', 'ABORTED');
  account.meanwhile = () => {
    account.item = undefined;
  };
  await expect(account.lock.take('stop', 'b', LATER)).rejects.toThrow('try again');
});

test('whoever lost it changes nothing any more', async () => {
  const account = await heldBy('b');
  const { item } = account;
  await account.lock.note('a', 'nodes stop', { asked: ['c-1'] });
  await account.lock.free('a');
  expect(account.item).toEqual(item);
  await account.lock.free('b');
  expect(account.item).toBeUndefined();
  // As after an answer that was lost.
  await account.lock.free('b');
});
