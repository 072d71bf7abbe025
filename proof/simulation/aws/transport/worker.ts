/** One invocation of a function. When it is dead, nothing it does is sent and nothing is told to it. */
export class Worker {
  alive = true;
  private readonly ends: (() => void)[] = [];

  /** @param name `<function>/<execution or request>/<number>` */
  constructor(readonly name: string) {}

  /** The process ends here. */
  die(): void {
    if (!this.alive) return;
    this.alive = false;
    for (const end of this.ends) end();
  }

  /** The function has returned: its process is frozen, and what it left behind does not go on. */
  finish(): void {
    this.alive = false;
  }

  /** Calls `what` when the process ends before its time. */
  onDeath(what: () => void): void {
    this.ends.push(what);
  }
}
