import { decide } from '../../../lambda/volume-reconciler/domain';
import type { Member, Observation } from '../../../lambda/volume-reconciler/ports';
import { metricsOf } from '../../../lambda/volume-reconciler/result';
import { drive, driveSlowly, Process } from './drive';
import { row, SETTINGS, World } from './world';

const WITH_SPARE = { ...SETTINGS, spareServers: 1 };

/** A tier of two slots and a spare, of which one more pass has let the spare into service. */
async function deployed(spares = 1, boot?: number): Promise<World> {
  const world = new World(2, spares, boot);
  const settings = { ...SETTINGS, spareServers: spares };
  await drive(world, undefined, 'deployment', settings);
  world.advance(2);
  return world;
}

function expectSound(world: World, spares = 1): void {
  expect(world.violations).toEqual([]);
  const rows = [...world.map.slots.values()];
  for (const slot of rows) {
    expect(slot).toMatchObject({ phase: 'served', servedEpoch: slot.epoch });
    expect(world.machines.get(slot.owner!)).toMatchObject({ state: 'running', serves: slot.slot });
    expect(world.lifecycle.get(slot.owner!)).toBe('InService');
    for (const { volumeId } of slot.volumes) expect(world.disks.get(volumeId)).toMatchObject({ formats: 1 });
  }
  expect(world.idle()).toHaveLength(spares);
}

async function recover(world: World, settings = WITH_SPARE): Promise<number> {
  const from = world.now;
  world.kill(world.ownerOf('oss-00')!);
  world.advance(1);
  await drive(world, undefined, `recovery at ${world.now}`, settings);
  return (Date.parse(world.map.slots.get('oss-00')!.timeline.completed!) - from) / 1000;
}

test('a deployment ends with every slot served and a spare in service, which owns nothing', async () => {
  const world = await deployed();
  expectSound(world);
  expect(world.map.owners.size).toBe(2);
});

test('a spare takes the slot as soon as the lost server is terminated, and the next launch is the spare', async () => {
  const world = await deployed(1, 120);
  const [spare] = world.idle();
  const plain = new World(2, 0, 120);
  await drive(plain, undefined, 'deployment');
  plain.advance(2);

  const withSpare = await recover(world);
  const without = await recover(plain, SETTINGS);
  expect(world.ownerOf('oss-00')).toBe(spare);
  // 20 s to shut down, then some seconds to attach and to serve; a cold launch boots for two minutes.
  expect(withSpare).toBeLessThan(40);
  expect(without).toBeGreaterThan(120);

  // The pass of the schedule after the launch has booted.
  world.advance(150);
  await drive(world, undefined, 'schedule', WITH_SPARE);
  world.advance(2);
  expectSound(world);
  expect(world.idle()).not.toContain(spare);
});

test('every recovery takes the spare of the one before', async () => {
  const world = await deployed();
  for (let round = 0; round < 3; round++) {
    const [spare] = world.idle();
    await recover(world);
    expect(world.ownerOf('oss-00')).toBe(spare);
    world.advance(30);
    await drive(world, undefined, `schedule ${round}`, WITH_SPARE);
    world.advance(2);
    expectSound(world);
  }
  expect(world.map.recoveries.map(({ recovery }) => recovery.bySpare)).toEqual([true, true, true]);
});

test('more servers lost than there are spares: one slot is served by the spare, the other by a launch', async () => {
  const world = await deployed(1, 60);
  for (const slot of ['oss-00', 'oss-01']) world.kill(world.ownerOf(slot)!);
  world.advance(1);
  await drive(world, undefined, 'recovery', WITH_SPARE);
  world.advance(120);
  await drive(world, undefined, 'schedule', WITH_SPARE);
  world.advance(2);
  expectSound(world);
  expect(world.map.recoveries.map(({ recovery }) => recovery.bySpare)).toEqual([true, false]);
});

test('a spare that is lost is replaced and no slot is touched', async () => {
  const world = await deployed();
  const before = [...world.map.slots.values()].map(({ slot, owner, epoch }) => ({ slot, owner, epoch }));
  world.kill(world.idle()[0]!);
  world.advance(40);
  await drive(world, undefined, 'schedule', WITH_SPARE);
  world.advance(2);
  expectSound(world);
  expect([...world.map.slots.values()]).toMatchObject(before);
});

