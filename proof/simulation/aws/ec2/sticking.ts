/**
 * How an attachment sticks: on its way on, on its way off (EBS user guide, "Detach a volume": an attachment stuck in
 * detaching), or where it was, `attached` to an instance that is terminated, until somebody asks for it.
 */
export type Sticking = 'attaching' | 'detaching' | 'attached';

/** Volumes and interfaces of which the next change takes long. */
export class Stuck {
  private readonly all = new Map<string, { readonly state: Sticking; readonly until: number }>();

  constructor(
    private readonly now: () => number,
    private readonly later: (ms: number, what: () => void) => void,
  ) {}

  /** @param ms of what is left `attached` nothing: only who asks for it gets it */
  stick(id: string, state: Sticking, ms: number): void {
    const until = state === 'attached' ? Number.POSITIVE_INFINITY : this.now() + ms;
    this.all.set(id, { state, until });
  }

  /** Goes on when the time of what sticks in one of these states is over; at once when it does not stick. */
  after(id: string, states: readonly Sticking[], enter: (state: Sticking) => void, what: () => void): void {
    const stuck = this.all.get(id);
    if (stuck === undefined || !states.includes(stuck.state) || stuck.until <= this.now()) {
      what();
      return;
    }
    enter(stuck.state);
    if (stuck.until === Number.POSITIVE_INFINITY) {
      // Once is enough: what hangs on the next instance is another matter.
      this.all.delete(id);
      return;
    }
    this.later(stuck.until - this.now(), what);
  }
}
