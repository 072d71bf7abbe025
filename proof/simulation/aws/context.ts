import type { Random } from '../core/random';
import type { Scheduler } from '../core/scheduler';
import type { Faults } from './call';
import type { Observer } from './observer';
import { draw, type Range, type Timings } from './timings';

/** What all parts of a simulated account share. */
export interface Context {
  readonly scheduler: Scheduler;
  readonly timings: Timings;
  readonly faults: Faults;
  readonly observer: Observer;
  /** A stream for each part, so that parts do not shift each other. */
  readonly random: (name: string) => Random;
}

/** Draws times for one part. */
export class Durations {
  private readonly random: Random;

  constructor(
    private readonly context: Context,
    name: string,
  ) {
    this.random = context.random(name);
  }

  /** A time of the range that is chosen, in milliseconds. */
  of(choose: (timings: Timings) => Range): number {
    return draw(choose(this.context.timings), this.random);
  }
}

/** Ids in EC2's form, in the order in which things come to be. */
export class Ids {
  private last = 0;

  /** For example i-00000000000000001. */
  next(prefix: string): string {
    this.last += 1;
    return `${prefix}-${this.last.toString(16).padStart(17, '0')}`;
  }

  /** In the form of a UUID. */
  uuid(): string {
    this.last += 1;
    return `00000000-0000-4000-8000-${this.last.toString(16).padStart(12, '0')}`;
  }
}
