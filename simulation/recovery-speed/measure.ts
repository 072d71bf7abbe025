import { type AllLost, loseAll } from './all-lost';
import { loseOne, type OneLost } from './one-lost';
import { STEPS, type Step } from './own-share';

/** The goals: seconds, and times of what the buckets allow. */
export const GOALS = { ownSeconds: 3, ratio: 1.2 } as const;

/** One server lost, many times. */
export interface OneLostSummary {
  readonly slots: number;
  readonly volumesPerSlot: number;
  readonly runs: number;
  readonly own: Spread;
  /** The own share without what Systems Manager takes until the host has the command. */
  readonly withoutDelivery: Spread;
  readonly whole: Spread;
  readonly calls: Spread;
  readonly refused: number;
  /** Mean over the runs, seconds. */
  readonly steps: readonly {
    readonly step: Step;
    readonly actual: number;
    readonly earliest: number;
    readonly behind: number;
  }[];
  readonly deliverySeconds: Spread;
  /** The run with the largest share. */
  readonly worst: OneLost;
}

/** How values lie. */
export interface Spread {
  readonly least: number;
  readonly median: number;
  /** 95 of 100 are not above it. */
  readonly p95: number;
  readonly most: number;
}

export function spreadOf(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number): number => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)]!;
  return { least: sorted[0]!, median: at(0.5), p95: at(0.95), most: sorted[sorted.length - 1]! };
}

/** Loses one server in each of so many runs, with seeds from `seed` on. */
export async function measureOne(
  runs: number,
  seed: number,
  slots = 8,
  volumesPerSlot = 8,
): Promise<OneLostSummary> {
  const all: OneLost[] = [];
  for (let run = 0; run < runs; run++) all.push(await loseOne(slots, volumesPerSlot, seed + run));
  const mean = (value: (one: OneLost) => number): number =>
    all.reduce((sum, one) => sum + value(one), 0) / runs;
  return {
    slots,
    volumesPerSlot,
    runs,
    own: spreadOf(all.map((one) => one.ownSeconds)),
    withoutDelivery: spreadOf(all.map((one) => one.ownSeconds - one.deliverySeconds)),
    whole: spreadOf(all.map((one) => one.seconds)),
    calls: spreadOf(all.map((one) => Object.values(one.calls).reduce((sum, count) => sum + count, 0))),
    refused: all.reduce((sum, one) => sum + one.refused, 0),
    steps: STEPS.map((step, position) => ({
      step,
      actual: mean((one) => one.steps[position]!.actual),
      earliest: mean((one) => one.steps[position]!.earliest),
      behind: mean((one) => one.steps[position]!.behind),
    })),
    deliverySeconds: spreadOf(all.map((one) => one.deliverySeconds)),
    worst: all.reduce((worst, one) => (one.ownSeconds > worst.ownSeconds ? one : worst)),
  };
}

/** All of a tier lost at once. */
export function measureAll(seed: number, slots = 128, volumesPerSlot = 8): Promise<AllLost> {
  return loseAll(slots, volumesPerSlot, seed);
}
