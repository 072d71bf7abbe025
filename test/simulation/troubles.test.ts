import { type Call, type CallFault, NO_FAULTS } from '../../proof/simulation/aws/call';
import type { World } from '../../proof/simulation/aws/world';
import type { WorldOptions } from '../../proof/simulation/aws/world-options';
import { deployedWorld } from './deployment';

const MINUTE = 60_000;

async function deployed(options: Partial<WorldOptions> = {}): Promise<World> {
  const world = await deployedWorld({ slots: 2, volumesPerSlot: 2, seed: 3, ...options });
  return world;
}

const rowOf = (world: World, slot = 'oss-00') => world.map.items.get(`slot#${slot}`)!;
const ownerOf = (world: World, slot = 'oss-00'): string => String(rowOf(world, slot).owner);
const volumesOf = (world: World, slot = 'oss-00') =>
  [...world.ec2.volumes.values()].filter((each) => each.slot === slot);

/** Lets the tier come to rest. */
async function recovered(world: World, lost?: string): Promise<void> {
  await world.run(120 * MINUTE, () => world.isServed() && (lost === undefined || ownerOf(world) !== lost));
  expect(world.isServed()).toBe(true);
  for (const slot of world.stack.slots)
    for (const volume of volumesOf(world, slot)) expect(volume.formats).toBe(1);
}

test('a server that stops, or whose status checks fail, is replaced', async () => {
  const world = await deployed();
  const stopped = ownerOf(world);
  expect(world.ec2.stop(stopped)).toBe(true);
  await recovered(world, stopped);
  expect(world.ec2.instances.get(stopped)?.state).toBe('terminated');
  const impaired = ownerOf(world);
  world.ec2.failStatusCheck(impaired);
  await recovered(world, impaired);
});

test('a group that believes in a dead server does nothing until it hears the truth', async () => {
  const world = await deployed();
  const lost = ownerOf(world);
  world.group.lieAboutHealth(lost, 'Healthy');
  world.ec2.terminate(lost);
  await world.run(20 * MINUTE);
  expect([...world.group.members.keys()]).toContain(lost);
  world.group.tellTheTruth();
  await recovered(world, lost);
});

test('a healthy server that is called unhealthy is replaced', async () => {
  const world = await deployed();
  const lost = ownerOf(world);
  world.group.lieAboutHealth(lost, 'Unhealthy');
  await recovered(world, lost);
});

test('a host that fails for good is abandoned, one that says "not yet" is not', async () => {
  const world = await deployed();
  const lost = ownerOf(world);
  world.hosts.fail(undefined, 1, 3);
  world.ec2.terminate(lost);
  await recovered(world, lost);
  const ends = world.group.actions
    .filter((action) => action.transition.endsWith('LAUNCHING'))
    .map((each) => each.ended?.how);
  expect(ends).toEqual(['continue', 'continue', 'abandon', 'continue']);
  const again = ownerOf(world);
  world.hosts.fail(undefined, 75, 5);
  world.ec2.terminate(again);
  await recovered(world, again);
  expect(world.group.actions.filter((action) => action.ended?.how === 'abandon')).toHaveLength(1);
});

test('a command to a host that hangs is killed after its time-out, and told again', async () => {
  const world = await deployed();
  const lost = ownerOf(world);
  world.ec2.terminate(lost);
  await world.run(120 * MINUTE, () => ownerOf(world) !== lost && rowOf(world).owner !== undefined);
  world.hosts.hang(ownerOf(world), 11 * MINUTE);
  await recovered(world, lost);
  expect([...world.ssm.commands.values()].map((command) => command.details)).toContain('ExecutionTimedOut');
});

test('an agent that is away lets the delivery time out', async () => {
  const world = await deployed();
  const lost = ownerOf(world);
  world.ec2.terminate(lost);
  await world.run(120 * MINUTE, () => ownerOf(world) !== lost && rowOf(world).owner !== undefined);
  await world.run(60 * MINUTE, () => world.hosts.all.get(ownerOf(world))!.registered);
  world.hosts.agentGone(ownerOf(world), 4 * MINUTE);
  await recovered(world, lost);
});

test('a volume taken by force leaves a dead mount: the host says so until it is replaced', async () => {
  const world = await deployed();
  const [volume] = volumesOf(world);
  expect(world.ec2.detachByHand(volume!.id)).toBe(true);
  await world.run(30 * MINUTE, () => rowOf(world).phase === 'blocked');
  expect(rowOf(world)).toMatchObject({ phase: 'blocked', epoch: 1 });
  expect(String(rowOf(world).reason)).toContain('has to be replaced');
  const lost = ownerOf(world);
  world.ec2.terminate(lost);
  await recovered(world, lost);
});

