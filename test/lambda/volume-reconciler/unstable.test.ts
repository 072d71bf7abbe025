import { UNSTABLE_MS, UNSTABLE_SERVINGS } from '../../../lambda/volume-reconciler/settings';
import { drive, Process } from './drive';
import { SILENT } from './settings';
import { Tier } from './tier';

/** Lets the server of a slot serve and fail again, so many times, and looks at it as the schedule does. */
async function failing(times: number, pauseSeconds = 600) {
  const tier = await Tier.launched();
  await drive(tier, undefined, 'deployment');
  const seen: number[] = [];
  const log = {
    ...SILENT,
    metrics: (_: string, values: Record<string, number>) =>
      void (values.UnstableSlots !== undefined && seen.push(values.UnstableSlots)),
  };
  const look = async (name: string) => {
    seen.length = 0;
    const process = new Process(() => ({ log }));
    expect((await drive(tier, process, name)).outcome).toBe('served');
    return seen.at(-1);
  };
  for (let time = 0; time < times; time++) {
    await tier.lose('oss-00');
    await look(`loss ${time}`);
    await tier.advance(pauseSeconds);
  }
  expect(tier.violations).toEqual([]);
  return { tier, look };
}

test('a slot whose servers serve and fail, one after another, is unstable, though each repair ends well', async () => {
  const few = await failing(UNSTABLE_SERVINGS - 2);
  expect(await few.look('few')).toBe(0);
  const { tier, look } = await failing(UNSTABLE_SERVINGS - 1);
  expect(await look('many')).toBe(1);
  expect(tier.rowOf('oss-00').servings).toHaveLength(UNSTABLE_SERVINGS);
  expect(tier.rowOf('oss-01').servings).toHaveLength(1);
  // It has served for hours since.
  await tier.advance(UNSTABLE_MS / 1000);
  expect(await look('hours later')).toBe(0);
});

test('no more is kept than is looked at, and losses far from each other are not one', async () => {
  const { tier, look } = await failing(UNSTABLE_SERVINGS + 2, UNSTABLE_MS / 1000 / (UNSTABLE_SERVINGS - 1));
  expect(tier.rowOf('oss-00').servings).toHaveLength(UNSTABLE_SERVINGS);
  expect(await look('later')).toBe(0);
});
