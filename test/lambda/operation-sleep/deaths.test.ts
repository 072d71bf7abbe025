import { CLUSTER, LUSTRE, World } from './world';

const OPERATIONS = ['stop', 'start'] as const;

/** A night, in which one operation dies once. */
async function night(
  world: World,
  dies: (typeof OPERATIONS)[number],
  fuse?: World['fuse'],
  another = false,
): Promise<{ calls: number; asleep: object; end: object; harm: string[] }> {
  let calls = 0;
  let asleep: object = {};
  for (const operation of OPERATIONS) {
    const before = world.calls;
    if (operation === dies && fuse) {
      world.fuse = { ...fuse };
      const startedAt = new Date(world.ports().now()).toISOString();
      // Until it has died; if it ended before, it has.
      while (world.fuse) {
        const result = await world.step(operation, {}, `${operation}-1`, startedAt);
        if (result && result.outcome !== 'again') break;
      }
      if (another) world.interrupt();
    }
    await world.run(operation, {}, another ? `${operation}-2` : `${operation}-1`);
    if (operation === dies) calls = world.calls - before;
    if (operation === 'stop') asleep = world.state;
  }
  return { calls, asleep, end: world.state, harm: harmIn(world.events) };
}

/** What must not happen, whoever died: servers let go that were not told to unmount before. */
function harmIn(events: readonly string[]): string[] {
  const unmounts = events.flatMap((one, index) => (one.startsWith('unmount') ? [index] : []));
  const nodesStop = events.findIndex((one) => one.startsWith('stop'));
  return events.filter((one, index) => {
    if (one.startsWith('unmount')) return nodesStop > index;
    return /^resize .* 0$/.test(one) && !unmounts.some((told) => told < index);
  });
}

describe.each([
  ['Lustre', LUSTRE],
  ['a cluster', CLUSTER],
])('%s', (_name, settings) => {
  test.each(
    OPERATIONS.flatMap((operation) =>
      [false, true].flatMap((after) => [false, true].map((another) => ({ operation, after, another }))),
    ),
  )('$operation dies at each call (carried out: $after, another execution: $another)', async (tried) => {
    const { operation, after, another } = tried;
    const undisturbed = await night(new World(settings), operation);
    expect(undisturbed.harm).toEqual([]);
    expect(undisturbed.calls).toBeGreaterThan(15);
    for (let calls = 1; calls <= undisturbed.calls; calls++) {
      const { asleep, end, harm } = await night(new World(settings), operation, { calls, after }, another);
      expect({ calls, asleep, end, harm }).toEqual({ ...undisturbed, calls });
    }
  });
});
