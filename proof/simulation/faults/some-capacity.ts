import type { Random } from '../core/random';
import { ALLOWED_LAUNCHES } from '../definition';
import type { Fault } from './kinds';

const SECOND = 1000;
const MINUTE = 60 * SECOND;

/**
 * What the tier is made for is gone, mostly; the others come and go, some for seconds, some for hours. One of them is
 * always there.
 */
export function someCapacity(random: Random): Fault {
  const all = Array.from({ length: ALLOWED_LAUNCHES }, (_, choice) => choice);
  const turns = Array.from({ length: random.int(1, 5) }, () => {
    const [there, ...others] = random.shuffle(all.slice(random.chance(0.75) ? 1 : 0));
    const has = [there!, ...others.filter(() => random.chance(0.3))];
    const ms = random.chance(0.5) ? random.int(5, 120) * SECOND : random.int(3, 180) * MINUTE;
    return { ms, has: has.sort((a, b) => a - b) };
  });
  return { kind: 'some-capacity', at: random.int(0, MINUTE), turns };
}
