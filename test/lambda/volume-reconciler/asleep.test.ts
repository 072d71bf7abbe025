import { toItem } from '../../../lambda/shared/attributes';
import { parseTier, SLEEP_ITEM } from '../../../lambda/shared/map';
import { decide } from '../../../lambda/volume-reconciler/domain';
import type { Observation } from '../../../lambda/volume-reconciler/ports';
import { isAsleep, metricsOf } from '../../../lambda/volume-reconciler/result';
import { DEPLOYMENT } from './deployment';
import { drive } from './drive';
import { row, SETTINGS } from './settings';
import { Tier } from './tier';

const NOW = Date.parse('2026-01-01T22:00:00Z');
const SINCE = '2026-01-01T20:00:00Z';
const SLEEP = { since: SINCE, by: 'arn:execution' };

/** What the operation writes into the volume map. */
function sleep({ world, now }: Tier): void {
  const Item = toItem({ tier: SETTINGS.tier, item: SLEEP_ITEM, ...SLEEP });
  const input = { TableName: DEPLOYMENT.tableName, Item };
  const call = { index: 0, worker: 'test', service: 'dynamodb', at: now, attempt: 1, input } as const;
  world.map.handle('PutItem', input, { ...call, operation: 'PutItem' });
}

const wake = ({ world }: Tier): void => {
  world.map.items.delete(SLEEP_ITEM);
};

test('a tier that is stopped comes to rest, and comes back with its volumes and addresses', async () => {
  const tier = await Tier.launched();
  await drive(tier);
  const before = tier.rows;
  sleep(tier);
  tier.world.group.resize(0);
  await tier.advance(120);
  await expect(drive(tier)).resolves.toMatchObject({ outcome: 'asleep' });
  for (const one of tier.rows) {
    expect(one).toMatchObject({ phase: 'asleep', owner: undefined, timeline: {} });
    expect(one.reason).toBe(`the deployment was stopped at ${SINCE}; it comes back with start`);
  }
  expect(tier.ownerRows).toEqual({});

  wake(tier);
  tier.world.group.resize(2);
  await tier.advance(120);
  await expect(drive(tier)).resolves.toMatchObject({ outcome: 'served' });
  const kept = ({ slot, address, networkInterfaceId, volumes, formatted }: (typeof before)[number]) => ({
    slot,
    address,
    networkInterfaceId,
    volumes,
    formatted,
  });
  expect(tier.rows.map(kept)).toEqual(before.map(kept));
  for (const { phase, reason, timeline } of tier.rows) {
    expect({ phase, reason }).toEqual({ phase: 'served', reason: undefined });
    // The night was no repair.
    expect(timeline.detected).toBeUndefined();
  }
  expect(tier.violations).toEqual([]);
});

test('the item moves nothing: a server that fails while its tier is put to sleep is replaced as ever', async () => {
  const tier = await Tier.launched();
  await drive(tier);
  sleep(tier);
  await tier.lose('oss-00');
  await tier.advance(120);
  await expect(drive(tier)).resolves.toMatchObject({ outcome: 'served' });
  expect(tier.violations).toEqual([]);
});

