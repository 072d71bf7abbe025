import { World } from '../../proof/simulation/aws/world';
import type { ServeOrder } from '../../proof/simulation/hosts/program';
import { deployment } from './deployment';

const MINUTE = 60_000;
const ZONE = 'us-east-1a';

/** A host with two volumes and an interface, and orders for it. */
async function prepared() {
  const formats: string[] = [];
  const world = new World({
    deployment: deployment(),
    slots: 1,
    volumesPerSlot: 2,
    seed: 9,
    observer: {
      onFormat: (volumeId, instanceId, { before }) => formats.push(`${volumeId} ${instanceId} ${before}`),
    },
  });
  const volumes = [world.ec2.createVolume('oss-00', ZONE, {}), world.ec2.createVolume('oss-00', ZONE, {})];
  const card = world.ec2.createInterface('oss-00', ZONE, '10.0.9.9', {});
  const newHost = async () => {
    const instance = world.ec2.launch(ZONE, {})!;
    await world.run(3 * MINUTE);
    return world.hosts.all.get(instance.id)!;
  };
  const host = await newHost();
  const give = async (instanceId: string) => {
    volumes.forEach((volume, index) => {
      world.ec2.attachments.volumes.attach(volume.id, instanceId, `/dev/sd${'fg'[index]}`, 'hand');
    });
    world.ec2.attachments.interfaces.attach(card.id, instanceId, 'hand');
    await world.run(20_000);
  };
  await give(host.instanceId);
  const order: ServeOrder = {
    slot: 'oss-00',
    epoch: 2,
    address: '10.0.9.9',
    volumes: volumes.map((volume) => volume.id),
    mayFormat: true,
  };
  const tell = async (on: typeof host, change: Partial<ServeOrder> = {}) => {
    const served = await world.finish(on.run({ ...order, ...change }, 10 * MINUTE));
    return served?.exitCode;
  };
  return { world, host, volumes, newHost, give, tell, order, formats };
}

test('a host formats what is blank when it may, once, and serves again what it serves', async () => {
  const { host, tell, formats, volumes, world } = await prepared();
  expect(await tell(host, { mayFormat: false })).toBe(4);
  expect(await tell(host)).toBe(0);
  expect(await tell(host)).toBe(0);
  expect(formats).toHaveLength(2);
  expect(host.serving).toBe(true);
  expect(world.hosts.writersOf(volumes[0]!.id)).toEqual([host.instanceId]);
});

test('a host refuses an older epoch and another slot, also after a reboot', async () => {
  const { host, tell, world } = await prepared();
  expect(await tell(host)).toBe(0);
  expect(world.hosts.reboot(host.instanceId)).toBe(true);
  await world.run(3 * MINUTE);
  expect(host.serving).toBe(true);
  expect(await tell(host, { epoch: 1 })).toBe(3);
  expect(await tell(host, { slot: 'oss-01' })).toBe(3);
  expect(await tell(host, { epoch: 3 })).toBe(0);
});

test('a host with a new root volume forgets all, keeps what is attached, and serves when told again', async () => {
  const { host, tell, world, formats } = await prepared();
  expect(await tell(host)).toBe(0);
  expect(world.hosts.replaceRootVolume(host.instanceId)).toBe(true);
  expect(host.reachable).toBe(false);
  await world.run(3 * MINUTE);
  expect(host).toMatchObject({ serving: false, slot: undefined, epoch: undefined, reachable: true });
  expect(host.probe()).toMatchObject({ exitCode: 75, said: expect.stringMatching(/^- 0 unsure/) });
  await world.run(13 * MINUTE);
  expect(host.probe()).toMatchObject({ exitCode: 20, said: expect.stringMatching(/^- 0 fails/) });
  expect(await tell(host, { mayFormat: false })).toBe(0);
  expect(host.serving).toBe(true);
  expect(formats).toHaveLength(2);
  world.ec2.stop(host.instanceId);
  expect(world.hosts.replaceRootVolume(host.instanceId)).toBe(false);
});

test('a host that lacks a device, its software or the lock says "not yet"', async () => {
  const { world, host, tell, newHost, order } = await prepared();
  expect(await tell(await newHost())).toBe(75);
  const fresh = world.ec2.launch(ZONE, {})!;
  await world.run(2 * MINUTE, () => fresh.state === 'running');
  expect(await tell(world.hosts.all.get(fresh.id)!)).toBe(75);
  world.hosts.hang(host.instanceId, MINUTE);
  const first = host.run(order, 10 * MINUTE);
  await world.run(1000);
  expect(await tell(host)).toBe(75);
  expect((await world.finish(first))?.exitCode).toBe(0);
});

test('a program that takes too long is killed, and lets go of its lock', async () => {
  const { world, host, tell, order } = await prepared();
  world.hosts.hang(host.instanceId, 20 * MINUTE);
  expect(await world.finish(host.run(order, MINUTE))).toBeUndefined();
  await world.run(20 * MINUTE);
  expect(await tell(host)).toBe(0);
});

test('what another host left half formatted, or formatted for another slot, is refused', async () => {
  const { world, host, volumes, newHost, give, tell, order } = await prepared();
  void host.run(order, 10 * MINUTE);
  await world.run(MINUTE, () => volumes[0]!.content === 'half-formatted');
  world.ec2.terminate(host.instanceId);
  await world.run(5 * MINUTE);
  // It was at it until the end.
  expect(volumes.some((volume) => volume.attachments.length > 0)).toBe(false);
  const next = await newHost();
  await give(next.instanceId);
  volumes[0]!.content = 'half-formatted';
  expect(await tell(next, { epoch: 3 })).toBe(4);
  volumes[0]!.content = 'target';
  volumes[0]!.contentOf = 'oss-07';
  expect(await tell(next, { epoch: 3 })).toBe(4);
});

test('a mount whose volume was taken away is dead until the host is replaced', async () => {
  const { world, host, volumes, tell } = await prepared();
  expect(await tell(host)).toBe(0);
  world.ec2.detachByHand(volumes[0]!.id);
  await world.run(MINUTE);
  expect([host.serving, world.hosts.writersOf(volumes[0]!.id)]).toEqual([false, []]);
  world.ec2.attachments.volumes.attach(volumes[0]!.id, host.instanceId, '/dev/sdf', 'hand');
  await world.run(MINUTE);
  expect(await tell(host)).toBe(1);
});
