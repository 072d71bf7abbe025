import { pass } from '../../../lambda/backup-copies/pass';
import { Died, FIRST, Regions, SECOND, SETTINGS } from './regions';

const ONCE = [1, 1, 1];

/** Of a pass that begins a set of three: lists, the age, the work, and three for each snapshot. */
const CALLS = 2 + 1 + 2 + 3 * 3;

test('a set is copied, each snapshot once, however often it is looked at', async () => {
  const regions = new Regions();
  regions.addSet(FIRST, 3);
  await regions.settle();
  expect(regions.copies(FIRST)).toEqual(ONCE);
  expect(regions.shared).toEqual(['snap-28-0', 'snap-28-1', 'snap-28-2']);
});

test.each([
  ['torn', { judged: 'torn' }],
  ['not judged yet', { judged: 'taking' }],
  ['still copied by EBS', { state: 'pending' }],
  ['short of a snapshot', { size: 4 }],
])('a set that is %s is not copied', async (_, more) => {
  const regions = new Regions();
  regions.addSet(FIRST, 3, more);
  await regions.settle();
  expect(regions.there).toEqual([]);
});

// A list of EC2 shows what is new after five minutes here, and a pass is every fifteen.
test('wherever a pass dies, all is copied afterwards, and nothing twice', async () => {
  for (let call = 1; call <= CALLS; call += 1) {
    for (const after of [false, true]) {
      const regions = new Regions();
      regions.addSet(FIRST, 3);
      await pass(regions.ports({ call, after }), SETTINGS).catch((error: unknown) =>
        expect(error).toBeInstanceOf(Died),
      );
      // Tried again at once, as Lambda does, and by the clock.
      await regions.pass(SETTINGS, 1);
      await regions.settle();
      expect([call, after, regions.copies(FIRST)]).toEqual([call, after, ONCE]);
    }
  }
});

test('two passes at the same time begin nothing twice', async () => {
  const regions = new Regions();
  regions.addSet(FIRST, 3);
  await Promise.all([pass(regions.ports(), SETTINGS), pass(regions.ports(), SETTINGS)]);
  await regions.settle();
  expect(regions.copies(FIRST)).toEqual(ONCE);
});

test('what EC2 has begun without an answer is found, and not begun again', async () => {
  const regions = new Regions();
  regions.addSet(FIRST, 3);
  regions.fates = ['lost'];
  await regions.settle();
  expect(regions.copies(FIRST)).toEqual(ONCE);
});

test('what was refused is tried in the next pass', async () => {
  const regions = new Regions();
  regions.addSet(FIRST, 3);
  regions.fates = ['refused'];
  await regions.pass();
  expect(regions.copies(FIRST)).toEqual([0, 1, 1]);
  await regions.pass();
  expect(regions.copies(FIRST)).toEqual(ONCE);
});

test('a copy that EBS gives up is deleted and made anew', async () => {
  const regions = new Regions();
  regions.addSet(FIRST, 3);
  regions.fates = ['fails'];
  await regions.settle();
  expect(regions.deleted).toEqual(['copy-0']);
  expect(regions.copies(FIRST)).toEqual(ONCE);
});

test('no more at a time than half of what EBS takes of the account, and none when it is full', async () => {
  const regions = new Regions();
  regions.addSet(FIRST, 25);
  await regions.pass();
  expect(regions.there).toHaveLength(10);
  await regions.pass();
  expect(regions.there).toHaveLength(10);
  regions.finish();
  regions.limit = 3;
  await regions.pass();
  expect(regions.there).toHaveLength(13);
});

test('a second one of a snapshot, whoever made it, is deleted: a set with too many is never restored', async () => {
  const regions = new Regions();
  regions.addSet(FIRST, 1);
  await regions.pass();
  regions.there.push({ ...regions.there[0]!, id: 'copy-x', startedAt: regions.now });
  await regions.pass();
  expect(regions.deleted).toEqual(['copy-x']);
});

