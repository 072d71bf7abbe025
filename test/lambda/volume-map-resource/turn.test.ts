import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoSeeds } from '../../../lambda/volume-map-resource/aws';
import { type NewRow, type SeedRequest, Superseded } from '../../../lambda/volume-map-resource/ports';
import { simulatedTable } from '../../helpers/simulated-table';

const row = (slot: string, more: Partial<NewRow> = {}): NewRow => ({
  slot,
  networkInterfaceId: `eni-${slot}`,
  address: '10.0.0.1',
  volumes: [{ volumeId: `vol-${slot}`, device: '/dev/sdf' }],
  formatted: false,
  formatOffered: false,
  epoch: 0,
  ...more,
});

function table() {
  const { simulated, handle } = simulatedTable();
  const failures: Error[] = [];
  const failuresOfUpdates: Error[] = [];
  const pauses: number[] = [];
  const clock = { now: 0 };
  const send = async (command: { input: object; constructor: { name: string } }) => {
    const operation = command.constructor.name.replace(/Command$/, '');
    const failing = { TransactWriteItems: failures, UpdateItem: failuresOfUpdates };
    const failure = failing[operation as keyof typeof failing]?.shift();
    if (failure) throw failure;
    return handle(operation, command.input);
  };
  const client = { send } as unknown as DynamoDBClient;
  const about = { step: 'serve', physicalId: 'oss/1', deletes: false } as const;
  const request = (requestId: string, stackId = 'stack', more: Partial<SeedRequest> = {}) =>
    new DynamoSeeds(
      client,
      'map',
      'oss',
      { ...about, stackId, requestId, ...more },
      { now: () => clock.now, sleep: async (ms) => void pauses.push(ms) },
    );
  return {
    simulated,
    failures,
    failuresOfUpdates,
    pauses,
    clock,
    request,
    slot: (name: string) => simulated.items.get(`slot#${name}`),
  };
}

const cancelled = (...codes: string[]) =>
  Object.assign(new Error('cancelled'), {
    name: 'TransactionCanceledException',
    CancellationReasons: codes.map((Code) => ({ Code })),
  });

test('an update that hung before it had a turn gets none when its rollback has begun', async () => {
  const { request, clock } = table();
  const update = request('update');
  clock.now += 60_000;
  expect(await request('rollback').takeOver()).toBeDefined();
  await expect(update.takeOver()).rejects.toThrow(Superseded);
});

describe('requests that say when CloudFormation made them', () => {
  const SECOND = 1000;
  const sent = (seconds: number) => ({ sentAt: seconds * SECOND });

  test('an update that is delivered for the first time after its rollback gets no turn', async () => {
    const { request, clock, simulated } = table();
    clock.now = 100 * SECOND;
    await request('rollback', 'stack', sent(91)).takeOver();
    clock.now += 60 * SECOND;
    await expect(request('update', 'stack', sent(90)).takeOver()).rejects.toThrow(Superseded);
    expect(simulated.items.get('seed')).toMatchObject({ requestId: 'rollback' });
  });

  test('a deployment after the rollback gets one at once, also with the same volumes', async () => {
    const { request } = table();
    await request('update', 'stack', sent(90)).takeOver();
    await request('rollback', 'stack', sent(95)).takeOver();
    expect(await request('growth again', 'stack', sent(99)).takeOver()).toBeDefined();
  });

  test('of the same second the order in which they come counts', async () => {
    const { request } = table();
    await request('one', 'stack', sent(90)).takeOver();
    expect(await request('next', 'stack', sent(90)).takeOver()).toBeDefined();
    await expect(request('one', 'stack', sent(90)).takeOver()).rejects.toThrow(Superseded);
  });

  test('clocks of functions are not asked', async () => {
    const { request, clock } = table();
    clock.now = 100 * SECOND;
    await request('update', 'stack', sent(90)).takeOver();
    clock.now = 97 * SECOND;
    expect(await request('rollback', 'stack', sent(95)).takeOver()).toBeDefined();
  });

  test.each([{ sentAt: null }, { sentAt: 'soon' }, { sentAt: 1e15 }, { requestId: 5 }, { requestId: null }])(
    'what somebody wrote keeps nobody out: %j',
    async (written) => {
      const { request, simulated } = table();
      await request('one', 'stack', sent(90)).takeOver();
      simulated.editRow('seed', (item) => void Object.assign(item, written));
      expect(await request('next', 'stack', sent(99)).takeOver()).toBeDefined();
    },
  );

  test('a deletion that comes again releases its own, and nothing that was created anew since', async () => {
    const { request, slot } = table();
    const deletion = () => request('delete', 'stack', { ...sent(95), deletes: true });
    await request('create', 'stack', sent(90)).takeOver();
    await request('create', 'stack', sent(90)).add(row('oss-00'), 'me');
    await deletion().takeOverFromOwn();
    await request('delete the other', 'stack', {
      ...sent(96),
      step: 'seed',
      deletes: true,
    }).takeOverFromOwn();
    expect((await deletion().takeOverFromOwn())?.slots).toHaveLength(1);
    // The tier is in the template again: the first of its two resources is created.
    await request('create the other', 'stack', {
      ...sent(99),
      step: 'seed',
      physicalId: 'oss-map/2',
    }).takeOver();
    expect(await deletion().takeOverFromOwn()).toBeUndefined();
    expect(slot('oss-00')).toMatchObject({ released: false });
  });
});

