import { sample } from '../../helpers/exhaustive';
import { callsOf, changed, drive, driveSlowly, Process } from './drive';
import { Tier, type TierOptions } from './tier';

async function deployed(options: TierOptions = {}): Promise<Tier> {
  const tier = await Tier.launched(options);
  const result = await drive(tier, undefined, 'deployment');
  expect(result.outcome).toBe('served');
  await tier.advance(1);
  return tier;
}

function expectSound(tier: Tier): void {
  expect(tier.violations).toEqual([]);
  const owners = tier.rows.map((row) => row.owner);
  expect(new Set(owners).size).toBe(2);
  expect(Object.keys(tier.ownerRows).sort()).toEqual([...owners].sort());
  for (const row of tier.rows) {
    const owner = row.owner!;
    expect(row).toMatchObject({ phase: 'served', servedEpoch: row.epoch, formatted: true });
    expect(tier.ownerRows[owner]).toBe(row.slot);
    expect([tier.stateOf(owner), tier.lifecycleOf(owner)]).toEqual(['running', 'InService']);
    expect(tier.world.hosts.all.get(owner)).toMatchObject({
      serving: true,
      slot: row.slot,
      epoch: row.epoch,
    });
    expect(tier.volumesOf(row.slot).map(({ id }) => id)).toEqual(row.volumes.map(({ volumeId }) => volumeId));
    for (const volume of tier.volumesOf(row.slot)) {
      expect(volume).toMatchObject({ formats: 1, tags: { 'cdk-sas-grid:formatted': row.slot } });
      expect(volume.attachments).toMatchObject([{ instanceId: owner, state: 'attached' }]);
    }
    const { attachment } = tier.world.ec2.interfaces.get(row.networkInterfaceId)!;
    expect(attachment).toMatchObject({ instanceId: owner });
  }
  expect(tier.letThrough.length).toBe(new Set(tier.letThrough).size);
}

test('a new tier is served, formatted once, and its launches are completed', async () => {
  const tier = await deployed();
  expectSound(tier);
  expect(tier.rows.map((row) => row.epoch)).toEqual([1, 1]);
});

test('a replacement gets the volumes and the address, formats nothing, and the repair is timed', async () => {
  const tier = await deployed();
  await tier.lose('oss-00');
  const result = await drive(tier);
  expect(result).toMatchObject({ outcome: 'served', servedSlots: 2 });
  expectSound(tier);
  const row = tier.rowOf('oss-00');
  expect(row.epoch).toBe(2);
  const order = ['vacated', 'claimed', 'attached', 'commandSent', 'served', 'completed'];
  const times = order.map((step) => Date.parse(row.timeline[step]!));
  expect(times).toEqual([...times].sort());
});

test('all servers lost at once come back', async () => {
  const tier = await deployed();
  for (const slot of ['oss-00', 'oss-01']) tier.world.ec2.terminate(tier.ownerOf(slot)!);
  await tier.advance(1);
  await drive(tier);
  expectSound(tier);
});

test('an interface that is taken off by hand comes back and is served again at the same epoch', async () => {
  const tier = await deployed();
  tier.world.ec2.detachInterfaceByHand(tier.rowOf('oss-00').networkInterfaceId);
  await tier.advance(3);
  await drive(tier);
  expectSound(tier);
  expect(tier.rowOf('oss-00').epoch).toBe(1);
});

test('a volume that is taken off by hand comes back to a dead mount: only another server serves it', async () => {
  const tier = await deployed();
  const [volume] = tier.volumesOf('oss-00');
  const owner = tier.ownerOf('oss-00');
  tier.world.ec2.detachByHand(volume!.id);
  await tier.advance(3);
  expect((await drive(tier, undefined, 'one', undefined, 600)).outcome).toBe('out-of-time');
  expect(volume!.attachments).toMatchObject([{ instanceId: owner, state: 'attached' }]);
  const row = tier.rowOf('oss-00');
  expect(row).toMatchObject({ owner, epoch: 1, servedEpoch: 0, phase: 'blocked' });
  expect(row.reason).toContain('this server has to be replaced');
  expect([tier.unhealthy, tier.violations]).toEqual([[], []]);
  await tier.lose('oss-00');
  await drive(tier, undefined, 'two');
  expectSound(tier);
});

describe('a crash before or after every single call', () => {
  const heals = async (start: () => Promise<Tier>) => {
    const count = new Process();
    await driveSlowly(await start(), count);
    expect(count.calls).toBeGreaterThan(60);
    for (const call of sample(callsOf(count), 5)) {
      for (const when of ['before', 'after'] as const) {
        const tier = await start();
        const process = new Process(undefined, call, when);
        const { outcome } = await driveSlowly(tier, process);
        await tier.advance(1);
        const where = `${when} call ${call}, ${process.names[call - 1]}`;
        const seen = { where, crashed: process.crashed, outcome, bad: tier.violations };
        expect(seen).toEqual({ where, crashed: true, outcome: 'served', bad: [] });
        expectSound(tier);
      }
    }
  };

  test('of a deployment is healed by the next pass', () => heals(() => Tier.launched({ quick: true })));

  test('of a fail-over is healed by the next pass', async () => {
    // One fail-over after the other: each leaves the tier as it was.
    const tier = await deployed({ quick: true });
    await heals(async () => {
      await tier.lose('oss-00');
      return tier;
    });
  });
});

test('two executions at once never disturb each other', async () => {
  const tier = await deployed();
  await tier.lose('oss-01');
  // Both look at the same time, as if the lease did not exist.
  const unleased = () =>
    new Process(({ map }) => ({
      map: changed(map, {
        takeLease: async () => ({ wakeups: 0, beatAt: 0 }),
        endLease: async () => true,
      }),
    }));
  await Promise.all([drive(tier, unleased(), 'one'), drive(tier, unleased(), 'two')]);
  expectSound(tier);
});

test('a host that is not ready yet is told again, one that fails three times is replaced', async () => {
  const tier = await deployed();
  tier.hostsFail(75, 2);
  tier.hostsFail(1, 3);
  await tier.lose('oss-00');
  await drive(tier);
  expectSound(tier);
  expect(tier.abandoned).toHaveLength(1);
  expect(tier.rowOf('oss-00').epoch).toBe(3);
});

test('a host that refuses for the sake of the data is not replaced again and again', async () => {
  const tier = await deployed();
  tier.hostsFail(4, 100);
  await tier.lose('oss-00');
  const result = await drive(tier, undefined, 'run', undefined, 1800);
  expect(result.outcome).toBe('out-of-time');
  expect(result.slots[0]).toMatchObject({ slot: 'oss-00', phase: 'blocked' });
  expect(result.slots[0]!.reason).toContain('data that is not the slot');
  expect(tier.abandoned).toEqual([]);
  expect(tier.rowOf('oss-00').epoch).toBe(2);
});

test('a launch that does not serve in time is abandoned, also by another execution', async () => {
  const tier = await deployed();
  tier.hostsFail(75, 2000);
  await tier.lose('oss-00');
  await drive(tier, undefined, 'one', undefined, 1800, 5);
  await drive(tier, undefined, 'two', undefined, 2400, 5);
  expect(tier.abandoned).toHaveLength(1);
});
