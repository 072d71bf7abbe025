import type { SimulatedAutoScaling } from './group';

/** An instance refresh: one member after the other is replaced, and the next only when all are in service again. */
export class Refresh {
  /** Members that the group may have beyond what is desired. */
  extra = 0;
  private waiting: string[] = [];
  private launchFirst = false;

  constructor(private readonly group: SimulatedAutoScaling) {}

  get goesOn(): boolean {
    return this.waiting.length > 0 || this.extra > 0;
  }

  start(launchFirst: boolean): boolean {
    if (this.waiting.length > 0 || !this.group.exists) return false;
    this.waiting = [...this.group.members.keys()];
    this.launchFirst = launchFirst;
    this.group.look();
    return this.waiting.length > 0;
  }

  /** Takes the next step when the one before is over. */
  step(): void {
    this.waiting = this.waiting.filter((id) => this.group.members.has(id));
    const [next] = this.waiting;
    if (next === undefined) {
      this.extra = 0;
      return;
    }
    const all = [...this.group.members.values()];
    if (all.some((member) => member.lifecycle !== 'InService')) return;
    // Those that are too many the group lets go first; a replacement that nobody launches is not waited for.
    if (all.length > this.group.desired + this.extra) return;
    if (this.launchFirst && this.extra === 0) {
      this.extra = 1;
      return;
    }
    if (all.length < this.group.desired + this.extra) return;
    this.waiting.shift();
    this.extra = 0;
    this.group.leave(this.group.members.get(next)!);
  }
}
