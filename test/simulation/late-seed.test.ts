import { type Call, type CallFault, NO_FAULTS } from '../../proof/simulation/aws/call';
import type { World } from '../../proof/simulation/aws/world';
import { isAtRest } from '../../proof/simulation/served';
import { deployedWorld } from './deployment';

const MINUTE = 60_000;

/** A tier of two with a spare. */
async function served(faults: Partial<typeof NO_FAULTS>): Promise<World> {
  return deployedWorld({
    slots: 2,
    volumesPerSlot: 1,
    spareServers: 1,
    seed: 5,
    faults: { ...NO_FAULTS, ...faults },
  });
}

/** A tier of two that is about to grow, of which the first of these calls of its seeding then fares so. */
async function growing(slow: (call: Call) => boolean, fault: CallFault): Promise<World> {
  let awaited = false;
  const onCall = (call: Call): CallFault | undefined => {
    if (!awaited || !call.worker.startsWith('seed/') || !slow(call)) return undefined;
    awaited = false;
    return fault;
  };
  const world = await served({ onCall });
  awaited = true;
  return world;
}

const writes = (of: (item: object) => boolean) => (call: Call) =>
  call.operation === 'TransactWriteItems' &&
  (call.input as { TransactItems: object[] }).TransactItems.some(of);
const addsSlot = writes((item) => 'Put' in item);
const takesBack = writes((item) => JSON.stringify(item).includes('slot#oss-01'));
const looks = (call: Call): boolean => call.operation === 'Query';

/** The attributes of the new slot's row, if there is one. */
const added = (world: World) => world.map.items.get('slot#oss-02');

test.each([
  ['its new row', addsSlot, { kind: 'late', ms: 75_000 }],
  ['a row before that', takesBack, { kind: 'late', ms: 75_000 }],
  ['its first look at the map', looks, { kind: 'slow', ms: 79_000 }],
] as const)(
  'an update that hangs at %s leaves no row behind when it was rolled back meanwhile',
  async (_, slow, fault) => {
    const world = await growing(slow, fault);
    const undone = world.stack.grow();
    await world.run(30_000);
    expect(world.stack.rollBack()).toBe(true);
    expect(await world.finish(undone)).toMatchObject({ ok: false });
    await world.run(10 * MINUTE);
    expect(added(world)).toBeUndefined();
    expect(isAtRest(world)).toBe(true);
  },
);

test('nor does one whose function died, and which Lambda begins again after the rollback', async () => {
  const world = await growing(looks, { kind: 'crash-before' });
  const undone = world.stack.grow();
  await world.run(20_000);
  expect(world.stack.rollBack()).toBe(true);
  expect(await world.finish(undone)).toEqual({ ok: false, reason: 'Resource update cancelled' });
  await world.run(10 * MINUTE);
  expect(added(world)).toBeUndefined();
  expect(isAtRest(world)).toBe(true);
});

test('a growth is deployed again as soon as it was rolled back', async () => {
  const world = await growing(addsSlot, { kind: 'late', ms: 75_000 });
  const undone = world.stack.grow();
  await world.run(30_000);
  world.stack.rollBack();
  await world.finish(undone);
  expect(await world.finish(world.stack.grow())).toMatchObject({ ok: true });
  expect(added(world)).toMatchObject({ phase: 'served', released: false });
});

test.each([
  ['a first request', 'for longer than CloudFormation waits', 1, 20 * MINUTE, undefined],
  ['a first request', 'until its update was rolled back', 1, 3 * MINUTE, MINUTE],
  // The rows are there by then, and the rollback takes them back.
  ['the request that is to see slots served', 'until its update was rolled back', 2, 30_000, 5_000],
  ['the request that is to see slots served', 'for longer', 2, 2 * MINUTE, 5_000],
])(
  'nor does %s that waited in the queue of Lambda %s',
  async (_what, _howLong, nth, delayMs, rollBackAfterMs) => {
    let requests = Number.NEGATIVE_INFINITY;
    const world = await served({
      onEvent: ({ kind }) => {
        if (kind !== 'cloudformation') return undefined;
        requests += 1;
        return requests === nth ? { delayMs } : undefined;
      },
    });
    requests = 0;
    const undone = world.stack.grow();
    if (rollBackAfterMs !== undefined) {
      await world.run(rollBackAfterMs);
      expect(world.stack.rollBack()).toBe(true);
    }
    expect(await world.finish(undone)).toMatchObject({ ok: false });
    await world.run(40 * MINUTE);
    expect(added(world)?.released ?? true).toBe(true);
    expect(added(world)?.owner).toBeUndefined();
    expect(isAtRest(world)).toBe(true);
  },
);
