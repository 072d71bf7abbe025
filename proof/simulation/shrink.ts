import type { Fault } from './faults/kinds';
import type { Plan } from './faults/plan';

/** Whether a plan still shows the failure that is looked for. */
export type Fails = (plan: Plan) => Promise<boolean>;

/** What shrinking came to. */
export interface Shrunk {
  readonly plan: Plan;
  /** Runs that it took. */
  readonly runs: number;
}

/**
 * The smallest plan found that still fails: no single fault can be left out of it (delta debugging, Zeller and
 * Hildebrandt 2002). After that slots and volumes are left out, too, as long as it fails.
 */
export async function shrink(plan: Plan, fails: Fails, maxRuns = 500): Promise<Shrunk> {
  let runs = 0;
  const check = async (candidate: Plan): Promise<boolean> => {
    if (runs >= maxRuns) return false;
    runs += 1;
    return fails(candidate);
  };
  let faults = await withoutFaults(plan, check);
  let best: Plan = { ...plan, faults };
  const { slots, volumesPerSlot } = plan.scenario;
  best = await smallest(best, 'slots', slots, check);
  best = await smallest(best, 'volumesPerSlot', volumesPerSlot, check);
  // With fewer slots other faults may have become idle.
  faults = await withoutFaults(best, check);
  return { plan: { ...best, faults }, runs };
}

async function withoutFaults(plan: Plan, check: (plan: Plan) => Promise<boolean>): Promise<readonly Fault[]> {
  let faults = [...plan.faults];
  let parts = 2;
  while (faults.length > 0) {
    const size = Math.ceil(faults.length / parts);
    let smaller: Fault[] | undefined;
    for (let start = 0; start < faults.length && smaller === undefined; start += size) {
      const rest = [...faults.slice(0, start), ...faults.slice(start + size)];
      if (await check({ ...plan, faults: rest })) smaller = rest;
    }
    if (smaller !== undefined) {
      faults = smaller;
      parts = Math.max(2, parts - 1);
    } else if (size === 1) break;
    else parts = Math.min(faults.length, parts * 2);
  }
  return faults;
}

/** With as little of something as it still fails with; `most` is what it has. */
async function smallest(
  plan: Plan,
  name: 'slots' | 'volumesPerSlot',
  most: number,
  check: (plan: Plan) => Promise<boolean>,
): Promise<Plan> {
  for (let count = 1; count < most; count++) {
    const candidate: Plan = { ...plan, scenario: { ...plan.scenario, [name]: count } };
    if (await check(candidate)) return candidate;
  }
  return plan;
}
