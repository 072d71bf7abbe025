import { run } from '../../../lambda/health-prober/handler';
import type { Ports } from '../../../lambda/health-prober/ports';
import { FakeTier } from './fake-tier';
import { ago, fails, PROGRAM, serverOf, settings } from './tier';

/** Rounds, one a minute. */
async function rounds(world: FakeTier, count: number): Promise<void> {
  for (let round = 0; round < count; round++) {
    await run(world.ports(), settings(world.slots));
    world.tick();
  }
}

const hanging = (slots = 3): FakeTier => {
  const world = new FakeTier(slots);
  world.condition.set('oss-01', fails('oss-01'));
  return world;
};

const mapOf = ({ map }: Ports): Ports['map'] => ({
  read: () => map.read(),
  count: (claim, record) => map.count(claim, record),
  mark: (claim, record, marks, before) => map.mark(claim, record, marks, before),
  begin: (round) => map.begin(round),
});

const last = (world: FakeTier) => world.metrics[world.metrics.length - 1]!;

test('a service that hangs is declared unhealthy after three rounds, and no other one', async () => {
  const world = hanging();
  await rounds(world, 3);
  expect(world.unhealthy).toEqual([]);
  expect(last(world)).toEqual({
    UnprobedServers: 0,
    MissingServices: 1,
    ServersDeclaredUnhealthy: 0,
    ReplacementsWithheld: 0,
  });
  await rounds(world, 1);
  expect(world.unhealthy).toEqual(['i-oss-01']);
  expect(last(world)).toMatchObject({ ServersDeclaredUnhealthy: 1, ReplacementsWithheld: 0 });
  expect(world.lines).toContainEqual(
    expect.objectContaining({ slot: 'oss-01', misses: 3, why: 'nfsd does not answer' }),
  );
  // The group replaces it; until then it is not asked, and nobody else is replaced.
  world.condition.set('oss-02', fails('oss-02'));
  await rounds(world, 10);
  expect(world.unhealthy).toEqual(['i-oss-01']);
});

test('a slot whose servers were replaced three times today does not keep another one from being replaced', async () => {
  const world = new FakeTier(20);
  const marks = [10, 8, 6].map((hours) => ({ slot: 'oss-01', owner: `i-${hours}`, at: ago(60 * hours) }));
  world.state = { ...world.state, marks };
  for (const slot of ['oss-01', 'oss-02']) world.condition.set(slot, fails(slot));
  await rounds(world, 4);
  expect(world.unhealthy).toEqual(['i-oss-02']);
});

test('of two that fail one waits for the other', async () => {
  const world = new FakeTier(20);
  for (const slot of ['oss-01', 'oss-02']) world.condition.set(slot, fails(slot));
  await rounds(world, 4);
  expect(world.unhealthy).toEqual(['i-oss-01']);
  world.members.delete('i-oss-01');
  await rounds(world, 10);
  expect(world.unhealthy).toEqual(['i-oss-01']);
});

test('a server that its group calls unhealthy, and does not replace, counts as one that nobody asks', async () => {
  const world = new FakeTier(3);
  world.suspended = ['ReplaceUnhealthy'];
  await rounds(world, 2);
  expect(last(world)).toMatchObject({ UnprobedServers: 0 });
  world.members.set('i-oss-01', { instanceId: 'i-oss-01', lifecycle: 'InService', healthy: false });
  await rounds(world, 2);
  expect(last(world)).toMatchObject({ UnprobedServers: 1, MissingServices: 0 });
  expect(world.lines[world.lines.length - 1]).toMatchObject({ unknown: ['oss-01'] });
});

test('rounds that cannot be noted, since somebody edited the map, are rounds in which nobody is asked', async () => {
  const world = new FakeTier(3);
  const ports = world.ports();
  const map = { ...mapOf(ports), begin: async () => false };
  for (let round = 0; round < 3; round++) {
    await run({ ...ports, map }, settings(3));
    world.tick();
  }
  expect(last(world)).toMatchObject({ UnprobedServers: 3, MissingServices: 0 });
});