test('the newer set waits for the one that is being copied, so that only changes are copied', async () => {
  const regions = new Regions();
  regions.addSet(FIRST, 1);
  await regions.pass();
  regions.addSet(SECOND, 1);
  await regions.pass();
  expect(regions.copies(SECOND)).toEqual([0]);
  regions.finish();
  await regions.pass();
  expect(regions.copies(SECOND)).toEqual([1]);
});

test('the first one is the newest; older ones are not copied after it', async () => {
  const regions = new Regions();
  regions.addSet(FIRST, 1);
  regions.addSet(SECOND, 1);
  await regions.settle();
  expect([regions.copies(FIRST), regions.copies(SECOND)]).toEqual([[0], [1]]);
});

test('what a person copies is left to them', async () => {
  const regions = new Regions();
  regions.addSet(FIRST, 2);
  regions.there.push({ ...regions.here[0]!, id: 'by-hand' });
  await regions.settle();
  expect(regions.there.map(({ id }) => id)).toEqual(['by-hand']);
  expect(regions.deleted).toEqual([]);
});

test('a set that is gone before all of it was copied gives way, and leaves when a newer one is there', async () => {
  const regions = new Regions();
  regions.addSet(FIRST, 12);
  await regions.pass();
  expect(regions.there).toHaveLength(10);
  regions.here.splice(0);
  regions.addSet(SECOND, 1);
  await regions.settle();
  expect(regions.there.map(({ set }) => set)).toEqual([SECOND]);
});

test('retention leaves the newest ones, and what is protected', async () => {
  const regions = new Regions();
  for (let day = 1; day <= 4; day += 1) {
    regions.addSet(`2026120${day}T010000Z`, 1, { protect: day === 1 });
    await regions.settle();
  }
  expect(regions.there.map(({ set }) => set.slice(6, 8)).sort()).toEqual(['01', '03', '04']);
  // Copies of before, by hand or of others, are none of its business.
  expect(regions.here).toHaveLength(4);
});

describe('another deployment of the same name copies to the same place', () => {
  const THEIRS = { copyFrom: '444455556666/us-east-1', state: 'completed', judged: 'complete' };
  const addTheirs = (regions: Regions, set: string, more: object = {}) =>
    regions.there.push({
      ...THEIRS,
      ...{
        id: `theirs-${set}`,
        set,
        size: 1,
        copyOf: `snap-theirs-${set}`,
        startedAt: regions.now,
        seenAt: 0,
      },
      ...more,
    });

  test('its sets are not deleted, and do not count', async () => {
    const regions = new Regions();
    for (let day = 1; day <= 3; day += 1) addTheirs(regions, `2026112${day}T000000Z`);
    addTheirs(regions, SECOND);
    regions.addSet(FIRST, 1);
    await regions.settle();
    expect(regions.deleted).toEqual([]);
    // Theirs is newer: it would have stood for this one.
    expect(regions.copies(FIRST)).toEqual([1]);
    expect(regions.ages[0]).toBe(2 * 3600);
  });

  test('a set of a name that is there already is not copied: both would be one that is never restored', async () => {
    const regions = new Regions();
    addTheirs(regions, FIRST);
    regions.addSet(FIRST, 1);
    await regions.settle();
    expect(regions.copies(FIRST)).toEqual([0]);
    regions.addSet(SECOND, 1);
    await regions.settle();
    expect(regions.copies(SECOND)).toEqual([1]);
  });

  test('when both have begun at the same time, the set does not count, and the next one is copied', async () => {
    const regions = new Regions();
    regions.addSet(FIRST, 1);
    await regions.pass();
    addTheirs(regions, FIRST);
    regions.finish();
    regions.addSet(SECOND, 1);
    await regions.pass();
    expect(regions.copies(SECOND)).toEqual([1]);
    expect(regions.ages[1]).toBe(2.25 * 3600);
  });
});

test('the age is that of the newest set that can be restored there, and of the watch without any', async () => {
  const regions = new Regions();
  regions.addSet(FIRST, 1);
  await regions.pass();
  await regions.pass();
  expect(regions.ages).toEqual([2 * 3600, 2.25 * 3600]);
  regions.finish();
  await regions.pass();
  expect(regions.ages[2]).toBe(1.5 * 3600);
});
