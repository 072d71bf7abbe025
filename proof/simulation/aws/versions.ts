import { OLDEST_ANSWER_MS } from './call';

interface Version<View> {
  readonly at: number;
  /** Undefined when it was not there any more. */
  readonly view: View | undefined;
}

/**
 * How resources looked over time, as describes show them. A describe that is behind shows each resource as it was then
 * (Amazon EC2 developer guide, "Ensuring idempotency" and "Eventual consistency": a resource that was just made may be
 * missing, one that was just changed may look as before).
 */
export class Versions<View extends object> {
  private readonly all = new Map<string, Version<View>[]>();

  constructor(private readonly now: () => number) {}

  /** The resource looks like this from now on. The view must not change any more. */
  note(id: string, view: View | undefined): void {
    const at = this.now();
    const versions = this.all.get(id);
    if (versions === undefined) {
      this.all.set(id, [{ at, view }]);
      return;
    }
    // What happens at one moment is one change.
    if (versions[versions.length - 1]!.at === at) versions.pop();
    versions.push({ at, view });
    while (versions.length > 1 && versions[1]!.at < at - OLDEST_ANSWER_MS) versions.shift();
    if (view === undefined && versions.length === 1) this.all.delete(id);
  }

  /** The resource is not shown any more, to nobody. */
  forget(id: string): void {
    this.all.delete(id);
  }

  /**
   * How everything looked so many milliseconds ago. With `apart` that is the oldest that anything looks: each resource
   * is as old as its own number between 0 and 1 says, since nothing promises that an answer shows one moment.
   */
  seen(ageMs: number, apart?: () => ((id: string) => number) | undefined): View[] {
    const found: View[] = [];
    const now = this.now();
    const share = ageMs > 0 ? apart?.() : undefined;
    for (const [id, versions] of this.all) {
      const then = now - (share === undefined ? ageMs : Math.floor(ageMs * share(id)));
      for (let index = versions.length - 1; index >= 0; index--) {
        const version = versions[index]!;
        if (version.at > then) continue;
        if (version.view !== undefined) found.push(version.view);
        break;
      }
    }
    return found;
  }
}