test('one that serves again in between is left alone', async () => {
  const world = hanging();
  await rounds(world, 2);
  world.condition.clear();
  await rounds(world, 1);
  world.condition.set('oss-01', fails('oss-01'));
  await rounds(world, 3);
  expect(world.unhealthy).toEqual([]);
});

test('that a server serves is written once for each program, and not in every round', async () => {
  const world = new FakeTier(3);
  await rounds(world, 5);
  expect(world.counts).toBe(0);
  const asked = (program: string) => run(world.ports(), { ...settings(3), program });
  // The prober is new, the document is not yet.
  for (let round = 0; round < 3; round++) {
    await asked('c0c');
    world.tick();
  }
  expect(world.counts).toBe(0);
  world.program = 'c0c';
  for (let round = 0; round < 5; round++) {
    await asked('c0c');
    world.tick();
  }
  expect(world.counts).toBe(3);
  expect(world.state.rows.slots.map(({ probe }) => probe?.provenBy)).toEqual(['c0c', 'c0c', 'c0c']);
  expect(PROGRAM).not.toBe('c0c');
});

test('two servers of a large tier are replaced one after the other', async () => {
  const world = new FakeTier(30);
  for (const slot of ['oss-01', 'oss-02']) world.condition.set(slot, fails(slot));
  await rounds(world, 6);
  expect(world.unhealthy).toEqual(['i-oss-01']);
  // The replacement came.
  const owner = 'i-new';
  world.state = {
    ...world.state,
    rows: {
      ...world.state.rows,
      slots: world.state.rows.slots.map((row) =>
        row.slot === 'oss-01' ? { ...row, owner, epoch: 3, servedEpoch: 3 } : row,
      ),
    },
  };
  world.members.delete('i-oss-01');
  world.members.set(owner, { instanceId: owner, lifecycle: 'InService', healthy: true });
  world.condition.delete('oss-01');
  await rounds(world, 9);
  expect(world.unhealthy).toEqual(['i-oss-01']);
  expect(last(world)).toMatchObject({ ReplacementsWithheld: 1 });
  await rounds(world, 5);
  expect(world.unhealthy).toEqual(['i-oss-01', 'i-oss-02']);
});

