import type { CommandStatus, HostPort, Order } from '../../../lambda/volume-reconciler/ports';
import { drive, Process } from './drive';
import { SETTINGS, World } from './world';

const SHORT = { ...SETTINGS, recoveryTimeoutSeconds: 900 };
const FINDING = '0123456789abcdef';

const damage = (finding = FINDING, exitCode = 5): CommandStatus => ({
  state: 'failed',
  exitCode,
  detail: `serve: sasfs-OST0000 is damaged, and e2fsck would do only what loses nothing: it may be repaired once a snapshot of each volume is completed; finding ${finding}`,
});
const REPAIRING: CommandStatus = {
  state: 'failed',
  exitCode: 75,
  detail: 'serve: sasfs-OST0000 is still being repaired; call again',
};

/** A server is lost, and those that follow it answer what `says` says; undefined: they serve. */
async function damaged(
  says: (order: Order, world: World) => CommandStatus | undefined,
  { hours = 1, prepare = () => undefined }: { hours?: number; prepare?: (world: World) => void } = {},
) {
  const world = new World();
  expect((await drive(world, undefined, 'deployment', SHORT)).outcome).toBe('served');
  prepare(world);
  world.kill(world.ownerOf('oss-00')!);
  world.advance(1);
  const { hosts } = world.ports();
  const sent = new Map<string, CommandStatus>();
  const orders: Order[] = [];
  const tell: HostPort['tell'] = async (instanceId, order) => {
    const said = order.slot === 'oss-00' ? says(order, world) : undefined;
    if (order.slot === 'oss-00') orders.push(order);
    if (said === undefined) return hosts.tell(instanceId, order);
    const id = `said-${sent.size}`;
    sent.set(id, said);
    return { id };
  };
  const statuses: HostPort['statuses'] = async (asked, now) => {
    const found = { ...(await hosts.statuses(asked, now)) };
    for (const { slot, id } of asked) if (sent.has(id)) found[slot] = sent.get(id)!;
    return found;
  };
  const process = new Process({ ...world.ports(), hosts: { tell, statuses } });
  let result = await drive(world, process, 'run 0', SHORT, 3600, 20);
  for (let hour = 1; hour < hours && result.outcome !== 'served'; hour++)
    result = await drive(world, process, `run ${hour}`, SHORT, 3600, 20);
  const row = (await world.map.read()).slots.find(({ slot }) => slot === 'oss-00')!;
  const abandoned = world.completed.filter((each) => each.endsWith('ABANDON')).length;
  return { outcome: result.outcome, world, orders, row, abandoned };
}

test('a snapshot of each volume is made, once, and when all are completed the host is told to repair', async () => {
  let repairing = 0;
  const { outcome, world, orders, row, abandoned } = await damaged(({ repair }, { snapshots, now }) => {
    if (repairing > 0) return repairing++ < 5 ? REPAIRING : undefined;
    if (repair === undefined) return damage();
    expect(snapshots.every(({ at }) => now - at >= 90_000)).toBe(true);
    repairing = 1;
    return REPAIRING;
  });
  expect({ outcome, abandoned }).toEqual({ outcome: 'served', abandoned: 0 });
  expect(world.snapshots.map(({ volumeId }) => volumeId)).toEqual(
    row.volumes.map(({ volumeId }) => volumeId),
  );
  const told = orders.filter(({ repair }) => repair !== undefined);
  // Only once: what the host says after that is not about a repair that it may begin.
  expect(told).toHaveLength(1);
  expect(told[0]).toMatchObject({
    epoch: row.epoch,
    repair: { finding: FINDING, snapshotIds: world.snapshots.map(({ id }) => id) },
  });
});

test('snapshots of another finding count for nothing: the host found it again, or another one', async () => {
  let told = 0;
  const other = 'fedcba9876543210';
  const { outcome, orders, world } = await damaged(({ repair }) => {
    if (repair === undefined) return damage(told === 0 ? FINDING : other);
    told += 1;
    return told === 1 ? damage(other) : undefined;
  });
  expect(outcome).toBe('served');
  const repairs = orders.flatMap(({ repair }) => repair ?? []);
  expect(repairs.map(({ finding }) => finding)).toEqual([FINDING, other]);
  expect(new Set(repairs.flatMap(({ snapshotIds }) => snapshotIds)).size).toBe(world.snapshots.length);
});

test('a snapshot that the account forbids is for a person, who reads it; nothing is repaired, and nobody given up', async () => {
  const { outcome, orders, row, abandoned } = await damaged(() => damage(), {
    hours: 3,
    prepare: (world) => {
      world.snapshotsFail = 'UnauthorizedOperation';
    },
  });
  expect({ outcome, abandoned, phase: row.phase }).toEqual({
    outcome: 'out-of-time',
    abandoned: 0,
    phase: 'blocked',
  });
  expect(row.reason).toMatch(
    /^no snapshot of vol-\S+ can be made \(UnauthorizedOperation\); .*; finding 0123456789abcdef$/,
  );
  expect(orders.some(({ repair }) => repair !== undefined)).toBe(false);
  // A person may have repaired it: the host is asked now and then.
  expect(orders.length).toBeGreaterThan(20);
  expect(orders.length).toBeLessThan(60);
});

test('when it is allowed, it goes on', async () => {
  let told = 0;
  const { outcome } = await damaged(
    ({ repair }, world) => {
      told += 1;
      if (told === 3) world.snapshotsFail = undefined;
      return repair === undefined ? damage() : undefined;
    },
    {
      prepare: (world) => {
        world.snapshotsFail = 'SnapshotLimitExceeded';
      },
    },
  );
  expect(outcome).toBe('served');
});

test('a snapshot that fails is for a person; none is made in its place', async () => {
  const { outcome, orders, row, world } = await damaged(() => damage(), {
    prepare: (each) => {
      each.snapshotsFail = 'error';
    },
  });
  expect({ outcome, phase: row.phase }).toEqual({ outcome: 'out-of-time', phase: 'blocked' });
  expect(row.reason).toMatch(/^snap-00000001 of vol-\S+ has failed; host i-\S+ waits for snapshots/);
  expect(world.snapshots).toHaveLength(row.volumes.length);
  expect(orders.some(({ repair }) => repair !== undefined)).toBe(false);
});

test('one that waits for snapshots for a day is given up as one that repairs for a day', async () => {
  let first: string | undefined;
  const { abandoned } = await damaged(
    (_, world) => {
      first ??= world.ownerOf('oss-00');
      return world.ownerOf('oss-00') === first ? damage() : undefined;
    },
    {
      hours: 26,
      prepare: (world) => {
        world.snapshotsFail = 'UnauthorizedOperation';
      },
    },
  );
  expect(abandoned).toBe(1);
});

test.each([
  ['another exit code', damage(FINDING, 1)],
  ['no number', { ...damage(), detail: 'something else' }],
  ['a number that is none', damage('0123456789ABCDEF')],
])('an answer with %s is a failure like any other: no snapshot is made', async (_name, answer) => {
  const { world, abandoned } = await damaged(() => answer);
  expect(world.snapshots).toEqual([]);
  expect(abandoned).toBeGreaterThan(0);
});
