/** Takes an entry out of the queue again; nothing happens when it has run. */
export type Cancel = () => void;

interface Entry {
  readonly at: number;
  readonly order: number;
  /** Undefined once it is cancelled. */
  what: (() => void) | undefined;
  readonly label: string;
}

/** Taken before a test can replace it. */
const immediately = setImmediate;

/**
 * Entries that one turn of Node's event loop runs. Between two callbacks of setImmediate Node runs all promise
 * reactions, also within one turn (Node.js, "The Node.js Event Loop"), and a turn costs more than most entries do.
 */
const STEPS_OF_TURN = 256;

/** A run that does not come to an end within one moment goes in circles. */
const MOST_ENTRIES_AT_ONE_TIME = 1_000_000;

/**
 * Virtual time. Everything that happens later is an entry in one queue, ordered by time, then by order of entry.
 * Between two entries all promise reactions run, so that code under test is where it waits for something when the next
 * entry runs: a run is the same each time.
 */
export class Scheduler {
  /** Entries that ran. */
  steps = 0;
  private readonly heap: Entry[] = [];
  private entries = 0;
  private time: number;
  private failure: Error | undefined;
  private atThisTime = 0;
  /** An entry has run since everybody who looks at every step was called. */
  private unwatched = false;
  private readonly afterEach: (() => void)[] = [];

  /** @param start milliseconds since 1970 */
  constructor(start: number) {
    this.time = start;
  }

  /** Milliseconds since 1970. */
  now(): number {
    return this.time;
  }

  /**
   * Calls `what` after some milliseconds; 0 is after what is under way, and after what was entered before for the same
   * time.
   */
  after(ms: number, what: () => void, label = ''): Cancel {
    if (!(ms >= 0)) throw new Error(`cannot schedule ${label} after ${ms} ms`);
    const entry: Entry = { at: this.time + ms, order: this.entries++, what, label };
    this.push(entry);
    return () => {
      entry.what = undefined;
    };
  }

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.after(ms, resolve, 'sleep');
    });
  }

  /** Calls `what` after each entry and the promise reactions it had, for whoever looks at every step. */
  watch(what: () => void): void {
    this.afterEach.push(what);
  }

  /**
   * Ends the run with this error as soon as the entry is over: the simulation itself, or what watches it, found
   * something wrong.
   */
  fail(error: Error): void {
    this.failure ??= error;
  }

  /** When the next entry is due; undefined when there is none. */
  next(): number | undefined {
    while (this.heap.length > 0 && this.heap[0]!.what === undefined) this.pop();
    return this.heap[0]?.at;
  }

  /**
   * Runs entries until `until` (milliseconds since 1970), until nothing is left or `stop` says so. Then it is `until`,
   * unless `stop` ended it.
   *
   * @throws what `fail` was called with
   */
  run(until: number, stop?: () => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      let over = false;
      const step = (): void => {
        if (over) return;
        try {
          over = this.step(until, stop);
          if (over) resolve();
        } catch (error) {
          over = true;
          reject(error);
        }
      };
      const turn = (): void => {
        if (over) return;
        for (let count = 0; count < STEPS_OF_TURN; count++) immediately(step);
        immediately(turn);
      };
      this.atThisTime = 0;
      turn();
    });
  }

  /**
   * Ends the entry before, whose promise reactions have all run by now, and runs the next one; true when the run is
   * over.
   */
  private step(until: number, stop: (() => boolean) | undefined): boolean {
    this.throwFailure();
    if (this.unwatched) {
      this.unwatched = false;
      for (const watch of this.afterEach) watch();
      this.throwFailure();
    }
    if (stop?.()) return true;
    const due = this.next();
    if (due === undefined || due > until) {
      this.time = Math.max(this.time, until);
      return true;
    }
    const { what, label } = this.pop();
    this.atThisTime = due === this.time ? this.atThisTime + 1 : 0;
    if (this.atThisTime > MOST_ENTRIES_AT_ONE_TIME) throw new Error(`the run goes in circles at ${label}`);
    this.time = due;
    this.steps += 1;
    this.unwatched = true;
    what!();
    return false;
  }

  private throwFailure(): void {
    if (this.failure === undefined) return;
    const failure = this.failure;
    this.failure = undefined;
    throw failure;
  }

  private push(entry: Entry): void {
    const { heap } = this;
    let position = heap.length;
    heap.push(entry);
    while (position > 0) {
      const parent = (position - 1) >> 1;
      if (!isBefore(entry, heap[parent]!)) break;
      heap[position] = heap[parent]!;
      position = parent;
    }
    heap[position] = entry;
  }

  private pop(): Entry {
    const { heap } = this;
    const first = heap[0]!;
    const last = heap.pop()!;
    if (heap.length === 0) return first;
    let position = 0;
    for (;;) {
      let child = 2 * position + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child += 1;
      if (!isBefore(heap[child]!, last)) break;
      heap[position] = heap[child]!;
      position = child;
    }
    heap[position] = last;
    return first;
  }
}

const isBefore = (a: Entry, b: Entry): boolean => a.at < b.at || (a.at === b.at && a.order < b.order);