describe('nobody is declared unhealthy', () => {
  test('while the stack is being changed; and then it is', async () => {
    const world = hanging();
    world.stackStatus = 'UPDATE_IN_PROGRESS';
    await rounds(world, 8);
    expect(world.unhealthy).toEqual([]);
    expect(JSON.stringify(world.lines)).toContain('the stack is UPDATE_IN_PROGRESS');
    world.stackStatus = 'UPDATE_COMPLETE';
    await rounds(world, 1);
    expect(world.unhealthy).toEqual(['i-oss-01']);
  });

  test('while an instance refresh is under way', async () => {
    const world = hanging();
    world.refreshing = true;
    await rounds(world, 8);
    expect(world.unhealthy).toEqual([]);
  });

  test('while all fail at once', async () => {
    const world = new FakeTier(3);
    for (const { slot } of world.state.rows.slots) world.condition.set(slot, fails(slot));
    await rounds(world, 8);
    expect(world.unhealthy).toEqual([]);
    expect(last(world)).toMatchObject({ MissingServices: 3, ReplacementsWithheld: 1 });
  });

  test('while commands are not delivered', async () => {
    const world = new FakeTier(3);
    for (const { slot } of world.state.rows.slots) world.condition.set(slot, { is: 'unknown', why: 'x' });
    await rounds(world, 8);
    expect(world.unhealthy).toEqual([]);
    expect(last(world)).toMatchObject({ UnprobedServers: 3, MissingServices: 0 });
  });

  test('while CloudFormation throttles', async () => {
    const world = hanging();
    world.broken.add('stack');
    await rounds(world, 8);
    expect(world.unhealthy).toEqual([]);
    expect(last(world)).toMatchObject({ ReplacementsWithheld: 1 });
    world.broken.clear();
    await rounds(world, 1);
    expect(world.unhealthy).toEqual(['i-oss-01']);
  });

  test.each(['map', 'group', 'hosts'] as const)('while %s throttles, which is told', async (port) => {
    const world = hanging();
    await rounds(world, 2);
    world.broken.add(port);
    await rounds(world, 5);
    expect(world.unhealthy).toEqual([]);
    expect(last(world)).toMatchObject({ UnprobedServers: 3 });
    world.broken.clear();
    await rounds(world, 5);
    expect(world.unhealthy).toEqual(['i-oss-01']);
  });

  test.each(['that never worked', 'that a deployment has changed'])(
    'by a probe %s, which is told; and not by the next one until it has said that they serve',
    async (which) => {
      const world = new FakeTier(1);
      world.condition.set('oss-00', fails('oss-00'));
      const [row] = world.state.rows.slots;
      const provenBy = which === 'that never worked' ? undefined : 'a11';
      const slots = [{ ...row!, probe: provenBy ? { ...row!.probe!, provenBy } : undefined }];
      world.state = { ...world.state, rows: { ...world.state.rows, slots } };
      await rounds(world, 1500);
      expect(world.unhealthy).toEqual([]);
      expect(last(world)).toMatchObject({ MissingServices: 1, ReplacementsWithheld: 1 });
      expect(JSON.stringify(world.lines.at(-1))).toContain('has never said of it that it serves');
      world.condition.delete('oss-00');
      await rounds(world, 2);
      world.condition.set('oss-00', fails('oss-00'));
      await rounds(world, 4);
      expect(world.unhealthy).toEqual(['i-oss-00']);
    },
  );

  test('of a tier that is released', async () => {
    const world = hanging();
    const slots = world.state.rows.slots.map((row) => ({ ...row, released: true }));
    world.state = { ...world.state, rows: { ...world.state.rows, slots } };
    await rounds(world, 6);
    expect(world.unhealthy).toEqual([]);
    expect(world.calls).toBe(6);
  });
});

test('events that come twice, or too early, ask nobody again', async () => {
  const world = hanging();
  await run(world.ports(), settings(3));
  const { calls } = world;
  world.now += 10_000;
  expect(await run(world.ports(), settings(3))).toMatchObject({ outcome: 'too-early' });
  expect(world.calls).toBe(calls + 1);
});

test('two runs at once count a round once and declare one server unhealthy', async () => {
  const world = hanging();
  for (let round = 0; round < 4; round++) {
    await Promise.all([run(world.ports(), settings(3)), run(world.ports(), settings(3))]);
    const misses = world.state.rows.slots[1]!.probe?.misses ?? 0;
    expect(misses).toBe(round);
    world.tick();
  }
  expect(new Set(world.unhealthy)).toEqual(new Set(['i-oss-01']));
  expect(world.state.marks).toHaveLength(1);
});

test('a server is not declared unhealthy when another run was first to declare one', async () => {
  const world = hanging();
  await rounds(world, 3);
  const ports = world.ports();
  const result = await run({ ...ports, map: { ...mapOf(ports), mark: async () => false } }, settings(3));
  expect(world.unhealthy).toEqual([]);
  expect(result.withheld).toContain('has changed since it was read');
});

test('a crash before or after any call delays at most, and never has two servers replaced', async () => {
  const clean = hanging();
  await rounds(clean, 4);
  expect(clean.calls).toBeGreaterThan(20);
  for (let call = 1; call <= clean.calls; call++) {
    for (const when of ['before', 'after'] as const) {
      const world = hanging();
      Object.assign(world, { crashAt: call, crashWhen: when });
      await rounds(world, 7);
      expect({ call, when, unhealthy: [...new Set(world.unhealthy)] }).toEqual({
        call,
        when,
        unhealthy: [serverOf('oss-01')],
      });
      expect(world.state.marks.length).toBe(1);
    }
  }
});