test('an update that is late writes nothing into what its rollback has made', async () => {
  const { request, slot } = table();
  const update = request('update');
  await update.takeOver();
  expect(await update.add(row('oss-00'), 'me')).toBe(true);
  const rollback = request('rollback');
  expect((await rollback.takeOver())?.slots.map((each) => each.slot)).toEqual(['oss-00']);
  expect(await rollback.retire('oss-00', 'me')).toBe(true);

  await expect(update.add(row('oss-01'), 'me')).rejects.toThrow(Superseded);
  await expect(update.takeBack('oss-00', 'me')).rejects.toThrow(Superseded);
  const other = { ...row('oss-00'), networkInterfaceId: 'eni-of-the-update', adopted: false };
  await expect(update.describeAnew(other, 0, false, 'me')).rejects.toThrow(Superseded);
  expect(slot('oss-01')).toBeUndefined();
  expect(slot('oss-00')).toMatchObject({ released: true, networkInterfaceId: 'eni-oss-00' });
});

test('an event that comes again goes on while it is its turn, and never takes the turn back', async () => {
  const { request } = table();
  await request('one').takeOver();
  await request('one').takeOver();
  expect(await request('one').add(row('oss-00'), 'me')).toBe(true);
  for (let later = 0; later < 40; later++) await request(`later-${later}`).takeOver();
  await expect(request('one').takeOver()).rejects.toThrow(/later request of CloudFormation/);
  expect(await request('later-39').takeBack('oss-00', 'me')).toBe(true);
});

test('what is remembered of earlier requests does not grow without end', async () => {
  const { simulated, request } = table();
  for (let each = 0; each < 120; each++) await request(`request-${each}`).takeOver();
  const { earlier } = simulated.items.get('seed') as { earlier: string[] };
  expect(earlier).toHaveLength(50);
  expect(earlier.at(-1)).toBe('request-118');
});

test('a deletion ends the turn of its own stack, and leaves that of another alone', async () => {
  const { request, slot } = table();
  const mine = request('create', 'mine');
  await mine.takeOver();
  await mine.add(row('oss-00'), 'me');
  await request('delete', 'of another stack').takeOverFromOwn();
  expect(await mine.takeBack('oss-00', 'me')).toBe(true);
  const deletion = request('delete', 'mine');
  expect((await deletion.takeOverFromOwn())?.slots).toHaveLength(1);
  expect(await deletion.letGo('oss-00', 'me')).toBe(true);
  await expect(mine.takeBack('oss-00', 'me')).rejects.toThrow(Superseded);
  expect(slot('oss-00')).toMatchObject({ released: true });
});

test('a deletion that was delivered again after a later one releases what is its own all the same', async () => {
  const { request } = table();
  await request('create').takeOver();
  await request('create').add(row('oss-00'), 'me');
  await request('delete', 'stack', { deletes: true }).takeOverFromOwn();
  await request('another delete', 'stack', { deletes: true }).takeOverFromOwn();
  expect((await request('delete', 'stack', { deletes: true }).takeOverFromOwn())?.slots).toHaveLength(1);
  expect(await request('delete', 'stack', { deletes: true }).letGo('oss-00', 'me')).toBe(true);
});

