import { CLUSTER, World } from './world';

async function sleeping(world = new World()): Promise<World> {
  await world.run('stop');
  world.events.length = 0;
  return world;
}

test('what serves comes first, each tier when the one before is served, then the nodes that ran', async () => {
  const before = new World().state;
  const world = await sleeping();
  await expect(world.run('start')).resolves.toEqual({
    outcome: 'done',
    message: 'grid is up: all slots are served, 2 hosts have mounted',
    waitSeconds: 5,
  });
  expect(world.events).toEqual([
    'wake mgs',
    'resize g-mgs 1',
    'wake mds',
    'resize g-mds 1',
    'wake oss',
    'resize g-oss 3',
    'start i-control,i-node1',
  ]);
  expect(world.state).toEqual(before);
});

test('a cluster comes back whole', async () => {
  const world = await sleeping(new World(CLUSTER));
  await expect(world.run('start')).resolves.toMatchObject({ outcome: 'done' });
  expect(world.events).toEqual(['resize g-1 1', 'resize g-2 1']);
});

test('a deployment that nobody stopped is left as it is', async () => {
  const world = new World();
  world.groups.get('g-oss')!.desired = 7;
  world.turn();
  const { state } = world;
  await expect(world.run('start')).resolves.toMatchObject({ outcome: 'done' });
  expect(world.events).toEqual([]);
  expect(world.state).toEqual(state);
});

test('no tier is woken before the one it needs is served, and no node before all are', async () => {
  const world = await sleeping();
  world.launches = false;
  const startedAt = new Date(world.ports().now()).toISOString();
  for (let step = 0; step < 5; step++) {
    const result = await world.step('start', {}, 'start-1', startedAt);
    expect(result).toMatchObject({ outcome: 'again', message: expect.stringMatching(/^Tier mgs: .*mgs-00/) });
  }
  expect(world.events).toEqual(['wake mgs', 'resize g-mgs 1']);
  world.launches = true;
  await expect(world.run('start')).resolves.toMatchObject({ outcome: 'done' });
});

test('a server that goes serves nothing, whatever its row says', async () => {
  const world = new World();
  world.groups.get('g-mds')!.members = [{ instanceId: 'i-2', lifecycle: 'Terminating:Wait' }];
  const startedAt = new Date(world.ports().now()).toISOString();
  const result = await world.step('start', {}, 'start-1', startedAt);
  expect(result).toMatchObject({
    outcome: 'again',
    message: 'Tier mds: waiting for mds-00 (its server i-2 goes)',
  });
});

test('a slot whose row cannot be read is none that is served', async () => {
  const world = await sleeping();
  world.broken = [{ slot: 'mgs-00', problem: 'attribute epoch is missing' }];
  const startedAt = new Date(world.ports().now()).toISOString();
  const result = await world.step('start', {}, 'start-1', startedAt);
  expect(result?.message).toMatch(/mgs-00 \(its row cannot be read: attribute epoch is missing\)/);
});

test('slots that are being released are not waited for', async () => {
  const world = await sleeping();
  world.launches = false;
  for (const [tier, rows] of world.rows)
    world.rows.set(
      tier,
      rows.map((one) => ({ ...one, released: true })),
    );
  await expect(world.run('start')).resolves.toMatchObject({ outcome: 'done' });
});

test('hosts are asked until all have mounted', async () => {
  const world = await sleeping();
  world.answers.set('mounted i-node1', { state: 'ended', exitCode: 75, said: '/sasdata is not mounted yet' });
  const startedAt = new Date(world.ports().now()).toISOString();
  const said = new Set<string>();
  for (let step = 0; step < 40; step++)
    said.add((await world.step('start', {}, 'start-1', startedAt))!.message);
  expect([...said].pop()).toBe('Waiting for mounts: i-node1: /sasdata is not mounted yet');
  expect(world.night).toMatchObject({ dawns: true });
  world.answers.clear();
  await expect(world.run('start')).resolves.toMatchObject({ outcome: 'done' });
  expect(world.night).toBeUndefined();
});

test('what never mounts ends it in time, and says what is missing', async () => {
  const world = await sleeping();
  world.answers.set('mounted i-node1', { state: 'ended', exitCode: 75, said: '/sasdata is not mounted yet' });
  const result = await world.run('start');
  expect(result.outcome).toBe('failed');
  expect(result.message).toMatch(/^It took too long\. .*mount/);
});

test('it is refused while a deployment is under way, unless forced', async () => {
  const world = await sleeping();
  world.changing = ['grid-storage is UPDATE_IN_PROGRESS'];
  await expect(world.run('start')).resolves.toMatchObject({
    outcome: 'refused',
    message: expect.stringMatching(/grid-storage is UPDATE_IN_PROGRESS.*--force/),
  });
  expect(world.events).toEqual([]);
  await expect(world.run('start', { force: true }, 'start-2')).resolves.toMatchObject({ outcome: 'done' });
});

test('whoever stops it again in the morning has to look first', async () => {
  const world = await sleeping();
  world.launches = false;
  await world.step('start', {}, 'start-1', new Date(world.ports().now()).toISOString());
  world.interrupt();
  await expect(world.run('stop', {}, 'stop-2')).resolves.toMatchObject({
    outcome: 'refused',
    message: expect.stringMatching(/Slot mgs-00 is not served/),
  });
  await expect(world.run('stop', { force: true }, 'stop-3')).resolves.toMatchObject({ outcome: 'done' });
  world.launches = true;
  await expect(world.run('start', {}, 'start-3')).resolves.toMatchObject({ outcome: 'done' });
  // Those that ran before the first night.
  expect(world.nodes).toEqual(
    new Map([
      ['i-control', 'running'],
      ['i-node1', 'running'],
      ['i-spent', 'stopped'],
    ]),
  );
});

test.each([
  ['Lustre', undefined],
  ['a cluster', CLUSTER],
])(
  'after a stop that came to no end what has unmounted goes, and comes back: %s',
  async (_what, settings) => {
    const world = new World(settings);
    const before = world.state;
    const startedAt = new Date(world.ports().now()).toISOString();
    // Until servers were told to unmount, and are not let go yet.
    while (!world.night?.unmounted.length) await world.step('stop', {}, 'stop-1', startedAt);
    const [first] = world.night.unmounted;
    world.interrupt();
    world.events.length = 0;
    await expect(world.run('start')).resolves.toMatchObject({ outcome: 'done' });
    const ofGroup = world.events.filter((event) => event.startsWith(`resize ${first} `));
    expect(ofGroup.map((event) => event.endsWith(' 0'))).toEqual([true, false]);
    expect(world.state).toEqual(before);
  },
);
