import { ec2RequestBucket } from '../../constructs/sizing/data/ec2-request-limits';

/** Time as an adapter needs it. */
export interface Timer {
  /** Milliseconds since 1970. */
  now(): number;
  sleep(milliseconds: number): Promise<void>;
}

/** How often an action of EC2 may be asked for. */
export interface Rate {
  /** At once, when a pass begins. */
  readonly burst: number;
  readonly perSecond: number;
}

/**
 * What a pass allows itself of EC2's bucket for a mutating action. The pass before may have emptied it, and it is the whole account's: a
 * full one is not counted on. With the refill alone nothing is lost over a long row of calls, and a single server needs no more than the burst.
 */
export function ec2Rate(action: string): Rate {
  const { capacity, perSecond } = ec2RequestBucket(action, false);
  return { burst: capacity / 2, perSecond };
}

/**
 * Spreads calls as a token bucket does, for each action on its own, so that EC2 refuses few. It is made anew for each pass, and one that
 * is wrong costs retries of the SDK and no more.
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
