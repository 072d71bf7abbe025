import { type AllLost, loseAll } from './all-lost';
import { loseOne, type OneLost } from './one-lost';
import { STEPS, type Step } from './own-share';
import { type SparePrice, sparePrice } from './spare-price';
import type { InstanceRule } from './standby';

/** The goals: seconds, and times of what the buckets allow. */
export const GOALS = { ownSeconds: 3, ratio: 1.2 } as const;

/** What is asked for beside the goals, so that what they leave out does not grow: seconds. */
export const BOUNDS = {
  /** Of the own share with Systems Manager's delivery, in 95 of 100 recoveries. */
  ownWithDelivery: 3.5,
  /**
   * From the moment at which EC2 would take the first attach of a tier that is lost as a whole until it was asked for
   * it.
   */
  firstAttach: 4,
} as const;

/** One server lost, many times. */
export interface OneLostSummary {
  readonly slots: number;
  readonly volumesPerSlot: number;
  readonly runs: number;
  readonly own: Spread;
  /** The own share without what Systems Manager takes until the host has the command. */
  readonly withoutDelivery: Spread;
  /** The own share with what passed until the group launched the next server, as far as it was waited for. */
  readonly withNotice: Spread;
  /** When the group launched the next server. */
  readonly launch: Spread;
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
    withNotice: spreadOf(all.map((one) => one.withNoticeSeconds)),
    launch: spreadOf(all.map((one) => one.steps[STEPS.indexOf('launch')]!.actual)),
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

/** One server lost of a tier with one hot spare, many times. */
export interface SpareSummary {
  readonly runs: number;
  /** How often the spare took the slot; else the server that was launched for the lost one. */
  readonly bySpare: number;
  readonly own: Spread;
  readonly withoutDelivery: Spread;
  readonly whole: Spread;
  /**
   * The whole recovery when each event of EC2 is lost that tells of an instance: the group's own events start the
   * workflow.
   */
  readonly wholeWithoutEvents: Spread;
  readonly price: SparePrice;
}

/** The same with one hot spare, with the rule that the construct makes for it and without. */
export async function measureSpare(
  runs: number,
  seed: number,
  instanceRule: InstanceRule,
  slots = 8,
  volumesPerSlot = 8,
): Promise<SpareSummary> {
  const all: OneLost[] = [];
  const withoutEvents: OneLost[] = [];
  for (let run = 0; run < runs; run++) {
    all.push(await loseOne(slots, volumesPerSlot, seed + run, { spareServers: 1, instanceRule }));
    withoutEvents.push(await loseOne(slots, volumesPerSlot, seed + run, { spareServers: 1 }));
  }
  return {
    runs,
    bySpare: all.filter(({ bySpare }) => bySpare).length,
    own: spreadOf(all.map((one) => one.ownSeconds)),
    withoutDelivery: spreadOf(all.map((one) => one.ownSeconds - one.deliverySeconds)),
    whole: spreadOf(all.map((one) => one.seconds)),
    wholeWithoutEvents: spreadOf(withoutEvents.map((one) => one.seconds)),
    price: sparePrice(),
  };
}

/** All of a tier lost at once. */
export function measureAll(seed: number, slots = 128, volumesPerSlot = 8): Promise<AllLost> {
  return loseAll(slots, volumesPerSlot, seed);
}
