import type { CommandStatus, Order } from '../../../lambda/volume-reconciler/ports';
import { changed, drive, Process } from './drive';
import { saying } from './said';
import { SETTINGS } from './settings';
import { Tier } from './tier';

const SHORT = { ...SETTINGS, recoveryTimeoutSeconds: 900 };
const FINDING = '0123456789abcdef';

const damage = (finding = FINDING, exitCode = 5): CommandStatus => ({
  state: 'failed',
  exitCode,
  detail:
    'serve: sasfs-OST0000 is damaged, and e2fsck would do only what loses nothing: it may be repaired once a ' +
    `snapshot of each volume is completed; finding ${finding}`,
});
const REPAIRING: CommandStatus = {
  state: 'failed',
  exitCode: 75,
  detail: 'serve: sasfs-OST0000 is still being repaired; call again',
};

/** What EC2 answers to CreateSnapshot; undefined: it makes one. */
interface Refusal {
  code?: string;
}

/** A server is lost, and those that follow it answer what `says` says; undefined: they serve. */
async function damaged(
  says: (order: Order, tier: Tier, refusal: Refusal) => CommandStatus | undefined,
  { hours = 1, code, failing = 0 }: { hours?: number; code?: string; failing?: number } = {},
) {
  const tier = await Tier.launched();
  expect((await drive(tier, undefined, 'deployment', SHORT)).outcome).toBe('served');
  for (const volume of tier.volumesOf('oss-00')) volume.failingSnapshots = failing;
  await tier.lose('oss-00');
  const refusal: Refusal = { code };
  const orders: Order[] = [];
  const hosts = saying((order) => {
    if (order.slot !== 'oss-00') return undefined;
    orders.push(order);
    return says(order, tier, refusal);
  });
  const process = new Process((ports) => ({
    ...hosts(ports),
    compute: changed(ports.compute, {
      createSnapshot: async (...asked) => {
        const { code: name } = refusal;
        if (name !== undefined) throw Object.assign(new Error(name), { name });
        return ports.compute.createSnapshot(...asked);
      },
    }),
  }));
  const idle = hours > 12 ? 55 : 20;
  let result = await drive(tier, process, 'run 0', SHORT, 3600, idle);
  for (let hour = 1; hour < hours && result.outcome !== 'served'; hour++)
    result = await drive(tier, process, `run ${hour}`, SHORT, 3600, idle);
  const snapshots = snapshotsOf(tier);
  const abandoned = tier.abandoned.length;
  return { outcome: result.outcome, tier, snapshots, orders, row: tier.rowOf('oss-00'), abandoned };
}

const snapshotsOf = ({ world }: Tier) => [...world.ec2.snapshots.all.values()];

test('a snapshot of each volume is made, once, and when all are completed the host is told to repair', async () => {
  let repairing = 0;
  const { outcome, snapshots, orders, row, abandoned } = await damaged(({ repair }, tier) => {
    if (repairing > 0) return repairing++ < 5 ? REPAIRING : undefined;
    if (repair === undefined) return damage();
    expect(snapshotsOf(tier).every(({ startedAt }) => tier.now - startedAt >= 90_000)).toBe(true);
    repairing = 1;
    return REPAIRING;
  });
  expect({ outcome, abandoned }).toEqual({ outcome: 'served', abandoned: 0 });
  expect(snapshots.map(({ volumeId }) => volumeId)).toEqual(row.volumes.map(({ volumeId }) => volumeId));
  const told = orders.filter(({ repair }) => repair !== undefined);
  // Only once: what the host says after that is not about a repair that it may begin.
  expect(told).toHaveLength(1);
  expect(told[0]).toMatchObject({
    epoch: row.epoch,
    repair: { finding: FINDING, snapshotIds: snapshots.map(({ id }) => id) },
  });
});

test('snapshots of another finding count for nothing: the host found it again, or another one', async () => {
  let told = 0;
  const other = 'fedcba9876543210';
  const { outcome, orders, snapshots } = await damaged(({ repair }) => {
    if (repair === undefined) return damage(told === 0 ? FINDING : other);
    told += 1;
    return told === 1 ? damage(other) : undefined;
  });
  expect(outcome).toBe('served');
  const repairs = orders.flatMap(({ repair }) => repair ?? []);
  expect(repairs.map(({ finding }) => finding)).toEqual([FINDING, other]);
  expect(new Set(repairs.flatMap(({ snapshotIds }) => snapshotIds)).size).toBe(snapshots.length);
});

test('a snapshot that the account forbids is for a person: nothing is repaired, and nobody given up', async () => {
  const { outcome, orders, row, abandoned } = await damaged(() => damage(), {
    hours: 3,
    code: 'UnauthorizedOperation',
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
    ({ repair }, _tier, refusal) => {
      told += 1;
      if (told === 3) refusal.code = undefined;
      return repair === undefined ? damage() : undefined;
    },
    { code: 'SnapshotLimitExceeded' },
  );
  expect(outcome).toBe('served');
});

test('a snapshot that fails is for a person; none is made in its place', async () => {
  const { outcome, orders, row, snapshots } = await damaged(() => damage(), {
    failing: 1,
  });
  expect({ outcome, phase: row.phase }).toEqual({ outcome: 'out-of-time', phase: 'blocked' });
  expect(row.reason).toMatch(/^snap-\S+ of vol-\S+ has failed; host i-\S+ waits for snapshots/);
  expect(snapshots).toHaveLength(row.volumes.length);
  expect(orders.some(({ repair }) => repair !== undefined)).toBe(false);
});

test('one that waits for snapshots for a day is given up as one that repairs for a day', async () => {
  let first: string | undefined;
  const { abandoned } = await damaged(
    (_, tier) => {
      first ??= tier.ownerOf('oss-00');
      return tier.ownerOf('oss-00') === first ? damage() : undefined;
    },
    {
      hours: 26,
      code: 'UnauthorizedOperation',
    },
  );
  expect(abandoned).toBe(1);
});

test.each([
  ['another exit code', damage(FINDING, 1)],
  ['no number', { ...damage(), detail: 'something else' }],
  ['a number that is none', damage('0123456789ABCDEF')],
])('an answer with %s is a failure like any other: no snapshot is made', async (_name, answer) => {
  const { snapshots, abandoned } = await damaged(() => answer);
  expect(snapshots).toEqual([]);
  expect(abandoned).toBeGreaterThan(0);
});