test('a spare that cannot serve is called unhealthy and another server takes the slot', async () => {
  const world = await deployed();
  const [spare] = world.idle();
  world.failures.push(1, 1, 1);
  await recover(world);
  expect(world.unhealthy).toEqual([spare]);
  expect(world.machines.get(spare!)?.state).toBe('terminated');
  expect(world.map.slots.get('oss-00')).toMatchObject({ epoch: 3 });
  world.advance(60);
  await drive(world, undefined, 'schedule', WITH_SPARE);
  world.advance(2);
  expectSound(world);
});

test('a spare that is not ready in time is called unhealthy; a server that once served is not', async () => {
  const world = await deployed();
  const [spare] = world.idle();
  world.kill(world.ownerOf('oss-00')!);
  world.failures.push(...Array<number>(2000).fill(75));
  world.advance(1);
  await drive(world, undefined, 'one', WITH_SPARE, 3000);
  expect(world.unhealthy).toEqual([]);
  await drive(world, undefined, 'two', WITH_SPARE, 1200);
  expect(world.unhealthy).toEqual([spare]);

  const another = await deployed();
  another.disks.get('vol-00')!.attachment = undefined;
  another.failures.push(...Array<number>(2000).fill(1));
  await drive(another, undefined, 'run', WITH_SPARE, 5000);
  expect(another.unhealthy).toEqual([]);
});

test('a crash before or after every single call of a recovery by a spare is healed', async () => {
  const start = async () => {
    const world = await deployed();
    world.kill(world.ownerOf('oss-00')!);
    world.advance(1);
    return world;
  };
  const counting = await start();
  const count = new Process(counting.ports());
  await driveSlowly(counting, count, WITH_SPARE);
  expect(count.calls).toBeGreaterThan(40);
  for (let call = 1; call <= count.calls; call++) {
    for (const when of ['before', 'after'] as const) {
      const world = await start();
      const [spare] = world.idle();
      const process = new Process(world.ports(), call, when);
      await driveSlowly(world, process, WITH_SPARE);
      const { recoveries } = world.map;
      const where = `${when} call ${call}, ${process.names[call - 1]}`;
      const found = { owner: world.ownerOf('oss-00'), bad: world.violations, recorded: recoveries.length };
      expect({ where, ...found }).toEqual({ where, owner: spare, bad: [], recorded: 1 });
    }
  }
});