describe('what a pass sees of a tier that sleeps', () => {
  const vacant = (slot: string) =>
    row(slot, `eni-${slot}`, [{ volumeId: `vol-${slot}`, device: '/dev/sdf' }]);
  const seen = (slots: object[], more: Partial<Observation> = {}): Observation =>
    ({
      now: NOW,
      beatAt: NOW,
      rows: { slots, owners: [], broken: [], sleep: SLEEP },
      members: [],
      instances: [],
      volumes: SETTINGS.slots.map((slot) => ({
        id: `vol-${slot}`,
        state: 'available',
        zone: 'a',
        attachments: [],
        formatted: true,
        fromSnapshot: false,
      })),
      interfaces: SETTINGS.slots.map((slot) => ({ id: `eni-${slot}`, status: 'available', zone: 'a' })),
      commands: {},
      ...more,
    }) as Observation;
  const both = SETTINGS.slots.map(vacant);

  test('is no alarm, and no repair that takes long', () => {
    const decision = decide(seen(both), SETTINGS);
    expect(decision).toMatchObject({ asleep: true, slots: [{ phase: 'asleep' }, { phase: 'asleep' }] });
    expect(metricsOf(decision, 2)).toMatchObject({ UnservedSlots: 0, ServedSlots: 0, BlockedSlots: 0 });
    const awake = seen(both);
    const { sleep: _sleep, ...rows } = awake.rows;
    expect(metricsOf(decide({ ...awake, rows }, SETTINGS), 2)).toMatchObject({ UnservedSlots: 2 });
  });

  test('says so no more once it is awake', () => {
    const slots = both.map((one) => ({ ...one, phase: 'asleep', reason: 'the deployment was stopped' }));
    const { sleep: _sleep, ...rows } = seen(slots).rows;
    const [first] = decide({ ...seen(slots), rows }, SETTINGS).slots;
    expect(first).toMatchObject({ phase: 'vacant', reason: undefined });
  });

  test('lacks no spare', () => {
    const settings = { ...SETTINGS, spareServers: 1 };
    expect(metricsOf(decide(seen(both), settings), 2).SpareServers).toBe(1);
    expect(metricsOf(decide(seen(both), SETTINGS), 2)).not.toHaveProperty('SpareServers');
  });

  test('is over when all rows say so, and not before', () => {
    const noted = decide(seen(both), SETTINGS);
    expect(isAsleep(noted, [])).toBe(true);
    const step = { action: { kind: 'claim' }, done: true } as never;
    expect(isAsleep(noted, [step])).toBe(false);
    const owned = { ...vacant('oss-01'), owner: 'i-1', epoch: 1, servedEpoch: 1 };
    expect(isAsleep(decide(seen([vacant('oss-00'), owned]), SETTINGS), [])).toBe(false);
  });

  test('and whose volume is gone is blocked all the same', () => {
    const decision = decide(seen(both, { volumes: seen(both).volumes.slice(1) }), SETTINGS);
    expect(decision.slots[0]).toMatchObject({ phase: 'blocked' });
    expect(metricsOf(decision, 2)).toMatchObject({ BlockedSlots: 1 });
    expect(isAsleep(decision, [])).toBe(false);
  });

  test('and whose stack is being deleted is let go', () => {
    const released = both.map((one) => ({ ...one, released: true }));
    expect(decide(seen(released), SETTINGS)).toMatchObject({ released: true, asleep: false });
  });
});

describe('the item of the map', () => {
  const ITEM = { tier: 'oss', item: SLEEP_ITEM };

  test('is there exactly while the tier is to sleep', () => {
    expect(parseTier([{ ...ITEM, ...SLEEP }])).toEqual({ slots: [], owners: [], broken: [], sleep: SLEEP });
    expect(parseTier([])).not.toHaveProperty('sleep');
  });

  test('that cannot be read is one all the same, and no broken row', () => {
    const nothing = { since: '', by: '' };
    for (const item of [ITEM, { ...ITEM, since: 5, by: null }])
      expect(parseTier([item])).toEqual({ slots: [], owners: [], broken: [], sleep: nothing });
  });

  test('is no reason for a row that says nothing', () => {
    const [first] = decide(
      {
        now: NOW,
        beatAt: NOW,
        rows: { slots: [row('oss-00', 'eni', [])], owners: [], broken: [], sleep: { since: '', by: '' } },
        members: [],
        instances: [],
        volumes: [],
        interfaces: [{ id: 'eni', status: 'available', zone: 'a' }],
        commands: {},
      },
      { ...SETTINGS, slots: ['oss-00'] },
    ).slots;
    expect(first!.reason).toBe('the deployment was stopped; it comes back with start');
  });
});