test('an orderly detach waits for the host to let go', async () => {
  const world = await deployed();
  const [volume] = volumesOf(world);
  expect(world.ec2.detachByHand(volume!.id, false)).toBe(true);
  await world.run(5 * MINUTE);
  expect(volume!.attachments).toMatchObject([{ state: 'busy' }]);
  const lost = ownerOf(world);
  world.ec2.terminate(lost);
  await recovered(world, lost);
});

test.each(['attaching', 'detaching'] as const)(
  'an attachment that sticks in %s is waited for',
  async (state) => {
    const world = await deployed();
    const [volume] = volumesOf(world);
    world.ec2.stickAttachment(volume!.id, state, 20 * MINUTE);
    const lost = ownerOf(world);
    world.ec2.terminate(lost);
    await world.run(15 * MINUTE);
    expect(world.isServed() && ownerOf(world) !== lost).toBe(false);
    expect(volume!.attachments).toMatchObject([{ state }]);
    await recovered(world, lost);
  },
);

test('without capacity the group tries again until there is some', async () => {
  const world = await deployed();
  const lost = ownerOf(world);
  world.ec2.noCapacity(25 * MINUTE);
  world.ec2.terminate(lost);
  await world.run(24 * MINUTE);
  expect(world.group.members.size).toBe(1);
  await recovered(world, lost);
});

test('capacity that comes and goes: the next type serves and says so, and the first one comes again', async () => {
  const world = await deployed();
  const HOUR = 60 * MINUTE;
  const first = ownerOf(world);
  const typeOf = (id: string) => world.ec2.instances.get(id)?.type;
  expect([typeOf(first), rowOf(world).serverType, rowOf(world).reason]).toEqual([
    'm6in.2xlarge',
    'm6in.2xlarge',
    undefined,
  ]);

  // Neither inside of the placement group nor of the first type outside.
  world.ec2.capacity.comesAndGoes(world.now(), [{ ms: 100 * HOUR, has: [2] }]);
  world.ec2.terminate(first);
  await recovered(world, first);
  const fallback = ownerOf(world);
  await world.run(5 * MINUTE);
  expect([typeOf(fallback), rowOf(world).serverType]).toEqual(['c6in.4xlarge', 'c6in.4xlarge']);
  expect(rowOf(world)).toMatchObject({ phase: 'served', timeline: { fallback: expect.any(String) } });
  expect(rowOf(world).reason).toContain(`${fallback} is c6in.4xlarge, outside of the placement group`);

  // None of any type: the row says so. Then it is as it was.
  world.ec2.capacity.comesAndGoes(world.now(), [
    { ms: 20 * MINUTE, has: [] },
    { ms: 100 * HOUR, has: [0, 1, 2] },
  ]);
  world.ec2.terminate(fallback);
  await world.run(15 * MINUTE);
  expect(rowOf(world)).toMatchObject({
    phase: 'vacant',
    reason: expect.stringContaining('not enough capacity'),
  });
  expect(rowOf(world).reason).toContain('m6in.2xlarge, then m6idn.2xlarge, then c6in.4xlarge');
  expect(rowOf(world)).not.toHaveProperty('serverType');
  await recovered(world, fallback);
  await world.run(5 * MINUTE);
  expect(typeOf(ownerOf(world))).toBe('m6in.2xlarge');
  expect(rowOf(world)).toMatchObject({ phase: 'served', serverType: 'm6in.2xlarge' });
  expect(rowOf(world)).not.toHaveProperty('reason');
  expect(rowOf(world).timeline).not.toHaveProperty('fallback');
});

test.each([false, true])(
  'an instance refresh replaces every server (launch first: %s)',
  async (launchFirst) => {
    const world = await deployed();
    const before = new Set(world.group.members.keys());
    expect(world.group.instanceRefresh(launchFirst)).toBe(true);
    await world.run(
      180 * MINUTE,
      () => [...world.group.members.keys()].every((id) => !before.has(id)) && world.isServed(),
    );
    await recovered(world);
    expect([...world.group.members.keys()].some((id) => before.has(id))).toBe(false);
    expect([rowOf(world).epoch, rowOf(world, 'oss-01').epoch]).toEqual([2, 2]);
  },
);

test.each([0, 1])(
  'an instance refresh that begins while the group shrinks to %s keeps nobody',
  async (left) => {
    const world = await deployed({ slots: left + 1 });
    world.group.resize(left);
    expect(world.group.instanceRefresh(true)).toBe(true);
    await world.run(180 * MINUTE, () => !world.group.isRefreshing && world.group.members.size === left);
    expect(world.group.isRefreshing).toBe(false);
    expect(world.group.members.size).toBe(left);
  },
);

