import { ec2RequestBucket } from '../../constructs/sizing/data/ec2-request-limits';
import type { Timer } from '../shared/timer';

/** How often an action of EC2 may be asked for. */
export interface Rate {
  /** At once, when a pass begins. */
  readonly burst: number;
  readonly perSecond: number;
}

/**
 * What a pass allows itself of EC2's bucket for a mutating action. The pass before may have emptied it, and it is the
 * whole account's: a full one is not counted on. With the refill alone nothing is lost over a long row of calls, and a
 * single server needs no more than the burst.
 */
function ec2Rate(action: string): Rate {
  const { capacity, perSecond } = ec2RequestBucket(action, false);
  return { burst: capacity / 2, perSecond };
}

/**
 * Spreads calls as a token bucket does, for each action on its own, so that EC2 refuses few. It is made anew for each
 * pass and learns from what EC2 shows what the passes before have taken; one that is wrong costs retries of the SDK and
 * no more.
 *
 * @see https://docs.aws.amazon.com/ec2/latest/devguide/ec2-api-throttling.html
 */
export class Pace {
  /** When the next call of an action is due, had there been no burst. */
  private readonly due = new Map<string, number>();

  constructor(
    private readonly timer: Timer,
    private readonly rateOf: (action: string) => Rate = ec2Rate,
  ) {}

  /**
   * Tells of requests that were done, by the times at which EC2 shows them (milliseconds since 1970): what they took
   * and has not come back is no part of the burst. To be told before the action's first turn.
   */
  seen(action: string, times: readonly number[]): void {
    const { burst, perSecond } = this.rateOf(action);
    const now = this.timer.now();
    let taken = 0;
    let last = Number.NEGATIVE_INFINITY;
    for (const time of [...times].filter((each) => each <= now).sort((a, b) => a - b)) {
      taken = Math.max(0, taken - ((time - last) / 1000) * perSecond) + 1;
      last = time;
    }
    taken = Math.max(0, taken - ((now - last) / 1000) * perSecond);
    this.due.set(action, now - (Math.max(0, burst - taken) / perSecond) * 1000);
  }

  /** Waits until the action may be asked for. */
  async turn(action: string): Promise<void> {
    const { burst, perSecond } = this.rateOf(action);
    const now = this.timer.now();
    const interval = 1000 / perSecond;
    // A bucket that has been left alone is full and gets no fuller.
    const due = Math.max(this.due.get(action) ?? Number.NEGATIVE_INFINITY, now - burst * interval);
    this.due.set(action, due + interval);
    const wait = due + interval - now;
    if (wait > 0) await this.timer.sleep(wait);
  }
}
