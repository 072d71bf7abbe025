import type { World } from '../../proof/simulation/aws/world';
import type { WorldOptions } from '../../proof/simulation/aws/world-options';
import { cutOffSlots, isProberAtALoss, silentHosts } from '../../proof/simulation/served';
import { deployedWorld } from './deployment';

const MINUTE = 60_000;

/** A tier that has been up for long, whose probe has said of every host that it serves. */
async function deployed(options: Partial<WorldOptions> = {}): Promise<World> {
  const world = await deployedWorld({ slots: 2, volumesPerSlot: 1, seed: 5, ...options });
  world.hosts.growOld();
  await world.run(3 * MINUTE);
  return world;
}

const ownerOf = (world: World): string => String(world.map.items.get('slot#oss-00')?.owner);
const hostOf = (world: World) => world.hosts.all.get(ownerOf(world))!;

test.each(['routes', 'address'] as const)(
  'a server whose %s a network manager takes says so, and is replaced',
  async (what) => {
    const world = await deployed();
    const before = ownerOf(world);
    hostOf(world).way.take(what, 60 * MINUTE);
    expect(hostOf(world)).toMatchObject({ serving: true, reachesClients: false });
    expect(hostOf(world).probe()).toMatchObject({ exitCode: 20 });
    expect(world.isServed()).toBe(false);
    expect(silentHosts(world)).toEqual([{ slot: 'oss-00', owner: before }]);
    await world.run(20 * MINUTE, () => world.isServed());
    expect(world.isServed()).toBe(true);
    expect(ownerOf(world)).not.toBe(before);
  },
);

test('what a network manager took once is set up again by a start, and not while it takes it each time', async () => {
  const world = await deployed();
  const host = hostOf(world);
  host.way.take('routes', 0);
  world.hosts.reboot(host.instanceId);
  await world.run(3 * MINUTE, () => world.isServed());
  expect(host.reachesClients).toBe(true);
  host.way.take('routes', 4 * MINUTE);
  world.hosts.reboot(host.instanceId);
  await world.run(3 * MINUTE);
  expect(host.serving).toBe(false);
  await world.run(3 * MINUTE);
  expect(host.reachesClients).toBe(true);
});

test('nobody is replaced while the routes of all are gone', async () => {
  const world = await deployed();
  const before = ownerOf(world);
  for (const host of world.hosts.all.values()) host.way.take('routes', 60 * MINUTE);
  expect(isProberAtALoss(world)).toBe(true);
  await world.run(30 * MINUTE);
  expect(ownerOf(world)).toBe(before);
});

test.each(['filter', 'carrier'] as const)(
  'of a server behind a %s only the servers of the grid tell: an alarm rings, and nobody is replaced',
  async (what) => {
    const world = await deployed({ gridNodes: 2 });
    const { cutOff } = world.options.deployment.nodeHealth;
    const before = ownerOf(world);
    await world.run(30 * MINUTE);
    expect(world.cloudWatch.rings(cutOff)).toBe(false);
    hostOf(world).way.drop(what, 60 * MINUTE);
    expect(hostOf(world)).toMatchObject({ serving: true, reachesClients: false });
    expect(hostOf(world).probe()).toMatchObject({ exitCode: 0 });
    expect(cutOffSlots(world)).toEqual([{ slot: 'oss-00', owner: before }]);
    await world.run(30 * MINUTE);
    expect(world.cloudWatch.rings(cutOff)).toBe(true);
    expect(world.cloudWatch.roundOf('node-health')?.fields).toMatchObject({
      running: 2,
      unhealthy: [],
      cutOff: world.grid.instanceIds.map((instanceId) => ({
        instanceId,
        why: 'unreachable: 10.0.1.10@tcp does not answer',
      })),
    });
    await world.run(60 * MINUTE);
    expect(world.isServed()).toBe(true);
    expect(ownerOf(world)).toBe(before);
    expect(world.cloudWatch.rings(cutOff)).toBe(false);
  },
);

test('a server with another system since has no filter any more, and one that started again has it', async () => {
  const world = await deployed();
  const host = hostOf(world);
  host.way.drop('filter', Number.POSITIVE_INFINITY);
  world.hosts.reboot(host.instanceId);
  await world.run(3 * MINUTE);
  expect(host).toMatchObject({ serving: true, reachesClients: false });
  world.hosts.replaceRootVolume(host.instanceId);
  await world.run(40 * MINUTE, () => world.isServed());
  expect(world.isServed()).toBe(true);
});
