import { UNSTABLE_MS, UNSTABLE_SERVINGS } from '../../../lambda/volume-reconciler/settings';
import { drive, Process } from './drive';
import { SILENT, World } from './world';

/** Lets the server of a slot serve and fail again, so many times, and looks at it as the schedule does. */
async function failing(times: number, pauseSeconds = 600) {
  const world = new World();
  await drive(world, undefined, 'deployment');
  const seen: number[] = [];
  const log = {
    ...SILENT,
    metrics: (_: string, values: Record<string, number>) =>
      void (values.UnstableSlots !== undefined && seen.push(values.UnstableSlots)),
  };
  const look = async (name: string) => {
    seen.length = 0;
    const process = new Process({ ...world.ports(), log });
    expect((await drive(world, process, name)).outcome).toBe('served');
    return seen.at(-1);
  };
  for (let time = 0; time < times; time++) {
    world.kill(world.ownerOf('oss-00')!);
    world.advance(1);
    await look(`loss ${time}`);
    world.advance(pauseSeconds);
  }
  expect(world.violations).toEqual([]);
  return { world, look };
}

test('a slot whose servers serve and fail again, one after the other, is unstable, though each repair ends well', async () => {
  const few = await failing(UNSTABLE_SERVINGS - 2);
  expect(await few.look('few')).toBe(0);
  const { world, look } = await failing(UNSTABLE_SERVINGS - 1);
  expect(await look('many')).toBe(1);
  expect(world.map.slots.get('oss-00')!.servings).toHaveLength(UNSTABLE_SERVINGS);
  expect(world.map.slots.get('oss-01')!.servings).toHaveLength(1);
  // It has served for hours since.
  world.advance(UNSTABLE_MS / 1000);
  expect(await look('hours later')).toBe(0);
});

test('no more is kept than is looked at, and losses far from each other are not one', async () => {
  const { world, look } = await failing(UNSTABLE_SERVINGS + 2, UNSTABLE_MS / 1000 / (UNSTABLE_SERVINGS - 1));
  expect(world.map.slots.get('oss-00')!.servings).toHaveLength(UNSTABLE_SERVINGS);
  expect(await look('later')).toBe(0);
});
