import type { Random } from '../core/random';
import { longOrShort } from './draws';
import type { Fault, Target } from './kinds';
import type { Scenario } from './scenario';

const SECOND = 1000;
const MINUTE = 60 * SECOND;

const KINDS: readonly ((random: Random, at: number, target: Target) => Fault)[] = [
  (random, at, target) => ({
    kind: 'network-manager',
    at,
    ms: random.chance(0.5) ? 0 : longOrShort(random, 10 * SECOND, 10 * MINUTE),
    target,
    takes: random.pick(['routes', 'routes', 'address'] as const),
  }),
  (random, at, target) => ({
    kind: 'carrier-lost',
    at,
    ms: longOrShort(random, 2 * SECOND, 15 * MINUTE),
    target,
  }),
  (random, at, target) => ({
    kind: 'packet-filter',
    at,
    target,
    ...(random.chance(0.5) ? { ms: longOrShort(random, 30 * SECOND, 20 * MINUTE) } : {}),
  }),
  (random, at, target) => ({
    kind: 'upgrade',
    at,
    ms: random.int(2, 90) * SECOND,
    target: random.chance(0.4) ? 'all' : target,
    takesRoutes: random.chance(0.4),
  }),
];

/**
 * Who else is at work on the hosts, and takes the way to their clients. Beside the other faults of a plan, which stay
 * what they are.
 */
export function otherActors(random: Random, { slots }: Scenario, windowMs: number): Fault[] {
  return Array.from({ length: random.pick([1, 1, 2, 3]) }, () =>
    random.pick(KINDS)(random, random.int(0, windowMs), { owner: random.int(0, slots - 1) }),
  );
}
