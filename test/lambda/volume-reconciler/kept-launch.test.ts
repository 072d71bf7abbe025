import type { Ports } from '../../../lambda/volume-reconciler/ports';
import { sample, upTo } from '../../helpers/exhaustive';
import { callsOf, changed, drive, driveSlowly, Process } from './drive';
import { row, SETTINGS, SILENT } from './settings';
import { Tier, type TierOptions } from './tier';

const FOR_EVER = 20_000;

async function deployed(options: TierOptions = {}): Promise<Tier> {
  const tier = await Tier.launched(options);
  expect((await drive(tier, undefined, 'deployment')).outcome).toBe('served');
  return tier;
}

async function lost(tier: Tier, slot = 'oss-00'): Promise<Tier> {
  await tier.lose(slot);
  return tier;
}

/** A process whose last metrics are kept. */
function watched(more: (ports: Ports) => Partial<Ports> = () => ({})): {
  process: Process;
  metrics: () => Record<string, number>;
} {
  const last: Record<string, number> = {};
  const log = {
    ...SILENT,
    metrics: (_tier: string, values: Record<string, number>) => Object.assign(last, values),
  };
  return { process: new Process((ports) => ({ log, ...more(ports) })), metrics: () => last };
}

test('after three failed launches the fourth is kept, is told again, and serves when the cause is mended', async () => {
  const tier = await lost(await deployed());
  tier.hostsFail(1, FOR_EVER);
  const { process, metrics } = watched();
  for (const execution of ['one', 'two', 'three']) {
    expect((await drive(tier, process, execution, SETTINGS, 3600)).outcome).toBe('out-of-time');
  }
  const kept = tier.ownerOf('oss-00')!;
  expect(tier.abandoned).toHaveLength(3);
  expect(tier.lifecycleOf(kept)).toBe('Pending:Wait');
  expect(tier.rowOf('oss-00')).toMatchObject({ phase: 'blocked', failedLaunches: { count: 3 } });
  const { reason } = tier.rowOf('oss-00');
  expect(reason).toBe(
    `host ${kept} failed to serve 3 times: as told by the simulation; ${kept} is kept for inspection, since 3 ` +
      'launches before it failed',
  );
  expect(metrics()).toMatchObject({ FailingLaunchesKept: 1, UnreachableLaunchesKept: 0, EndedLaunches: 0 });

  tier.hostsServeAgain();
  expect((await drive(tier, process, 'four')).outcome).toBe('served');
  expect(tier.ownerOf('oss-00')).toBe(kept);
  expect(tier.rowOf('oss-00').failedLaunches).toBeUndefined();
  expect(metrics()).toMatchObject({ FailingLaunchesKept: 0 });
  expect(tier.violations).toEqual([]);
});

test('a launch that Systems Manager never reaches is kept too, and says so', async () => {
  const tier = await lost(await deployed());
  const { process, metrics } = watched(({ hosts }) => ({
    hosts: changed(hosts, { tell: async () => ({ code: 'InvalidInstanceId' }) }),
  }));
  for (let hour = 0; hour < 6; hour++) await drive(tier, process, `hour-${hour}`, SETTINGS, 3600, 5);
  expect(tier.abandoned).toHaveLength(3);
  expect(metrics()).toMatchObject({ UnreachableLaunchesKept: 1, FailingLaunchesKept: 0 });
  // It is reached, an hour and a half after its deadline.
  expect((await drive(tier, undefined, 'mended')).outcome).toBe('served');
  expect(tier.violations).toEqual([]);
});

test('a person may terminate the one that is kept: the next one is tried, and kept as well if it fails', async () => {
  const tier = await lost(await deployed());
  tier.hostsFail(1, FOR_EVER);
  for (const execution of ['one', 'two']) await drive(tier, undefined, execution);
  const kept = tier.ownerOf('oss-00')!;
  await lost(tier);
  const { process, metrics } = watched();
  await drive(tier, process, 'three');
  // Nothing is there to be looked at, and launches go on failing: whoever did not do it himself hears of it.
  expect(metrics()).toMatchObject({ EndedLaunches: 1 });
  expect(tier.ownerOf('oss-00')).not.toBe(kept);
  // The group keeps a launch that waits and was ended: it is let go of as well.
  expect(tier.abandoned).toHaveLength(4);
  expect(tier.abandoned.at(-1)).toBe(kept);
  expect(tier.rowOf('oss-00').failedLaunches).toMatchObject({ count: 4 });
  await lost(tier);
  tier.hostsServeAgain();
  expect((await drive(tier, process, 'four')).outcome).toBe('served');
  expect(metrics()).toMatchObject({ EndedLaunches: 0 });
});

test('a tier none of whose slots comes up gives three launches up, not three for each slot', async () => {
  const tier = await Tier.launched({ slots: 6 });
  tier.hostsFail(1, FOR_EVER);
  const settings = { ...SETTINGS, slots: tier.rows.map(({ slot }) => slot) };
  for (const execution of ['one', 'two']) await drive(tier, undefined, execution, settings);
  // All of one pass are given up before any of them is counted.
  expect(tier.abandoned.length).toBeLessThanOrEqual(6);
  const before = tier.abandoned.length;
  await drive(tier, undefined, 'three', settings);
  expect(tier.abandoned).toHaveLength(before);
  expect(tier.violations).toEqual([]);
});

