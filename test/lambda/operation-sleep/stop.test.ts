import type { Answer } from '../../../lambda/operation-sleep/ports';
import { CLUSTER, LUSTRE, World } from './world';

const failed = (exitCode: number | undefined, said: string): Answer => ({ state: 'ended', exitCode, said });

test('users stop first, then what serves them, each tier when it is unmounted', async () => {
  const world = new World();
  await expect(world.run('stop')).resolves.toMatchObject({ outcome: 'done' });
  expect(world.events).toEqual([
    'sleep mgs',
    'sleep mds',
    'sleep oss',
    'stop i-control,i-node1',
    'unmount i-2',
    'resize g-mds 0',
    // Not the spare, which has nothing mounted.
    'unmount i-3,i-4',
    'resize g-oss 0',
    'unmount i-1',
    'resize g-mgs 0',
  ]);
  expect([...world.groups.values()].flatMap(({ members }) => members)).toEqual([]);
  expect([...world.rows.values()].flat().map(({ phase }) => phase)).toEqual(Array(4).fill('asleep'));
  // Not the one that somebody had stopped before.
  expect(world.night).toMatchObject({ nodes: ['i-control', 'i-node1'], dawns: false });
});

test('no server is told to unmount while a node is up', async () => {
  const world = new World();
  world.nodesStop = false;
  const startedAt = new Date(world.ports().now()).toISOString();
  for (let step = 0; step < 10; step++) await world.step('stop', {}, 'stop-1', startedAt);
  expect(world.events.filter((one) => !one.startsWith('sleep'))).toEqual(['stop i-control,i-node1']);
});

test('the nodes of a cluster leave it all at once', async () => {
  const world = new World(CLUSTER);
  await expect(world.run('stop')).resolves.toMatchObject({ outcome: 'done' });
  expect(world.events).toEqual(['unmount i-1,i-2', 'resize g-1 0', 'resize g-2 0']);
});

test('a deployment that sleeps is stopped again without a word', async () => {
  const world = new World();
  await world.run('stop');
  const { state } = world;
  world.events.length = 0;
  await expect(world.run('stop', {}, 'stop-2')).resolves.toMatchObject({ outcome: 'done' });
  expect(world.events).toEqual([]);
  expect(world.state).toEqual(state);
});

describe('an obstacle', () => {
  const OBSTACLES: [string, RegExp, (world: World) => void][] = [
    [
      'a deployment',
      /A deployment is under way: grid-storage is UPDATE_IN_PROGRESS/,
      (world) => {
        world.changing = ['grid-storage is UPDATE_IN_PROGRESS'];
      },
    ],
    [
      'a slot without a server',
      /Slot mds-00 is not served: no server/,
      (world) => {
        const [slot] = world.rows.get('mds')!;
        world.launches = false;
        world.groups.get('g-mds')!.members = [];
        world.rows.set('mds', [{ ...slot!, owner: undefined, reason: 'no server' }]);
      },
    ],
    [
      'a slot that is being served',
      /Slot oss-01 is not served: serving/,
      (world) => {
        const [first, second] = world.rows.get('oss')!;
        world.rows.set('oss', [first!, { ...second!, servedEpoch: 0, phase: 'serving' }]);
      },
    ],
    [
      'a row that cannot be read',
      /row of slot oss-00 cannot be read: epoch/,
      (world) => {
        world.broken = [{ slot: 'oss-00', problem: 'epoch' }];
      },
    ],
    [
      'a refresh',
      /Servers of tier mgs are being refreshed/,
      (world) => {
        world.refreshing = true;
      },
    ],
    [
      'somebody at work',
      /Somebody is at work: i-node1: sas has 2 processes at work/,
      (world) => {
        world.answers.set('work i-node1', failed(10, 'sas has 2 processes at work'));
      },
    ],
    [
      'a node that is silent',
      /cannot be told: i-node1: /,
      (world) => {
        world.answers.set('work i-node1', { state: 'silent', said: 'the command is DeliveryTimedOut' });
      },
    ],
    [
      'a node that does not answer',
      /cannot be told: i-node1: it did not answer in time/,
      (world) => {
        world.answers.set('work i-node1', { state: 'pending', said: '' });
      },
    ],
    [
      'a node that cannot tell',
      /cannot be told: i-node1: no find/,
      (world) => {
        world.answers.set('work i-node1', failed(1, 'no find'));
      },
    ],
  ];

  test.each(OBSTACLES)('%s refuses, and nothing was changed', async (_name, words, harm) => {
    const world = new World();
    harm(world);
    const result = await world.run('stop');
    expect(result).toMatchObject({ outcome: 'refused', waitSeconds: expect.any(Number) });
    expect(result.message).toMatch(words);
    expect(result.message).toMatch(/--force/);
    expect(world.events).toEqual([]);
    expect(world.night).toBeUndefined();
  });

  test.each(OBSTACLES.filter(([name]) => !name.includes('row')))(
    '%s is none with --force',
    async (_n, _w, harm) => {
      const world = new World();
      harm(world);
      await expect(world.run('stop', { force: true })).resolves.toMatchObject({ outcome: 'done' });
      expect([...world.groups.values()].every(({ desired, members }) => desired + members.length === 0)).toBe(
        true,
      );
    },
  );

  test('users of hosts with volumes of their own are asked, too', async () => {
    const world = new World(CLUSTER);
    world.answers.set('work i-2', failed(10, 'sas has 1 process at work'));
    await expect(world.run('stop')).resolves.toMatchObject({ outcome: 'refused' });
    expect(world.events).toEqual([]);
  });

  test('data that would be lost refuse, whatever was said', async () => {
    const world = new World({ ...LUSTRE, refusal: 'It lies on instance store.' });
    const refused = { outcome: 'refused', message: 'It lies on instance store.' };
    await expect(world.run('stop', { force: true })).resolves.toMatchObject(refused);
    expect(world.events).toEqual([]);
  });
});

