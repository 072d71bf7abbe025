import type { SnapshotLabel } from '../../../lambda/shared/snapshot-labels';
import { refuseOtherSets } from '../../../lambda/volume-map-resource/backup-set';
import { planSeeds } from '../../../lambda/volume-map-resource/domain';
import type { SlotSpec } from '../../../lambda/volume-map-resource/ports';

const SET = '20261128T010203Z';

/** Two slots of two volumes that were made of a set. */
const slots = [0, 1].map(
  (index): SlotSpec => ({
    slot: `oss-0${index}`,
    networkInterfaceId: `eni-${index}`,
    address: `10.0.0.${index}`,
    adopted: false,
    backupSet: SET,
    volumes: [0, 1].map((place) => ({ volumeId: `vol-${index}${place}`, device: `/dev/xvd${place}` })),
  }),
);
const facts = slots.flatMap(({ volumes }) =>
  volumes.map(({ volumeId }) => ({
    volumeId,
    snapshotId: volumeId.replace('vol', 'snap'),
    holdsData: false,
    multiAttach: false,
  })),
);
const whole = slots.flatMap(({ slot, volumes }) =>
  volumes.map(
    ({ volumeId }, position): SnapshotLabel => ({
      snapshotId: volumeId.replace('vol', 'snap'),
      deployment: 'mine',
      set: SET,
      state: 'complete',
      tier: 'oss',
      slot,
      position: String(position),
      size: '4',
    }),
  ),
);
const NONE = { slots: [], owners: [], broken: [] };

const look = (
  labels: readonly SnapshotLabel[],
  more: Partial<{ rows: object; shown: typeof facts; all: SnapshotLabel[] }> = {},
) =>
  refuseOtherSets({ tier: 'oss', slots }, (more.rows ?? NONE) as never, more.shown ?? facts, {
    volumes: {
      factsOf: async () => [],
      begunAt: async () => new Map(),
      labelsOf: async (ids) => labels.filter(({ snapshotId }) => ids.includes(snapshotId)),
      ofSet: async () => more.all ?? [...labels],
    },
  });

const with1 = (change: Partial<SnapshotLabel>) =>
  whole.map((label, at) => (at === 1 ? { ...label, ...change } : label));

test('a whole set, each snapshot in its place, is served, and never formatted', async () => {
  await expect(look(whole)).resolves.toBeUndefined();
  const seeds = planSeeds([...slots], NONE, facts);
  expect(seeds.map((seed) => seed.kind === 'add' && seed.row.formatted)).toEqual([true, true]);
});

test.each<[string, () => Promise<void>, RegExp]>([
  [
    'of another set',
    () => look(with1({ set: 'other' })),
    /vol-01 of slot oss-00 is made of snap-01, which is of the set other/,
  ],
  ['of no set', () => look(with1({ set: '' })), /of no set/],
  ['of a torn set', () => look(with1({ state: 'torn' })), /whose set .* is torn/],
  ['that nobody has judged', () => look(with1({ state: 'taking' })), /is taking/],
  [
    'of another slot',
    () => look(with1({ slot: 'oss-01' })),
    /position 1 of oss-01, not position 1 of oss-00/,
  ],
  ['of another place', () => look(with1({ position: '0' })), /position 0 of oss-00, not position 1/],
  ['of another tier', () => look(with1({ tier: 'mds' })), /not position 1 of oss-00/],
  ['of another deployment', () => look(with1({ deployment: 'other' })), /are of mine and other/],
  ['that is gone', () => look(whole.slice(1)), /snap-00, which is gone/],
  ['that EC2 does not show', () => look(whole, { shown: facts.slice(1) }), /vol-00 .*is not shown/],
  [
    'of a set that has more',
    () => look(whole, { all: [...whole, { ...whole[0]!, snapshotId: 'snap-20', slot: 'oss-02' }] }),
    /snap-20 of oss-02 besides/,
  ],
  [
    'of a set of which a server is gone',
    () => look(whole.map((label) => ({ ...label, size: '6' }))),
    /had 6 snapshots, of which 4 are left/,
  ],
])('a volume of a snapshot %s is refused', async (_, looked, message) => {
  await expect(looked()).rejects.toThrow(message);
});

test('snapshots of other tiers belong to the set, and are none of this tier', async () => {
  const five = whole.map((label) => ({ ...label, size: '5' }));
  const other = { ...five[0]!, snapshotId: 'snap-mgs', tier: 'mgs', slot: 'mgs-00' };
  await expect(look(five, { all: [...five, other] })).resolves.toBeUndefined();
});

test('what is served already is not looked at: its snapshots may be gone', async () => {
  const rows = { ...NONE, slots: slots.map(({ slot }) => ({ slot, formatted: true })) };
  await expect(look([], { rows })).resolves.toBeUndefined();
});
