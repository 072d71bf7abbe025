import type { LaunchChoice } from '../deployment';

/** A stretch of time, and what has capacity in it: numbers of what a launch tries, in its order. */
export interface CapacityTurn {
  readonly ms: number;
  readonly has: readonly number[];
}

/**
 * Where EC2 has machines left. Capacity is one of a type in a place: inside of a placement group it may be gone while
 * there is some outside (EC2 user guide, "Placement groups" and "Insufficient instance capacity").
 */
export class Capacity {
  /** Until when nothing can be launched. */
  private noneUntil = 0;
  private turns: { readonly from: number; readonly each: readonly CapacityTurn[] } | undefined;

  /** There is none of any type. */
  gone(until: number): void {
    this.noneUntil = Math.max(this.noneUntil, until);
  }

  /** From now on capacity comes and goes, one turn after the other and then from the first again. */
  comesAndGoes(from: number, each: readonly CapacityTurn[]): void {
    this.turns = { from, each };
  }

  /** Whether there is any for a launch; `choice` is the number of what it tries. */
  has(now: number, choice: number): boolean {
    if (now < this.noneUntil) return false;
    if (this.turns === undefined) return true;
    const { from, each } = this.turns;
    const whole = each.reduce((sum, { ms }) => sum + ms, 0);
    let left = (now - from) % whole;
    for (const { ms, has } of each) {
      if (left < ms) return has.includes(choice);
      left -= ms;
    }
    return true;
  }
}

/** EC2's words to Auto Scaling (EC2 Auto Scaling user guide, "Troubleshoot: Instance launch failure"). */
export const noCapacityOf = ({ instanceType }: LaunchChoice, zone: string): string =>
  'Could not launch On-Demand Instances. InsufficientInstanceCapacity - There is not enough capacity of ' +
  `${instanceType} in the Availability Zone (${zone}). Launching EC2 instance failed.`;
