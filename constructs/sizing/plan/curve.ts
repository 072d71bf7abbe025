import type { Design } from './design';
import { frontierOf, plan } from './plan';
import type { Wish } from './wish';

/** A design at some throughput. */
export interface CurvePoint {
  readonly id: string;
  readonly title: string;
  /** What was asked for, MB/s for each core. */
  readonly sharedMBpsPerCore: number;
  readonly mixedMBps: number;
  readonly usd: number;
}

/** Parts and multiples of the wish at which its curve is looked at. */
const FACTORS = [0.25, 0.5, 0.75, 1, 1.5, 2, 3, 4];

/**
 * Cost against throughput: each feasible design at several throughputs, and which of these points no other one beats.
 */
export function costCurve(wish: Wish): { points: CurvePoint[]; frontier: CurvePoint[] } {
  const designs = FACTORS.flatMap((factor) => {
    const sharedMBpsPerCore = wish.sharedMBpsPerCore * factor;
    return plan({ ...wish, sharedMBpsPerCore })
      .designs.filter((one) => one.feasible && one.cost?.usd !== undefined)
      .map((one) => ({ ...one, sharedMBpsPerCore }));
  });
  return { points: designs.map(pointOf), frontier: frontierOf(designs).map(pointOf) };
}

function pointOf(one: Design & { sharedMBpsPerCore: number }): CurvePoint {
  const { id, title, sharedMBpsPerCore } = one;
  return { id, title, sharedMBpsPerCore, mixedMBps: one.mixedMBps!, usd: one.cost!.usd! };
}
