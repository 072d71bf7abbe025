import { NO_FAULTS } from '../../proof/simulation/aws/call';
import { HandEdits } from '../../proof/simulation/faults/hand-edits';
import { Person } from '../../proof/simulation/faults/person';
import { deployedWorld } from './deployment';

const MINUTE = 60_000;
const SLOT = 'oss-00';

/** A tier of one slot, with somebody who edits its row and somebody who has to put that right. */
async function tier() {
  const world = await deployedWorld({ slots: 1, volumesPerSlot: 1, seed: 1, faults: NO_FAULTS });
  const edits = new HandEdits(world);
  const row = () => world.map.items.get(`slot#${SLOT}`)!;
  const lose = async (): Promise<void> => {
    const lost = row().owner;
    world.ec2.terminate(String(lost));
    await world.run(60 * MINUTE, () => row().owner !== lost);
  };
  return { world, edits, person: new Person(world, edits), row, lose };
}

test('of a slot that was claimed since, and was lost again, a person leaves epoch and owner as they are', async () => {
  const { world, edits, person, row, lose } = await tier();
  expect(edits.edit(SLOT, 'not-formatted')).toBeDefined();
  await lose();
  await world.run(60 * MINUTE, () => world.isServed());
  await lose();
  const { epoch, owner, servedEpoch } = row();
  expect([epoch, owner, servedEpoch]).toEqual([2, undefined, 2]);

  expect(person.act([], [])).toBe(true);
  expect(row()).toMatchObject({ epoch: 2, formatted: true });
  expect(row().owner).toBeUndefined();
  await world.run(60 * MINUTE, () => world.isServed());
  expect(row()).toMatchObject({ epoch: 3, servedEpoch: 3 });
});

test.each(['raise-epoch', 'lower-epoch', 'remove-owner', 'unknown-owner', 'not-formatted'] as const)(
  'of a slot that nobody has claimed since a person takes "%s" back',
  async (edit) => {
    const { world, edits, person, row } = await tier();
    const { epoch, owner, formatted } = row();
    expect(edits.edit(SLOT, edit)).toBeDefined();
    expect(row()).not.toMatchObject({ epoch, owner, formatted });
    expect(person.act([], [])).toBe(true);
    expect(row()).toMatchObject({ epoch, owner, formatted });
    await world.run(60 * MINUTE, () => world.isServed());
    expect(row()).toMatchObject({ epoch, servedEpoch: epoch, owner });
  },
);
