import type { Random } from '../core/random';
import type { Fault, Target } from './kinds';
import { WEIGHTED_FAULTS } from './weighted-faults';

const TOTAL = WEIGHTED_FAULTS.reduce((sum, [weight]) => sum + weight, 0);

/** One fault that begins within the window (milliseconds). */
export function randomFault(random: Random, slots: number, volumes: number, windowMs: number): Fault {
  const at = random.int(0, windowMs);
  const target: Target = random.chance(0.6)
    ? { owner: random.int(0, slots - 1) }
    : { member: random.int(0, slots) };
  let draw = random.int(0, TOTAL - 1);
  for (const [weight, make] of WEIGHTED_FAULTS) {
    if (draw < weight) return make({ random, slots, volumes, at, target });
    draw -= weight;
  }
  throw new Error('the weights do not add up');
}
