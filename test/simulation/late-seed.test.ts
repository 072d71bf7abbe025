import { type Call, type CallFault, NO_FAULTS } from '../../simulation/aws/call';
import { World } from '../../simulation/aws/world';
import { isAtRest } from '../../simulation/served';
import { deployment } from './deployment';

const MINUTE = 60_000;

/** A tier of two, of which this one write of the volume map takes more than a minute when the tier grows. */
async function grownWithSlow(slow: (write: object) => boolean): Promise<World> {
  let growing = false;
  const onCall = (call: Call): CallFault | undefined => {
    if (!growing || !call.worker.startsWith('seed/') || call.operation !== 'TransactWriteItems')
      return undefined;
    const { TransactItems } = call.input as { TransactItems: object[] };
    if (!TransactItems.some(slow)) return undefined;
    growing = false;
    return { kind: 'late', ms: 75_000 };
  };
  const world = new World({
    deployment: deployment(),
    slots: 2,
    volumesPerSlot: 1,
    spareServers: 1,
    seed: 5,
    faults: { ...NO_FAULTS, onCall },
  });
  expect((await world.finish(world.stack.deploy())).ok).toBe(true);
  growing = true;
  return world;
}

const addsSlot = (write: object): boolean => 'Put' in write;
const takesBack = (write: object): boolean => JSON.stringify(write).includes('slot#oss-01');

test.each([
  ['its new row', addsSlot],
  ['a row before that', takesBack],
])('an update that hangs at %s leaves none behind when it was rolled back meanwhile', async (_, slow) => {
  const world = await grownWithSlow(slow);
  const undone = world.stack.grow();
  await world.run(30_000);
  expect(world.stack.rollBack()).toBe(true);
  expect(await world.finish(undone)).toMatchObject({ ok: false });
  await world.run(10 * MINUTE);
  expect(world.map.items.get('slot#oss-02')).toBeUndefined();
  expect(isAtRest(world)).toBe(true);
});

test('nor does one that waited in the queue of Lambda until its update was rolled back', async () => {
  let growing = false;
  const world = new World({
    deployment: deployment(),
    slots: 2,
    volumesPerSlot: 1,
    spareServers: 1,
    seed: 5,
    faults: {
      ...NO_FAULTS,
      onEvent: ({ kind }) => {
        if (!growing || kind !== 'cloudformation') return undefined;
        growing = false;
        return { delayMs: 20 * MINUTE };
      },
    },
  });
  expect((await world.finish(world.stack.deploy())).ok).toBe(true);
  growing = true;
  expect(await world.finish(world.stack.grow())).toMatchObject({ ok: false });
  await world.run(40 * MINUTE);
  expect(world.map.items.get('slot#oss-02')).toBeUndefined();
  expect(isAtRest(world)).toBe(true);
});

test('nor does one whose first look at the map took until its rollback was done', async () => {
  let growing = false;
  const onCall = (call: Call): CallFault | undefined => {
    if (!growing || !call.worker.startsWith('seed/') || call.operation !== 'Query') return undefined;
    growing = false;
    return { kind: 'slow', ms: 79_000 };
  };
  const faults = { ...NO_FAULTS, onCall };
  const world = new World({ deployment: deployment(), slots: 2, volumesPerSlot: 1, seed: 5, faults });
  expect((await world.finish(world.stack.deploy())).ok).toBe(true);
  growing = true;
  const undone = world.stack.grow();
  await world.run(30_000);
  expect(world.stack.rollBack()).toBe(true);
  expect(await world.finish(undone)).toMatchObject({ ok: false });
  await world.run(10 * MINUTE);
  expect(world.map.items.get('slot#oss-02')).toBeUndefined();
  expect(isAtRest(world)).toBe(true);
});