test('a launch whose hook runs out of time is abandoned, and the next one serves', async () => {
  const world = await deployed();
  const lost = ownerOf(world);
  world.ec2.terminate(lost);
  const waiting = () =>
    [...world.group.members.values()].find((member) => member.lifecycle === 'Pending:Wait');
  await world.run(60 * MINUTE, () => waiting() !== undefined);
  const launched = waiting()!.instanceId;
  expect(world.group.timeOutHook(launched)).toBe(true);
  await recovered(world, lost);
  expect(ownerOf(world)).not.toBe(launched);
});

test.each(['terminate', 'stop'] as const)(
  'a launch that waits is not looked at by its group: after %s it is abandoned, and the next one serves',
  async (how) => {
    const world = await deployed();
    const lost = ownerOf(world);
    world.ec2.terminate(lost);
    const waiting = () =>
      [...world.group.members.values()].find((member) => member.lifecycle === 'Pending:Wait');
    const runs = () => world.ec2.instances.get(waiting()?.instanceId ?? '')?.state === 'running';
    await world.run(60 * MINUTE, runs);
    const launched = waiting()!.instanceId;
    world.ec2[how](launched);
    await world.run(15 * MINUTE, () => world.isServed() && ownerOf(world) !== lost);
    expect(world.isServed()).toBe(true);
    expect(ownerOf(world)).not.toBe(launched);
    const ends = world.group.actions.filter(({ instanceId }) => instanceId === launched);
    expect(ends[0]?.ended?.how).toBe('abandon');
  },
);

test('a server that left its group keeps its slot blocked until it is terminated', async () => {
  const world = await deployed();
  const outside = ownerOf(world);
  expect(world.group.detachInstance(outside)).toBe(true);
  await world.run(15 * MINUTE);
  expect(rowOf(world)).toMatchObject({ owner: outside, phase: 'blocked' });
  world.ec2.terminate(outside);
  await recovered(world, outside);
});

test('a tier grows, an unchanged update changes nothing, and an undone growth leaves the others served', async () => {
  const world = await deployed();
  expect(await world.finish(world.stack.grow())).toMatchObject({ ok: true });
  expect(world.stack.slots).toHaveLength(3);
  await recovered(world);
  expect(await world.finish(world.stack.redeploy())).toMatchObject({
    ok: true,
    reason: expect.stringContaining('no slot is new'),
  });
  const undone = world.stack.grow();
  await world.run(20_000);
  expect(world.stack.rollBack()).toBe(true);
  expect(await world.finish(undone)).toEqual({ ok: false, reason: 'Resource update cancelled' });
  expect(world.stack.slots).toHaveLength(3);
  await world.run(60 * MINUTE, () => world.isServed() && world.group.members.size === 3);
  await recovered(world);
  expect(world.group.members.size).toBe(3);
});

test('an update goes on when the tier is served, and is undone when it is cancelled then', async () => {
  const world = await deployed({ timings: { restOfStack: [5 * MINUTE, 5 * MINUTE] } });
  const update = world.stack.redeploy();
  await world.run(4 * MINUTE);
  expect([world.isServed(), world.stack.status]).toEqual([true, 'UPDATE_IN_PROGRESS']);
  expect(world.stack.rollBack()).toBe(true);
  expect(await world.finish(update)).toEqual({ ok: false, reason: 'Resource update cancelled' });
  expect([world.isServed(), world.stack.status]).toEqual([true, 'UPDATE_COMPLETE']);
});

test('a growth that cannot be undone any more is deployed again, after a rollback without its slot', async () => {
  const world = await deployed();
  const undone = world.stack.grow();
  await world.run(10 * MINUTE, () => rowOf(world, 'oss-02')?.formatOffered === true);
  expect(world.stack.rollBack()).toBe(true);
  expect((await world.finish(undone)).reason).toContain('a tier cannot shrink');
  expect(await world.finish(world.stack.continueRollback())).toMatchObject({ ok: false });
  expect(await world.finish(world.stack.continueRollbackWithout())).toMatchObject({ ok: true });
  expect(world.stack.slots).toHaveLength(2);
  const { volumes } = rowOf(world, 'oss-02');
  expect(await world.finish(world.stack.grow())).toEqual({ ok: true, reason: 'all slots are served' });
  expect(rowOf(world, 'oss-02').volumes).toEqual(volumes);
  await recovered(world);
});