describe('one look', () => {
  const NOW = Date.parse('2026-01-01T12:00:00Z');
  const member = (instanceId: string, lifecycle: string): Member => ({
    instanceId,
    lifecycle,
    healthy: true,
  });
  const served = (slot: string, index: number, owner: string) => ({
    ...row(slot, `eni-${index}`, [{ volumeId: `vol-${index}`, device: '/dev/sdf' }]),
    owner,
    epoch: 1,
    servedEpoch: 1,
    formatted: true,
    phase: 'served' as const,
    timeline: { claimed: '2026-01-01T11:00:00Z', completed: '2026-01-01T11:01:00Z' },
  });
  const seen = (members: Member[], launchedAgo = 0): Observation => ({
    now: NOW,
    beatAt: NOW,
    rows: { slots: [served('oss-00', 0, 'i-1'), served('oss-01', 1, 'i-2')], owners: [], broken: [] },
    members: [member('i-1', 'InService'), member('i-2', 'InService'), ...members],
    instances: ['i-1', 'i-2', 'i-3', 'i-4'].map((id) => ({
      id,
      state: 'running',
      zone: 'a',
      launchedAt: NOW - launchedAgo * 1000,
    })),
    volumes: ['i-1', 'i-2'].map((instanceId, index) => ({
      id: `vol-${index}`,
      state: 'in-use',
      zone: 'a',
      attachments: [{ instanceId, state: 'attached' }],
      formatted: true,
      fromSnapshot: false,
    })),
    interfaces: ['i-1', 'i-2'].map((instanceId, index) => ({
      id: `eni-${index}`,
      status: 'in-use',
      zone: 'a',
      attachment: { id: `a-${index}`, instanceId, state: 'attached' },
    })),
    commands: {},
  });

  test('a spare is let into service at once when all is served, a further server only after the grace', () => {
    const both = seen([member('i-3', 'Pending:Wait'), member('i-4', 'Pending:Wait')]);
    expect(decide(both, WITH_SPARE).actions).toEqual([
      expect.objectContaining({ kind: 'complete', instanceId: 'i-3', result: 'CONTINUE' }),
    ]);
    expect(decide(both, SETTINGS).actions).toEqual([]);
  });

  test('a spare keeps its place for as long as a slot waits for a person', () => {
    const late = seen([member('i-3', 'Pending:Wait')], 3600);
    const blocked = {
      ...late,
      rows: { ...late.rows, slots: late.rows.slots.map((each) => ({ ...each, servedEpoch: 0 })) },
    };
    const results = (settings: typeof SETTINGS) =>
      decide(blocked, settings).actions.flatMap((action) =>
        action.kind === 'complete' ? [action.result] : [],
      );
    expect(results(WITH_SPARE)).toEqual(['CONTINUE']);
    expect(results(SETTINGS)).toEqual([]);
  });

  test('the spare counts as one, and as no slot that is not served', () => {
    const metrics = metricsOf(decide(seen([member('i-3', 'InService')]), WITH_SPARE), 2);
    expect(metrics).toMatchObject({ ServedSlots: 2, UnservedSlots: 0, VacantSlots: 0, SpareServers: 1 });
    expect(metricsOf(decide(seen([]), SETTINGS), 2)).not.toHaveProperty('SpareServers');
  });

  test('a server of a type that is there for want of capacity is counted', () => {
    const { instances, ...rest } = seen([]);
    const other = instances.map((each, index) => ({
      ...each,
      type: index === 0 ? 'm6idn.large' : 'm6in.large',
    }));
    const counted = (fallbackTypes?: string[]) =>
      metricsOf(decide({ ...rest, instances: other }, { ...SETTINGS, fallbackTypes }), 2).FallbackServers;
    expect([counted(['m6idn.large']), counted(['c6in.large']), counted()]).toEqual([1, 0, undefined]);
  });

  test('what a pass that died did not write down, the next one does when the server has everything', () => {
    const look = seen([]);
    const [first, second] = look.rows.slots;
    const timeline = { fenced: '2026-01-01T11:59:00Z', claimed: '2026-01-01T11:59:10Z' };
    const slots = [{ ...first!, servedEpoch: 0, timeline, claimedAt: timeline.claimed }, second!];
    const actions = decide({ ...look, rows: { ...look.rows, slots } }, WITH_SPARE).slots.flatMap(
      (slot) => slot.actions,
    );
    const now = new Date(NOW).toISOString();
    expect(actions).toMatchObject([{ kind: 'tell', note: { timeline: { detached: now, attached: now } } }]);
  });

  test('of two that could take a slot the one in service is taken', () => {
    const look = seen([member('i-3', 'Pending:Wait'), member('i-4', 'InService')]);
    const [first, second] = look.rows.slots;
    const vacant = { ...first!, owner: undefined, servedEpoch: 0 };
    const volumes = look.volumes.map((volume, index) =>
      index === 0 ? { ...volume, state: 'available', attachments: [] } : volume,
    );
    // The lost server is gone, and nothing of the slot hangs on it.
    const members = look.members!.filter(({ instanceId }) => instanceId !== 'i-1');
    const interfaces = look.interfaces.map(({ attachment, ...nic }, index) =>
      index === 0 ? { ...nic, status: 'available' } : { ...nic, attachment },
    );
    const rows = { ...look.rows, slots: [vacant, second!] };
    const decision = decide({ ...look, members, interfaces, volumes, rows }, WITH_SPARE);
    const claims = decision.slots.flatMap((slot) => slot.actions.filter(({ kind }) => kind === 'claim'));
    expect(claims).toMatchObject([{ claim: { slot: 'oss-00', owner: 'i-4' } }]);
  });
});
