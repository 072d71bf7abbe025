import { drive, driveSlowly, Process } from './drive';
import { World } from './world';

async function deployed(): Promise<World> {
  const world = new World();
  const result = await drive(world, undefined, 'deployment');
  expect(result.outcome).toBe('served');
  return world;
}

function expectSound(world: World): void {
  expect(world.violations).toEqual([]);
  const owners = [...world.map.slots.values()].map((row) => row.owner);
  expect(new Set(owners).size).toBe(2);
  for (const row of world.map.slots.values()) {
    expect(row).toMatchObject({ phase: 'served', servedEpoch: row.epoch, formatted: true });
    expect(world.map.owners.get(row.owner!)).toMatchObject({ slot: row.slot, epoch: row.epoch });
    expect(world.machines.get(row.owner!)).toMatchObject({ state: 'running', serves: row.slot });
    expect(world.lifecycle.get(row.owner!)).toBe('InService');
    for (const { volumeId } of row.volumes) {
      expect(world.disks.get(volumeId)).toMatchObject({
        formats: 1,
        tagged: true,
        attachment: { instanceId: row.owner, state: 'attached' },
      });
    }
    expect(world.nics.get(row.networkInterfaceId)?.attachment).toMatchObject({ instanceId: row.owner });
  }
  expect([...world.map.owners.keys()].sort()).toEqual([...owners].sort());
  expect(world.completed.length).toBe(new Set(world.completed).size);
}

test('a new tier is served, formatted once, and its launches are completed', async () => {
  const world = await deployed();
  expectSound(world);
  expect([...world.map.slots.values()].map((row) => row.epoch)).toEqual([1, 1]);
});

test('a replacement gets the volumes and the address, formats nothing, and the repair is timed', async () => {
  const world = await deployed();
  const lost = world.ownerOf('oss-00')!;
  world.kill(lost);
  world.advance(1);
  const result = await drive(world);
  expect(result).toMatchObject({ outcome: 'served', servedSlots: 2 });
  expectSound(world);
  const row = world.map.slots.get('oss-00')!;
  expect(row.epoch).toBe(2);
  expect(row.owner).not.toBe(lost);
  const order = ['vacated', 'claimed', 'attached', 'commandSent', 'served', 'completed'];
  const times = order.map((step) => Date.parse(row.timeline[step]!));
  expect(times).toEqual([...times].sort());
});

test('all servers lost at once come back', async () => {
  const world = await deployed();
  for (const id of [...world.lifecycle.keys()]) world.kill(id);
  world.advance(1);
  await drive(world);
  expectSound(world);
});

test('a volume that is taken off by hand comes back and is served again at the same epoch', async () => {
  const world = await deployed();
  world.disks.get('vol-00')!.attachment = undefined;
  await drive(world);
  expectSound(world);
  expect(world.map.slots.get('oss-00')!.epoch).toBe(1);
});

describe.each([
  ['deployment', async () => new World()],
  [
    'fail-over',
    async () => {
      const world = await deployed();
      world.kill(world.ownerOf('oss-00')!);
      world.advance(1);
      return world;
    },
  ],
])('a crash before or after every single call of a %s', (_name, start) => {
  test('is healed by the next pass', async () => {
    const clean = new Process((await start()).ports());
    const counting = await start();
    const count = new Process(counting.ports());
    await driveSlowly(counting, count);
    expect(clean.crashed).toBe(false);
    expect(count.calls).toBeGreaterThan(60);
    for (let call = 1; call <= count.calls; call++) {
      for (const when of ['before', 'after'] as const) {
        const world = await start();
        const process = new Process(world.ports(), call, when);
        const result = await driveSlowly(world, process);
        const where = `${when} call ${call}, ${process.names[call - 1]}`;
        expect({ where, crashed: process.crashed, outcome: result.outcome, bad: world.violations }).toEqual({
          where,
          crashed: true,
          outcome: 'served',
          bad: [],
        });
        expectSound(world);
      }
    }
  });
});

test('two executions at once never disturb each other', async () => {
  const world = await deployed();
  world.kill(world.ownerOf('oss-01')!);
  // Both look at the same time, as if the lease did not exist.
  world.map.takeLease = async () => ({ wakeups: 0, beatAt: 0 });
  world.map.endLease = async () => true;
  await Promise.all([drive(world, undefined, 'one'), drive(world, undefined, 'two')]);
  expectSound(world);
});

test('a host that is not ready yet is told again, one that fails three times is replaced', async () => {
  const world = await deployed();
  world.kill(world.ownerOf('oss-00')!);
  world.failures.push(75, 75, 1, 1, 1);
  world.advance(1);
  await drive(world);
  expectSound(world);
  expect(world.completed.filter((each) => each.endsWith('ABANDON'))).toHaveLength(1);
  expect(world.map.slots.get('oss-00')!.epoch).toBe(3);
});

test('a host that refuses for the sake of the data is not replaced again and again', async () => {
  const world = await deployed();
  world.kill(world.ownerOf('oss-00')!);
  world.failures.push(...Array<number>(100).fill(4));
  world.advance(1);
  const result = await drive(world, undefined, 'run', undefined, 1800);
  expect(result.outcome).toBe('out-of-time');
  expect(result.slots[0]).toMatchObject({ slot: 'oss-00', phase: 'blocked' });
  expect(result.slots[0]!.reason).toContain('data that is not the slot');
  expect(world.completed.filter((each) => each.endsWith('ABANDON'))).toEqual([]);
  expect(world.map.slots.get('oss-00')!.epoch).toBe(2);
});

test('a launch that does not serve in time is abandoned, also by another execution', async () => {
  const world = await deployed();
  world.kill(world.ownerOf('oss-00')!);
  world.failures.push(...Array<number>(2000).fill(75));
  world.advance(1);
  await drive(world, undefined, 'one', undefined, 1800);
  await drive(world, undefined, 'two', undefined, 2400);
  expect(world.completed.filter((each) => each.endsWith('ABANDON'))).toHaveLength(1);
});
