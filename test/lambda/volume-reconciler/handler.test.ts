import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { reconcile } from '../../../lambda/volume-reconciler/handler';
import { drive } from './drive';
import { SETTINGS, SILENT, World } from './world';

const event = (more: object = {}) => ({
  action: 'reconcile',
  execution: 'run',
  startedAt: '2026-01-01T00:00:00Z',
  deadlineSeconds: 3600,
  cause: 'test',
  ...more,
});

describe('an event that is none', () => {
  test.each([
    ['nothing', undefined],
    ['text', 'reconcile'],
    ['a list', []],
    ['no action', {}],
    ['another action', event({ action: 'format' })],
    ['no execution', event({ execution: '' })],
    ['no time', event({ startedAt: 'yesterday' })],
    ['no deadline', event({ deadlineSeconds: -1 })],
    ['a deadline of years', event({ deadlineSeconds: 1e9 })],
    ['another group', event({ cause: { detail: { AutoScalingGroupName: 'somebody-else' } } })],
  ])('is logged and does nothing: %s', async (_name, bad) => {
    const world = new World();
    const calls: string[] = [];
    const errors: unknown[] = [];
    const untouchable = new Proxy({}, { get: (_, name) => () => calls.push(String(name)) }) as never;
    const ports = {
      clock: { now: () => world.now },
      log: { ...SILENT, error: (_: string, fields?: object) => errors.push(fields) },
      map: untouchable,
      compute: untouchable,
      group: untouchable,
      hosts: untouchable,
    };
    expect(await reconcile(bad, ports, SETTINGS)).toMatchObject({ outcome: 'ignored', actions: [] });
    expect(calls).toEqual([]);
    expect(errors).toHaveLength(1);
  });
});

test('a duplicated or late event of a tier that is served changes nothing', async () => {
  const world = new World();
  await drive(world);
  const before = structuredClone([...world.map.slots.values()]);
  const late = event({ startedAt: new Date(world.now).toISOString(), execution: 'late' });
  expect(await reconcile(late, world.ports(), SETTINGS)).toMatchObject({ outcome: 'served', actions: [] });
  expect(await reconcile(late, world.ports(), SETTINGS)).toMatchObject({ outcome: 'served', actions: [] });
  expect([...world.map.slots.values()]).toEqual(before);
});

test('while another execution is at work it is woken and this one ends', async () => {
  const world = new World();
  const first = event({ startedAt: new Date(world.now).toISOString() });
  await reconcile(first, world.ports(), SETTINGS);
  const second = await reconcile({ ...first, execution: 'other' }, world.ports(), SETTINGS);
  expect(second).toMatchObject({ outcome: 'busy', slots: [] });
  expect(world.map.lease).toMatchObject({ holder: 'run', wakeups: 1 });
});

test('whoever asks for another look during the last pass gets it', async () => {
  const world = new World();
  await drive(world);
  const ports = world.ports();
  const members = ports.group.members.bind(ports.group);
  const nosy = {
    ...ports,
    group: {
      ...ports.group,
      members: async () => {
        await world.map.wakeHolder(world.now);
        return members();
      },
    },
  };
  const now = event({ startedAt: new Date(world.now).toISOString() });
  expect(await reconcile(now, nosy, SETTINGS)).toMatchObject({ outcome: 'pending', waitSeconds: 0 });
  expect(await reconcile(now, ports, SETTINGS)).toMatchObject({ outcome: 'served' });
});

test('out of time, who is woken in every pass leaves the lease free', async () => {
  const world = new World();
  await drive(world);
  const ports = world.ports();
  const members = ports.group.members.bind(ports.group);
  const group = {
    ...ports.group,
    members: async () => {
      await world.map.wakeHolder(world.now);
      return members();
    },
  };
  const late = event({ startedAt: new Date(world.now - 48 * 3600_000).toISOString() });
  expect(await reconcile(late, { ...ports, group }, SETTINGS)).toMatchObject({
    outcome: 'served',
    waitSeconds: 0,
  });
  expect(world.map.lease.holder).toBeUndefined();
});

test('a map that nobody has seeded is left alone', async () => {
  const world = new World();
  world.map.slots.clear();
  world.advance(6);
  const result = await drive(world);
  expect(result.outcome).toBe('unseeded');
  expect(world.map.owners.size).toBe(0);
});

test('a released tier lets its servers go and claims nothing', async () => {
  const world = new World();
  for (const [slot, row] of world.map.slots) world.map.slots.set(slot, { ...row, released: true });
  world.lifecycle.set('i-001', 'Pending:Wait');
  world.machines.get('i-001')!.state = 'running';
  world.machines.get('i-001')!.serves = 'nothing, but the hook must not hold the deletion up';
  const result = await drive(world);
  expect(result.outcome).toBe('released');
  expect(world.map.owners.size).toBe(0);
  expect(world.completed).toEqual(['i-001 CONTINUE']);
});

test('out of time is said, and the lease is free for the next execution', async () => {
  const world = new World();
  const result = await reconcile(event({ startedAt: '2025-12-31T00:00:00Z' }), world.ports(), SETTINGS);
  expect(result.outcome).toBe('out-of-time');
  expect(world.map.lease.holder).toBeUndefined();
});

test('describes are a constant number per tier', async () => {
  const world = new World();
  await drive(world);
  let calls = 0;
  const count = <P extends object>(port: P): P =>
    new Proxy(port, {
      get: (target, name) => {
        calls += 1;
        return Reflect.get(target, name);
      },
    });
  const ports = world.ports();
  const counted = {
    ...ports,
    compute: count(ports.compute),
    group: count(ports.group),
    hosts: count(ports.hosts),
  };
  await reconcile(event({ startedAt: new Date(world.now).toISOString() }), counted, SETTINGS);
  expect(calls).toBe(4);
});

test('nothing in the reconciler ever detaches by force', () => {
  const folder = join(__dirname, '../../../lambda');
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
  expect(files.length).toBeGreaterThan(20);
  for (const file of files) {
    const text = readFileSync(join(file.parentPath, file.name), 'utf8');
    expect(text).not.toMatch(/\bForce\b|force:/);
  }
});