test('a slot that is served in between shows that servers can serve: launches are given up again', async () => {
  const tier = await deployed();
  const failed = { count: 2, since: new Date(tier.now).toISOString() };
  for (const slot of ['oss-00', 'oss-01']) {
    tier.editRow(slot, { failedLaunches: failed });
  }
  await lost(tier);
  tier.hostsFail(1, 3);
  // oss-01 was served before these launches failed.
  tier.editRow('oss-01', { timeline: { served: '2025-12-31T00:00:00Z' } });
  await drive(tier, undefined, 'one', SETTINGS, 300);
  expect(tier.abandoned).toEqual([]);

  tier.editRow('oss-01', { timeline: { served: new Date(tier.now).toISOString() } });
  tier.hostsFail(1, 3);
  await drive(tier, undefined, 'two');
  expect(tier.abandoned).toHaveLength(1);
});

test('launches that failed for a slot whose update was undone keep no launch for another slot', async () => {
  const tier = await deployed();
  const since = new Date(tier.now + 1000).toISOString();
  const undone = { ...row('oss-02', 'eni-2', [{ volumeId: 'vol-20', device: '/dev/sdf' }]), released: true };
  tier.addRow({ ...undone, failedLaunches: { count: 3, since } });
  await lost(tier);
  tier.hostsFail(1, 3);
  expect((await drive(tier, undefined, 'one')).outcome).toBe('served');
  expect(tier.abandoned).toHaveLength(1);
});

test('a crash before or after any call counts no launch twice and keeps none too early', async () => {
  const tier = await deployed({ quick: true });
  // One after the other: each leaves the tier as it was.
  const start = async () => {
    tier.hostsServeAgain();
    tier.hostsFail(1, 6);
    await lost(tier);
  };
  await start();
  const process = new Process();
  await driveSlowly(tier, process);
  for (const call of sample(callsOf(process), upTo(7, 35))) {
    for (const when of ['before', 'after'] as const) {
      const { epoch } = tier.rowOf('oss-00');
      await start();
      await driveSlowly(tier, new Process(undefined, call, when));
      const row = tier.rowOf('oss-00');
      expect({ call, when, bad: tier.violations, left: row.failedLaunches, phase: row.phase }).toEqual({
        call,
        when,
        bad: [],
        left: undefined,
        phase: 'served',
      });
      expect(row.epoch - epoch).toBeLessThanOrEqual(3);
    }
  }
});

describe.each(['terminated', 'stopped'] as const)('a launch that is %s while it waits', (state) => {
  test('is abandoned when it is to serve a slot, which goes to the next one', async () => {
    const tier = await lost(await deployed());
    // "Not yet": it has the slot, and waits.
    tier.hostsFail(75, 100);
    await drive(tier, undefined, 'one', SETTINGS, 60);
    tier.hostsServeAgain();
    const owner = tier.ownerOf('oss-00')!;
    expect(tier.lifecycleOf(owner)).toBe('Pending:Wait');
    tier.end(owner, state);
    expect((await drive(tier, undefined, 'two', SETTINGS, 300)).outcome).toBe('served');
    expect(tier.abandoned).toContain(owner);
    expect(tier.ownerOf('oss-00')).not.toBe(owner);
    expect(tier.violations).toEqual([]);
  });

  test('is abandoned when it waits for a slot, and the next one serves', async () => {
    const tier = await deployed();
    const old = tier.ownerOf('oss-00')!;
    tier.world.ec2.hangGoingDown(old, 60_000);
    tier.world.ec2.terminate(old);
    await tier.advance(10);
    const waiting = tier.waiting[0]!;
    tier.end(waiting, state);
    expect((await drive(tier, undefined, 'one', SETTINGS, 300)).outcome).toBe('served');
    expect(tier.abandoned).toContain(waiting);
    expect(tier.violations).toEqual([]);
  });

  test('is abandoned also when it was kept for inspection: the next one is tried', async () => {
    const tier = await lost(await deployed());
    tier.hostsFail(1, FOR_EVER);
    for (const execution of ['one', 'two']) await drive(tier, undefined, execution);
    const kept = tier.ownerOf('oss-00')!;
    tier.hostsServeAgain();
    tier.end(kept, state);
    expect((await drive(tier, undefined, 'three', SETTINGS, 300)).outcome).toBe('served');
    expect(tier.ownerOf('oss-00')).not.toBe(kept);
  });
});

test('a launch that waits and is called unhealthy is abandoned unless it has a slot', async () => {
  const tier = await deployed();
  const old = tier.ownerOf('oss-00')!;
  tier.world.ec2.hangGoingDown(old, 60_000);
  tier.world.ec2.terminate(old);
  await tier.advance(10);
  const waiting = tier.waiting[0]!;
  tier.world.group.lieAboutHealth(waiting, 'Unhealthy');
  expect((await drive(tier, undefined, 'one', SETTINGS, 300)).outcome).toBe('served');
  expect(tier.abandoned).toEqual([waiting]);
});

test('a launch that waits for a slot is not given up, and serves when the slot becomes free', async () => {
  const tier = await deployed();
  const old = tier.ownerOf('oss-00')!;
  // EC2 takes its time: the instance hangs while it shuts down.
  tier.world.ec2.hangGoingDown(old, 2.25 * 3_600_000);
  tier.world.ec2.terminate(old);
  await tier.advance(1);
  await drive(tier, undefined, 'one');
  await drive(tier, undefined, 'two');
  expect(tier.abandoned).toEqual([]);
  expect((await drive(tier, undefined, 'three')).outcome).toBe('served');
  expect(tier.abandoned).toEqual([]);
  expect(tier.violations).toEqual([]);
});
