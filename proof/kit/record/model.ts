import type { Seen } from '../invariants/instance-states';
import type { InvariantName } from '../invariants/list';
import type { Evidence } from './evidence';

/** A moment at which something happened that must never happen. */
export interface Violation {
  /** Seconds since 1970. */
  readonly time: number;
  readonly detail: string;
}

/** What a check found in the record. */
export interface Finding {
  /** How many moments it has looked at: one that has seen nothing has proved nothing. */
  readonly checked: number;
  readonly violations: readonly Violation[];
  /** Counts that are worth a report and no violation. */
  readonly counts?: Readonly<Record<string, number>>;
}

/** How an invariant is looked for in the record. */
export interface RecordCheck {
  readonly id: InvariantName;
  find(evidence: Evidence): Finding;
}

/** What was found at some moments, in words. */
export const violationsAt = (time: number, details: readonly string[]): Violation[] =>
  details.map((detail) => ({ time, detail }));

/** The states that instances were in, for looking back. */
export class States {
  private readonly changes = new Map<string, { time: number; state: string }[]>();

  constructor({ history }: Pick<Evidence, 'history'>) {
    for (const { kind, id, to, time } of history) {
      if (kind !== 'instance' || !to) continue;
      const before = this.changes.get(id) ?? [];
      before.push({ time, state: to });
      this.changes.set(id, before);
    }
  }

  /** The state at a moment; undefined before the instance was there. */
  at(instance: string, time: number): string | undefined {
    return this.changes
      .get(instance)
      ?.filter((change) => change.time <= time)
      .at(-1)?.state;
  }

  seen(id: string, time: number): Seen {
    return { id, state: this.at(id, time) };
  }

  /** When the instance was first in one of these states after a moment. */
  first(instance: string, states: readonly string[], after = 0): number | undefined {
    return this.changes.get(instance)?.find(({ time, state }) => time >= after && states.includes(state))
      ?.time;
  }
}
