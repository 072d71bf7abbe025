import type { Snapshot } from '../../../lambda/snapshot-age/age';
import { handle } from '../../../lambda/snapshot-age/handler';

const HOUR = 3_600_000;
const NOW = 1_000 * HOUR;
const VOLUMES = [
  { id: 'vol-1', madeAt: NOW - 500 * HOUR },
  { id: 'vol-2', madeAt: NOW - 400 * HOUR },
];

/** @param hours how long ago, by volume */
async function age(of: { readonly [volume: string]: readonly number[] }, volumes = VOLUMES) {
  const snapshots = Object.entries(of).flatMap(([volumeId, each]) =>
    each.map((hours): Snapshot => ({ volumeId, startedAt: NOW - hours * HOUR })),
  );
  const metrics: object[] = [];
  const log = {
    info: () => undefined,
    error: () => undefined,
    metrics: (tier: string, values: object) => void metrics.push({ tier, ...values }),
  };
  const store = { volumes: async () => volumes, snapshots: async () => snapshots };
  const { ageSeconds } = await handle({ store, log, now: () => NOW }, 'stack/nfs');
  expect(metrics).toEqual([{ tier: 'stack/nfs', SnapshotAgeSeconds: ageSeconds }]);
  return ageSeconds / 3600;
}

test('the newest set counts, of which each volume has a snapshot', async () => {
  expect(await age({ 'vol-1': [50, 26, 2], 'vol-2': [50, 26, 2] })).toBe(2);
  expect(await age({ 'vol-1': [26, 2.05, 2], 'vol-2': [26, 2] })).toBe(2);
});

test('a set that lacks a volume is none: its volumes are striped', async () => {
  expect(await age({ 'vol-1': [26, 2], 'vol-2': [26] })).toBe(26);
  expect(await age({ 'vol-1': [2], 'vol-2': [3] })).toBe(400);
});

test('without any it is as old as the last of the volumes', async () => {
  expect(await age({})).toBe(400);
  expect(await age({}, [{ id: 'vol-1', madeAt: NOW }])).toBe(0);
});

test('without volumes nobody knows, which is an error', async () => {
  await expect(age({}, [])).rejects.toThrow(/no volume of stack\/nfs/);
});