describe('a server that cannot unmount', () => {
  test.each<[string, Answer]>([
    ['fails', failed(1, '/export/sasdata could not be unmounted: target is busy')],
    ['is silent', { state: 'silent', said: 'its agent could not be reached' }],
    ['never answers', { state: 'pending', said: '' }],
    ['has no exit code', failed(undefined, '')],
  ])('that %s is not let go, and no other one after it', async (_name, answer) => {
    const world = new World();
    world.answers.set('unmount i-4', answer);
    const result = await world.run('stop');
    expect(result.outcome).toBe('failed');
    expect(result.message).toMatch(
      /^tier oss is not let go, since it could not be unmounted: i-4: .*--force/s,
    );
    expect(world.events.filter((one) => one.startsWith('resize'))).toEqual(['resize g-mds 0']);
    expect(world.groups.get('g-oss')!.members).toHaveLength(3);
  });

  test('is let go with --force', async () => {
    const world = new World();
    world.answers.set('unmount i-4', failed(1, 'busy'));
    await expect(world.run('stop', { force: true })).resolves.toMatchObject({ outcome: 'done' });
  });

  test('is told again by the next execution, which goes on with it', async () => {
    const world = new World();
    world.answers.set('unmount i-4', failed(1, 'busy'));
    await world.run('stop');
    world.answers.clear();
    world.events.length = 0;
    await expect(world.run('stop', {}, 'stop-2')).resolves.toMatchObject({ outcome: 'done' });
    expect(world.events).toEqual(['unmount i-3,i-4', 'resize g-oss 0', 'unmount i-1', 'resize g-mgs 0']);
    expect(world.night?.nodes).toEqual(['i-control', 'i-node1']);
  });
});

test('nodes that somebody started since a stop failed are asked first', async () => {
  const world = new World();
  world.answers.set('unmount i-1', failed(1, 'busy'));
  await world.run('stop');
  world.nodes.set('i-node1', 'running');
  world.answers.set('work i-node1', failed(10, 'sas has 1 process at work'));
  world.answers.delete('unmount i-1');
  const refused = await world.run('stop', {}, 'stop-2');
  expect(refused).toMatchObject({ outcome: 'refused', message: expect.stringMatching(/i-node1: sas has 1/) });
  expect(world.nodes.get('i-node1')).toBe('running');
  world.answers.clear();
  await expect(world.run('stop', {}, 'stop-3')).resolves.toMatchObject({ outcome: 'done' });
});

test('a node that somebody is stopping at that time is not one that ran', async () => {
  const world = new World();
  world.nodes.set('i-spent', 'stopping');
  const startedAt = new Date(world.ports().now()).toISOString();
  await world.step('stop', { force: true }, 'stop-1', startedAt);
  await world.run('stop', { force: true });
  expect(world.night?.nodes).toEqual(['i-control', 'i-node1']);
});

test('a server that has just been given a slot is waited for, and unmounts then', async () => {
  const world = new World();
  const startedAt = new Date(world.ports().now()).toISOString();
  while (!world.events.includes('resize g-mds 0')) await world.step('stop', {}, 'stop-1', startedAt);
  const [first, second] = world.rows.get('oss')!;
  // The spare has it now, and the map does not say yet that it serves.
  world.groups.get('g-oss')!.members.splice(0, 1);
  world.groups.get('g-oss')!.desired = 2;
  world.rows.set('oss', [{ ...first!, owner: 'i-5', epoch: 2, servedEpoch: 1, phase: 'serving' }, second!]);
  world.interrupt();
  for (let step = 0; step < 5; step++) await world.step('stop', {}, 'stop-2', startedAt);
  expect(world.events).not.toContain('resize g-oss 0');
  world.rows.set('oss', [{ ...first!, owner: 'i-5', epoch: 2, servedEpoch: 2, phase: 'served' }, second!]);
  await expect(world.run('stop', {}, 'stop-2')).resolves.toMatchObject({ outcome: 'done' });
  expect(world.events).toContain('unmount i-4,i-5');
});