test('a deletion of what was created anew since releases nothing, and takes no turn', async () => {
  const { request, slot } = table();
  await request('create').takeOver();
  const again = request('create again', 'stack', { physicalId: 'oss/2' });
  await again.takeOver();
  await again.add(row('oss-00'), 'me');
  expect(await request('delete').takeOverFromOwn()).toBeUndefined();
  expect(await again.takeBack('oss-00', 'me')).toBe(true);
  // The tier's other resource has an id of its own, and what was never answered one that CloudFormation made up.
  const other = request('delete the other', 'stack', { step: 'seed', physicalId: 'oss-map/1' });
  expect((await other.takeOverFromOwn())?.slots).toHaveLength(1);
  const unanswered = request('delete a third', 'stack', { physicalId: undefined });
  expect((await unanswered.takeOverFromOwn())?.slots).toHaveLength(1);
  expect(slot('oss-00')).toMatchObject({ released: false });
});

test.each([
  [['None', 'TransactionConflict']],
  [['ThrottlingError', 'None']],
  [['None', 'ProvisionedThroughputExceeded']],
])('a write that is cancelled for %j is tried again after a pause, and not for ever', async (codes) => {
  const { failures, pauses, request } = table();
  const seeds = request('create');
  await seeds.takeOver();
  failures.push(...Array.from({ length: 3 }, () => cancelled(...codes)));
  expect(await seeds.add(row('oss-00'), 'me')).toBe(true);
  expect(pauses).toEqual([50, 100, 200]);
  failures.push(...Array.from({ length: 30 }, () => cancelled(...codes)));
  await expect(seeds.takeBack('oss-00', 'me')).rejects.toThrow('cancelled');
  expect(pauses.reduce((sum, ms) => sum + ms)).toBeLessThan(40_000);
});

const conflict = () => Object.assign(new Error('ongoing'), { name: 'TransactionConflictException' });

// The very case that turns are for: what is rolled back is still at it, with the turn's item in each of its
// transactions.
test('a rollback gets its turn in spite of the writes of the update that it undoes', async () => {
  const { failuresOfUpdates, pauses, request } = table();
  await request('update').takeOver();
  failuresOfUpdates.push(conflict(), conflict());
  const rollback = request('rollback');
  await rollback.takeOver();
  expect(pauses).toEqual([50, 100]);
  expect(await rollback.add(row('oss-00'), 'me')).toBe(true);
  await expect(request('update').takeOver()).rejects.toThrow(Superseded);
  failuresOfUpdates.push(...Array.from({ length: 30 }, conflict));
  await expect(request('another').takeOver()).rejects.toThrow('ongoing');
});

test('a deletion lets a row go that a repair is writing just then', async () => {
  const { failuresOfUpdates, request, slot } = table();
  await request('create').takeOver();
  await request('create').add(row('oss-00'), 'me');
  const deletion = request('delete');
  await deletion.takeOverFromOwn();
  failuresOfUpdates.push(conflict());
  expect(await deletion.letGo('oss-00', 'me')).toBe(true);
  expect(slot('oss-00')).toMatchObject({ released: true });
});

test('a write that is cancelled for what does not pass is not tried again', async () => {
  const { failures, pauses, request } = table();
  const seeds = request('create');
  await seeds.takeOver();
  failures.push(cancelled('None', 'ValidationError'));
  await expect(seeds.add(row('oss-00'), 'me')).rejects.toThrow('cancelled');
  expect(pauses).toEqual([]);
});

test('a slot that gets other volumes forgets the launches that failed for those before', async () => {
  const { request, simulated, slot } = table();
  const update = request('update');
  await update.takeOver();
  await update.add(row('oss-00'), 'me');
  simulated.editRow('slot#oss-00', (item) => {
    item.failedLaunches = { count: 3, since: '2026-01-01T00:00:00Z' };
  });
  const other = { ...row('oss-00'), networkInterfaceId: 'eni-other', adopted: false };
  expect(await update.describeAnew(other, 0, false, 'me')).toBe(true);
  expect(slot('oss-00')).toMatchObject({ networkInterfaceId: 'eni-other' });
  expect(slot('oss-00')).not.toHaveProperty('failedLaunches');
});
