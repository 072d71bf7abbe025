import type { World } from '../../proof/simulation/aws/world';
import type { WorldOptions } from '../../proof/simulation/aws/world-options';
import { isProberAtALoss } from '../../proof/simulation/served';
import { deployedWorld } from './deployment';

const MINUTE = 60_000;

/** A tier that has been up for long. */
async function deployed(options: Partial<WorldOptions> = {}): Promise<World> {
  const world = await deployedWorld({ slots: 3, volumesPerSlot: 1, seed: 5, ...options });
  world.hosts.growOld();
  // The probe has said of every host that it serves.
  await world.run(3 * MINUTE);
  return world;
}

const ownerOf = (world: World, slot = 'oss-00'): string => String(world.map.items.get(`slot#${slot}`)?.owner);
const hostOf = (world: World, slot = 'oss-00') => world.hosts.all.get(ownerOf(world, slot))!;

test.each(['dead', 'hung', 'silent'] as const)(
  'a service that is %s is replaced by the prober',
  async (how) => {
    const world = await deployed();
    const before = ownerOf(world);
    hostOf(world).fallIll(how);
    await world.run(3 * MINUTE);
    // Three rounds are not over yet.
    expect(ownerOf(world)).toBe(before);
    expect(world.group.members.get(before)).toMatchObject({ health: 'Healthy' });
    await world.run(20 * MINUTE, () => world.isServed());
    expect(world.isServed()).toBe(true);
    expect(ownerOf(world)).not.toBe(before);
  },
);

test.each([1, 3])(
  'a server that a new root volume made forget its slot is replaced by the prober, of %i',
  async (slots) => {
    const world = await deployed({ slots });
    const before = ownerOf(world);
    const host = hostOf(world);
    expect(world.hosts.replaceRootVolume(before)).toBe(true);
    await world.run(14 * MINUTE);
    // EC2 and the map see nothing of it, and the host may have just started.
    expect(host.probe()).toMatchObject({ exitCode: 75 });
    expect(host).toMatchObject({ serving: false, slot: undefined, reachable: true });
    expect(world.map.items.get('slot#oss-00')).toMatchObject({ owner: before, phase: 'served' });
    await world.run(20 * MINUTE, () => world.isServed());
    expect(world.isServed()).toBe(true);
    expect(ownerOf(world)).not.toBe(before);
  },
);

test('nobody is replaced while all fail at once, while the way to them is lost, and just after a start', async () => {
  const world = await deployed();
  const owners = [ownerOf(world), ownerOf(world, 'oss-01'), ownerOf(world, 'oss-02')];
  for (const host of world.hosts.all.values()) host.fallIll('dead');
  expect(isProberAtALoss(world)).toBe(true);
  await world.run(30 * MINUTE);
  for (const host of world.hosts.all.values()) host.getWell();
  for (const id of owners) world.hosts.agentGone(id, 10 * MINUTE);
  await world.run(15 * MINUTE);
  world.hosts.reboot(owners[0]!);
  await world.run(MINUTE, () => world.isServed());
  hostOf(world).fallIll('dead');
  expect(hostOf(world).probe()).toMatchObject({ exitCode: 75 });
  await world.run(8 * MINUTE);
  hostOf(world).getWell();
  expect([ownerOf(world), ownerOf(world, 'oss-01'), ownerOf(world, 'oss-02')]).toEqual(owners);
  expect(world.isServed()).toBe(true);
});

test('the silence of the only server may be that of the way to it', async () => {
  const world = await deployed({ slots: 1 });
  const before = ownerOf(world);
  hostOf(world).fallIll('silent');
  expect(isProberAtALoss(world)).toBe(true);
  await world.run(30 * MINUTE);
  expect(ownerOf(world)).toBe(before);
});

test('nobody is replaced of whom the probe has never said that it serves', async () => {
  const world = await deployedWorld({ slots: 1, volumesPerSlot: 1, seed: 5 });
  world.hosts.growOld();
  const before = ownerOf(world);
  hostOf(world).fallIll('dead');
  expect(isProberAtALoss(world)).toBe(true);
  await world.run(30 * MINUTE);
  expect(ownerOf(world)).toBe(before);
  hostOf(world).getWell();
  await world.run(3 * MINUTE);
  hostOf(world).fallIll('dead');
  expect(isProberAtALoss(world)).toBe(false);
  await world.run(20 * MINUTE, () => ownerOf(world) !== before && world.isServed());
  expect(ownerOf(world)).not.toBe(before);
});

test('a host that lies about its health is believed', async () => {
  const world = await deployed();
  const before = ownerOf(world);
  hostOf(world).health.tellLies('fails', 10 * MINUTE);
  await world.run(20 * MINUTE, () => ownerOf(world) !== before && world.isServed());
  expect(ownerOf(world)).not.toBe(before);
  expect(world.isServed()).toBe(true);
});

test.each([
  ['mended before the group acts keeps its id, its volumes and its slot', MINUTE / 2, true],
  ['not mended in time is replaced', 30 * MINUTE, false],
])('a server whose system check fails and is %s', async (_name, mendedAfterMs, stays) => {
  const world = await deployed();
  const before = ownerOf(world);
  world.ec2.failStatusCheck(before);
  world.scheduler.after(mendedAfterMs, () => world.ec2.mend(before) && world.hosts.reboot(before));
  await world.run(20 * MINUTE);
  expect(world.isServed()).toBe(true);
  expect(ownerOf(world) === before).toBe(stays);
  expect(world.map.items.get('slot#oss-00')).toMatchObject({ epoch: stays ? 1 : 2 });
});

test('a server that two rows name is asked once', async () => {
  const world = await deployed();
  const owner = ownerOf(world);
  world.map.editRow('slot#oss-01', (row) => Object.assign(row, { owner }));
  await world.run(3 * MINUTE);
  const asked = [...world.ssm.probes.all.values()].pop()!.map(({ instanceId }) => instanceId);
  expect(asked).toContain(owner);
  expect(new Set(asked).size).toBe(asked.length);
});