test('a stack is deleted: every server goes, the volumes stay as they are', async () => {
  const world = await deployed();
  expect(await world.finish(world.stack.delete())).toMatchObject({ ok: true });
  await world.run(10 * MINUTE);
  expect([...world.ec2.instances.values()].every((instance) => instance.state === 'terminated')).toBe(true);
  expect([...world.ec2.volumes.values()].map((volume) => volume.state)).toEqual(Array(4).fill('available'));
  expect(world.ec2.interfaces.size).toBe(0);
  expect(rowOf(world)).toMatchObject({ released: true });
  const { calls } = world;
  await world.run(60 * MINUTE);
  expect(world.calls).toBe(calls);
});

test('a server that reboots serves what it was told last', async () => {
  const world = await deployed();
  const owner = ownerOf(world);
  expect(world.hosts.reboot(owner)).toBe(true);
  expect(world.hosts.all.get(owner)?.serving).toBe(false);
  await world.run(5 * MINUTE, () => world.isServed());
  expect([world.isServed(), ownerOf(world)]).toEqual([true, owner]);
});

test('a workflow that somebody starts with nothing looks and ends', async () => {
  const world = await deployed();
  const execution = world.workflows.startByHand();
  await world.run(MINUTE, () => execution.status !== 'RUNNING');
  expect(execution).toMatchObject({ status: 'SUCCEEDED', output: { cause: 'started by hand' } });
  expect(execution.output).toMatchObject({ result: { outcome: 'served', servedSlots: 2 } });
});

test.each([
  ['ec2', 60],
  ['dynamodb', 30],
] as const)('an update goes on when %s refuses everything for %i s', async (service, seconds) => {
  const window = { from: Number.POSITIVE_INFINITY, to: 0 };
  const onCall = (call: Call): CallFault | undefined =>
    call.service === service && call.at >= window.from && call.at < window.to
      ? { kind: 'throttle' }
      : undefined;
  const world = await deployed({ faults: { ...NO_FAULTS, onCall } });
  Object.assign(window, { from: world.now(), to: world.now() + seconds * 1000 });
  expect(await world.finish(world.stack.grow())).toEqual({ ok: true, reason: 'all slots are served' });
  await recovered(world);
});

test('after a rollback that failed nothing but the rollback goes on, and then all is served', async () => {
  // The rollback comes before a server is told to format.
  const world = await deployed({ timings: { undoing: [1000, 1000] } });
  const { networkInterfaceId } = rowOf(world);
  const undone = world.stack.grow();
  await world.run(5_000);
  // Nobody can seed a tier of which a row cannot be read.
  world.map.editRow('slot#oss-00', (row) => Object.assign(row, { networkInterfaceId: undefined }));
  expect(world.stack.rollBack()).toBe(true);
  expect(await world.finish(undone)).toMatchObject({
    ok: false,
    reason: expect.stringContaining('not undone'),
  });
  expect(world.stack.status).toBe('UPDATE_ROLLBACK_FAILED');
  expect(await world.finish(world.stack.grow())).toEqual({ ok: false, reason: 'UPDATE_ROLLBACK_FAILED' });
  world.map.editRow('slot#oss-00', (row) => Object.assign(row, { networkInterfaceId }));
  expect(await world.finish(world.stack.continueRollback())).toMatchObject({ ok: true });
  expect(world.stack.status).toBe('UPDATE_COMPLETE');
  await world.run(60 * MINUTE, () => world.isServed() && world.group.members.size === 2);
  await recovered(world);
  expect(world.group.members.size).toBe(2);
});

test('while what became of commands cannot be read, launches are kept, and another slot gets its server', async () => {
  const window = { from: Number.POSITIVE_INFINITY, to: 0 };
  const reads = ['GetCommandInvocation', 'ListCommandInvocations'];
  const onCall = (call: Call): CallFault | undefined =>
    reads.includes(call.operation) && call.at >= window.from && call.at < window.to
      ? { kind: 'server-error-before' }
      : undefined;
  const world = await deployed({ faults: { ...NO_FAULTS, onCall } });
  Object.assign(window, { from: world.now(), to: world.now() + 30 * MINUTE });
  const first = ownerOf(world);
  world.ec2.terminate(first);
  await world.run(10 * MINUTE);
  const second = ownerOf(world, 'oss-01');
  world.ec2.terminate(second);
  await world.run(15 * MINUTE);
  for (const slot of ['oss-00', 'oss-01'])
    expect(volumesOf(world, slot).map(({ attachments }) => attachments[0]?.instanceId)).toEqual(
      Array(2).fill(ownerOf(world, slot)),
    );
  expect([first, second]).not.toContain(ownerOf(world));
  expect(ownerOf(world, 'oss-01')).not.toBe(second);
  const owners = [ownerOf(world), ownerOf(world, 'oss-01')];
  await recovered(world, first);
  expect([ownerOf(world), ownerOf(world, 'oss-01')]).toEqual(owners);
});
