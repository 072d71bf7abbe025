import type { Fault } from '../../proof/simulation/faults/kinds';
import { type Plan, planOf } from '../../proof/simulation/faults/plan';
import { shrink } from '../../proof/simulation/shrink';

const fault = (slot: number): Fault => ({ kind: 'edit', at: slot, slot, edit: 'raise-epoch' });
const plan: Plan = {
  scenario: { ...planOf(1).scenario, slots: 5, volumesPerSlot: 3 },
  faults: Array.from({ length: 16 }, (_, slot) => fault(slot)),
};
const has = (candidate: Plan, at: number) => candidate.faults.some((each) => 'at' in each && each.at === at);

test('leaves the faults that it takes, and no other', async () => {
  const shrunk = await shrink(plan, async (candidate) => has(candidate, 3) && has(candidate, 11));
  expect(shrunk.plan.faults).toEqual([fault(3), fault(11)]);
  expect(shrunk.plan.scenario).toMatchObject({ slots: 1, volumesPerSlot: 1 });
});

test('leaves no fault when the failure needs none', async () => {
  expect((await shrink(plan, async () => true)).plan.faults).toEqual([]);
});

test('leaves the slots that it takes', async () => {
  const shrunk = await shrink(plan, async ({ scenario }) => scenario.slots >= 3);
  expect(shrunk.plan.scenario.slots).toBe(3);
});

test('ends after so many runs, with what it has by then', async () => {
  let runs = 0;
  const shrunk = await shrink(plan, async (candidate) => ++runs > 0 && has(candidate, 3), 4);
  expect(runs).toBe(4);
  expect(has(shrunk.plan, 3)).toBe(true);
});

describe('plans', () => {
  test('are the same for the same seed, and others for another', () => {
    expect(planOf(41)).toEqual(planOf(41));
    expect(planOf(41)).not.toEqual(planOf(42));
  });

  test('are data, so that a replay is exact', () => {
    expect(JSON.parse(JSON.stringify(planOf(41)))).toEqual(planOf(41));
  });
});
