import { NO_FAULTS } from '../../proof/simulation/aws/call';
import type { World } from '../../proof/simulation/aws/world';
import { deployedWorld } from './deployment';

const MINUTE = 60_000;

/** A tier that has been served for longer than a repair may take. */
async function servedForLong(slots: number): Promise<World> {
  const world = await deployedWorld({ slots, volumesPerSlot: 1, seed: 1, faults: NO_FAULTS });
  await world.run(120 * MINUTE);
  return world;
}

test('rows that a deployment restores cost no server, however long ago it was launched', async () => {
  const world = await servedForLong(3);
  const owners = () => world.stack.slots.map((slot) => world.map.items.get(`slot#${slot}`)?.owner);
  const before = owners();
  // Somebody deletes the rows, not those of their owners.
  for (const slot of world.stack.slots) world.map.deleteRow(`slot#${slot}`);
  await world.run(MINUTE);

  await world.finish(world.stack.redeploy());
  await world.run(30 * MINUTE);
  expect(owners()).toEqual(before);
  expect(world.isServed()).toBe(true);
});

test('an owner that a person wrote into a row is told, and not replaced for its age', async () => {
  const world = await servedForLong(2);
  const owner = world.map.items.get('slot#oss-00')?.owner;
  world.map.editRow('slot#oss-00', (row) => {
    Object.assign(row, { servedEpoch: 0, phase: 'attaching', timeline: {} });
    delete row.claimedAt;
    delete row.command;
  });

  await world.run(30 * MINUTE);
  expect(world.map.items.get('slot#oss-00')).toMatchObject({ owner, phase: 'served' });
  expect(world.isServed()).toBe(true);
});

// It lost something by hand, was then stopped, and started again before its group looked: the times of a repair begin
// with that.
test('an owner that stopped after it had served is told when it is back, and not replaced for its age', async () => {
  const world = await servedForLong(2);
  const owner = world.map.items.get('slot#oss-00')?.owner;
  world.map.editRow('slot#oss-00', (row) => {
    const timeline = { detected: new Date(world.now()).toISOString() };
    Object.assign(row, {
      servedEpoch: 0,
      phase: 'attaching',
      reason: `owner ${row.owner} is stopped`,
      timeline,
    });
    delete row.command;
  });

  await world.run(30 * MINUTE);
  expect(world.map.items.get('slot#oss-00')).toMatchObject({ owner, phase: 'served' });
  expect(world.isServed()).toBe(true);
});
