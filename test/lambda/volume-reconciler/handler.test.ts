import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { reconcile } from '../../../lambda/volume-reconciler/handler';
import { changed, drive } from './drive';
import { SETTINGS, SILENT } from './settings';
import { Tier } from './tier';

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
    const calls: string[] = [];
    const errors: unknown[] = [];
    const untouchable = new Proxy({}, { get: (_, name) => () => calls.push(String(name)) }) as never;
    const ports = {
      clock: { now: () => Date.parse('2026-01-01T00:00:00Z') },
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
  const tier = await Tier.launched();
  await drive(tier);
  const before = tier.rows;
  const late = event({ startedAt: new Date(tier.now).toISOString(), execution: 'late' });
  expect(await tier.finish(reconcile(late, tier.ports(), SETTINGS))).toMatchObject({
    outcome: 'served',
    actions: [],
  });
  expect(await tier.finish(reconcile(late, tier.ports(), SETTINGS))).toMatchObject({
    outcome: 'served',
    actions: [],
  });
  expect(tier.rows).toEqual(before);
});

test('while another execution is at work it is woken and this one ends', async () => {
  const tier = await Tier.launched();
  const first = event({ startedAt: new Date(tier.now).toISOString() });
  await tier.finish(reconcile(first, tier.ports(), SETTINGS));
  const second = await tier.finish(reconcile({ ...first, execution: 'other' }, tier.ports(), SETTINGS));
  expect(second).toMatchObject({ outcome: 'busy', slots: [] });
  expect(tier.lease).toMatchObject({ holder: 'run', wakeups: 1 });
});

test('whoever asks for another look during the last pass gets it', async () => {
  const tier = await Tier.launched();
  await drive(tier);
  const ports = tier.ports();
  const group = changed(ports.group, {
    members: async () => {
      await ports.map.wakeHolder(tier.now);
      return ports.group.members();
    },
  });
  const now = event({ startedAt: new Date(tier.now).toISOString() });
  expect(await tier.finish(reconcile(now, { ...ports, group }, SETTINGS))).toMatchObject({
    outcome: 'pending',
    waitSeconds: 0,
  });
  expect(await tier.finish(reconcile(now, ports, SETTINGS))).toMatchObject({ outcome: 'served' });
});

test('out of time, who is woken in every pass leaves the lease free', async () => {
  const tier = await Tier.launched();
  await drive(tier);
  const ports = tier.ports();
  const group = changed(ports.group, {
    members: async () => {
      await ports.map.wakeHolder(tier.now);
      return ports.group.members();
    },
  });
  const late = event({ startedAt: new Date(tier.now - 48 * 3600_000).toISOString() });
  expect(await tier.finish(reconcile(late, { ...ports, group }, SETTINGS))).toMatchObject({
    outcome: 'served',
    waitSeconds: 0,
  });
  expect(tier.lease.holder).toBeUndefined();
});

test('a map that nobody has seeded is left alone', async () => {
  const tier = await Tier.launched();
  for (const slot of SETTINGS.slots) tier.world.map.deleteRow(`slot#${slot}`);
  await tier.advance(6);
  const result = await drive(tier);
  expect(result.outcome).toBe('unseeded');
  expect(tier.ownerRows).toEqual({});
});

test('a released tier lets its servers go and claims nothing', async () => {
  const tier = await Tier.launched();
  for (const slot of SETTINGS.slots) tier.editRow(slot, { released: true });
  await tier.advance(6);
  const { waiting } = tier;
  expect(waiting).toHaveLength(2);
  const result = await drive(tier);
  expect(result.outcome).toBe('released');
  expect(tier.ownerRows).toEqual({});
  // They serve nothing, but the hook must not hold the deletion up.
  expect(tier.letThrough).toEqual(waiting);
});

test('out of time is said, and the lease is free for the next execution', async () => {
  const tier = await Tier.launched();
  const result = await tier.finish(
    reconcile(event({ startedAt: '2025-12-31T00:00:00Z' }), tier.ports(), SETTINGS),
  );
  expect(result.outcome).toBe('out-of-time');
  expect(tier.lease.holder).toBeUndefined();
});

test('describes are a constant number per tier', async () => {
  const tier = await Tier.launched();
  await drive(tier);
  let calls = 0;
  const count = <P extends object>(port: P): P =>
    new Proxy(port, {
      get: (target, name) => {
        calls += 1;
        const method = Reflect.get(target, name);
        return typeof method === 'function' ? method.bind(target) : method;
      },
    });
  const ports = tier.ports();
  const counted = {
    ...ports,
    compute: count(ports.compute),
    group: count(ports.group),
    hosts: count(ports.hosts),
  };
  await tier.finish(reconcile(event({ startedAt: new Date(tier.now).toISOString() }), counted, SETTINGS));
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
