/**
 * An agent is shown as online until it has been silent for so long (Systems Manager user guide, "Checking SSM Agent
 * status": a ping every five minutes).
 */
const CONNECTION_LOST_MS = 300_000;

/** The agent of Systems Manager on a host. */
export class Agent {
  /** When Systems Manager knows it; infinite while the machine is off. */
  registeredAt = Number.POSITIVE_INFINITY;
  private silent = { since: 0, until: 0 };

  constructor(private readonly now: () => number) {}

  powerOff(): void {
    this.registeredAt = Number.POSITIVE_INFINITY;
  }

  /** It takes no commands for so long. */
  isGoneFor(ms: number): void {
    const now = this.now();
    if (now >= this.silent.until) this.silent.since = now;
    this.silent.until = Math.max(this.silent.until, now + ms);
  }

  comesBack(): void {
    this.silent.until = 0;
  }

  /** Whether Systems Manager knows it. */
  get registered(): boolean {
    return this.now() >= this.registeredAt;
  }

  /** Whether it takes commands now. */
  get reachable(): boolean {
    return this.registered && this.now() >= this.silent.until;
  }

  /** Whether Systems Manager shows it as one that it has heard of lately. */
  get heardOf(): boolean {
    return this.registered && (this.reachable || this.now() - this.silent.since < CONNECTION_LOST_MS);
  }
}
