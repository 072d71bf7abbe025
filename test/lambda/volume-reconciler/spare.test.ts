import { decide } from '../../../lambda/volume-reconciler/domain';
import type { Member, Observation } from '../../../lambda/volume-reconciler/ports';
import { metricsOf } from '../../../lambda/volume-reconciler/result';
import { sample } from '../../helpers/exhaustive';
import { callsOf, drive, driveSlowly, Process } from './drive';
import { row, SETTINGS } from './settings';
import { Tier, type TierOptions } from './tier';

const WITH_SPARE = { ...SETTINGS, spareServers: 1 };

/** A tier of two slots and a spare, of which one more pass has let the spare into service. */
async function deployed(options: TierOptions = {}): Promise<Tier> {
  const tier = await Tier.launched({ spareServers: 1, ...options });
  const settings = { ...SETTINGS, spareServers: options.spareServers ?? 1 };
  await drive(tier, undefined, 'deployment', settings);
  await tier.advance(2);
  return tier;
}

function expectSound(tier: Tier, spares = 1): void {
  expect(tier.violations).toEqual([]);
  for (const slot of tier.rows) {
    const owner = slot.owner!;
    expect(slot).toMatchObject({ phase: 'served', servedEpoch: slot.epoch });
    expect([tier.stateOf(owner), tier.lifecycleOf(owner)]).toEqual(['running', 'InService']);
    expect(tier.world.hosts.all.get(owner)).toMatchObject({ serving: true, slot: slot.slot });
    for (const volume of tier.volumesOf(slot.slot)) expect(volume).toMatchObject({ formats: 1 });
  }
  expect(tier.idle).toHaveLength(spares);
}

async function recover(tier: Tier, settings = WITH_SPARE): Promise<number> {
  const from = tier.now;
  await tier.lose('oss-00');
  await drive(tier, undefined, `recovery at ${tier.now}`, settings);
  return (Date.parse(tier.rowOf('oss-00').timeline.completed!) - from) / 1000;
}

test('a deployment ends with every slot served and a spare in service, which owns nothing', async () => {
  const tier = await deployed();
  expectSound(tier);
  expect(Object.keys(tier.ownerRows)).toHaveLength(2);
});

test('a spare takes the slot as soon as the lost server is terminated, and the next launch is the spare', async () => {
  const tier = await deployed({ boot: 120 });
  const [spare] = tier.idle;
  const plain = await deployed({ spareServers: 0, boot: 120 });

  const withSpare = await recover(tier);
  const without = await recover(plain, SETTINGS);
  expect(tier.ownerOf('oss-00')).toBe(spare);
  // 20 s to shut down, then some seconds to attach and to serve; a cold launch boots for two minutes.
  expect(withSpare).toBeLessThan(40);
  expect(without).toBeGreaterThan(120);

  // The pass of the schedule after the launch has booted.
  await tier.advance(150);
  await drive(tier, undefined, 'schedule', WITH_SPARE);
  await tier.advance(2);
  expectSound(tier);
  expect(tier.idle).not.toContain(spare);
});

test('every recovery takes the spare of the one before', async () => {
  const tier = await deployed();
  for (let round = 0; round < 3; round++) {
    const [spare] = tier.idle;
    await recover(tier);
    expect(tier.ownerOf('oss-00')).toBe(spare);
    await tier.advance(30);
    await drive(tier, undefined, `schedule ${round}`, WITH_SPARE);
    await tier.advance(2);
    expectSound(tier);
  }
  expect(tier.recoveries.map(({ bySpare }) => bySpare)).toEqual([true, true, true]);
});

test('more servers lost than there are spares: one slot is served by the spare, the other by a launch', async () => {
  const tier = await deployed({ boot: 60 });
  for (const slot of ['oss-00', 'oss-01']) tier.world.ec2.terminate(tier.ownerOf(slot)!);
  await tier.advance(1);
  await drive(tier, undefined, 'recovery', WITH_SPARE);
  await tier.advance(120);
  await drive(tier, undefined, 'schedule', WITH_SPARE);
  await tier.advance(2);
  expectSound(tier);
  expect(tier.recoveries.map(({ bySpare }) => bySpare)).toEqual([true, false]);
});

test('a spare that is lost is replaced and no slot is touched', async () => {
  const tier = await deployed();
  const before = tier.rows.map(({ slot, owner, epoch }) => ({ slot, owner, epoch }));
  tier.world.ec2.terminate(tier.idle[0]!);
  await tier.advance(40);
  await drive(tier, undefined, 'schedule', WITH_SPARE);
  await tier.advance(2);
  expectSound(tier);
  expect(tier.rows).toMatchObject(before);
});

test('a spare that cannot serve is called unhealthy and another server takes the slot', async () => {
  const tier = await deployed();
  const [spare] = tier.idle;
  tier.hostsFail(1, 3);
  await recover(tier);
  expect(tier.unhealthy).toEqual([spare]);
  expect(tier.stateOf(spare!)).toBe('terminated');
  expect(tier.rowOf('oss-00')).toMatchObject({ epoch: 3 });
  await tier.advance(60);
  await drive(tier, undefined, 'schedule', WITH_SPARE);
  await tier.advance(2);
  expectSound(tier);
});

test('a spare that is not ready in time is called unhealthy; a server that once served is not', async () => {
  const tier = await deployed();
  const [spare] = tier.idle;
  tier.hostsFail(75, 2000);
  await tier.lose('oss-00');
  await drive(tier, undefined, 'one', WITH_SPARE, 3000, 5);
  expect(tier.unhealthy).toEqual([]);
  await drive(tier, undefined, 'two', WITH_SPARE, 1200, 5);
  expect(tier.unhealthy).toEqual([spare]);

  const another = await deployed();
  another.world.ec2.detachByHand(another.volumesOf('oss-00')[0]!.id);
  await another.advance(3);
  another.hostsFail(1, 2000);
  await drive(another, undefined, 'run', WITH_SPARE, 5000, 5);
  expect(another.unhealthy).toEqual([]);
});

test('a crash before or after every single call of a recovery by a spare is healed', async () => {
  // One recovery after the other: each leaves the tier as it was.
  const tier = await deployed({ quick: true });
  const start = async (): Promise<string> => {
    await drive(tier, undefined, `rest at ${tier.now}`, WITH_SPARE);
    await tier.advance(10);
    await drive(tier, undefined, `spare at ${tier.now}`, WITH_SPARE);
    await tier.advance(2);
    expectSound(tier);
    const [spare] = tier.idle;
    await tier.lose('oss-00');
    return spare!;
  };
  await start();
  const count = new Process();
  await driveSlowly(tier, count, WITH_SPARE);
  expect(count.calls).toBeGreaterThan(40);
  for (const call of sample(callsOf(count), 5)) {
    for (const when of ['before', 'after'] as const) {
      const spare = await start();
      const before = tier.recoveries.length;
      const process = new Process(undefined, call, when);
      await driveSlowly(tier, process, WITH_SPARE);
      const where = `${when} call ${call}, ${process.names[call - 1]}`;
      const recorded = tier.recoveries.length - before;
      const found = { owner: tier.ownerOf('oss-00'), bad: tier.violations, recorded };
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
