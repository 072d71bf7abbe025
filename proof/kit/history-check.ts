import type { ApiCall, Transition } from './history';

/** A moment at which data was in danger. */
export interface Violation {
  readonly rule:
    | 'attached-twice'
    | 'moved-too-early'
    | 'attached-to-dead'
    | 'mounted-twice'
    | 'formatted-twice'
    | 'reported';
  readonly time: number;
  readonly detail: string;
}

/** What the whole history says. */
export interface HistoryVerdict {
  readonly violations: Violation[];
  /** How often each volume and interface was attached: a history that shows none has proved nothing. */
  readonly attachments: Record<string, number>;
}

const ATTACHMENT_KINDS = new Set(['volume-attachment', 'interface-attachment']);
/** States in which an instance can no longer write: only then may what it held go to another. */
export const DEAD = new Set(['terminated', 'stopped']);
/** States of an attachment in which the instance may have the thing: 'busy' and 'detaching' still count. */
export const HELD = new Set(['attaching', 'attached', 'busy', 'detaching']);

/**
 * Replays a history and tells every moment at which
 * - a volume or interface was attached to two instances,
 * - one was attached to another instance before its last holder was terminated or stopped,
 * - one was attached to an instance that was terminated,
 * - a volume was mounted by two instances,
 * - one was formatted a second time, or
 * - the embedded AWS itself reported that an invariant broke.
 *
 * Volumes that a cluster shares may be with several instances at once; cluster-check.ts says what must hold of them
 * instead.
 */
export function checkHistory(history: Transition[], shared: ReadonlySet<string> = new Set()): HistoryVerdict {
  const replay = new Replay(shared);
  // Recorded in order; sorting (stable) guards against two writers whose lines crossed.
  for (const transition of [...history].sort((a, b) => a.time - b.time)) replay.apply(transition);
  return { violations: replay.violations, attachments: replay.attachments };
}

class Replay {
  readonly violations: Violation[] = [];
  readonly attachments: Record<string, number> = {};
  private readonly instanceState = new Map<string, string>();
  private readonly holders = new Map<string, Set<string>>();
  private readonly lastHolder = new Map<string, string>();
  private readonly mountedBy = new Map<string, Set<string>>();
  private readonly formats = new Map<string, number>();

  constructor(private readonly shared: ReadonlySet<string>) {}

  apply(transition: Transition): void {
    const { kind, id, to, instance } = transition;
    if (kind === 'instance') {
      this.instanceState.set(id, to ?? '');
      if (to === 'terminated') for (const mounts of this.mountedBy.values()) mounts.delete(id);
    } else if (ATTACHMENT_KINDS.has(kind) && instance) {
      this.applyAttachment(transition, instance);
    } else if (kind === 'mount') {
      this.applyMount(transition);
    } else if (kind === 'format') {
      this.applyFormat(transition);
    } else if (kind === 'violation') {
      this.add('reported', transition, `${id}: ${to ?? 'no detail'}${instance ? ` by ${instance}` : ''}`);
    }
  }

  private applyAttachment(transition: Transition, instance: string): void {
    const { kind, id, to } = transition;
    const key = `${kind} ${id}`;
    const holders = this.holders.get(key) ?? new Set<string>();
    this.holders.set(key, holders);
    if (!to || !HELD.has(to)) {
      holders.delete(instance);
      return;
    }
    if (holders.has(instance)) return;
    this.attachments[id] = (this.attachments[id] ?? 0) + 1;
    const exclusive = !this.shared.has(id);
    for (const other of exclusive ? holders : []) {
      this.add('attached-twice', transition, `${id} went to ${instance} while ${other} had it`);
    }
    const last = exclusive ? this.lastHolder.get(key) : undefined;
    if (last && last !== instance && !holders.has(last) && !DEAD.has(this.instanceState.get(last) ?? '')) {
      const state = this.instanceState.get(last) ?? 'unknown';
      this.add('moved-too-early', transition, `${id} went to ${instance} while ${last} was ${state}`);
    }
    if (this.instanceState.get(instance) === 'terminated') {
      this.add('attached-to-dead', transition, `${id} was attached to ${instance}, which is terminated`);
    }
    holders.add(instance);
    this.lastHolder.set(key, instance);
  }

  /** A mount's states are the instance that has it mounted, or none. */
  private applyMount(transition: Transition): void {
    const { id, from, to } = transition;
    const mounts = this.mountedBy.get(id) ?? new Set<string>();
    this.mountedBy.set(id, mounts);
    if (from) mounts.delete(from);
    if (!to) return;
    for (const other of mounts) {
      if (other !== to) this.add('mounted-twice', transition, `${id}: ${to} while ${other} had it mounted`);
    }
    mounts.add(to);
  }

  private applyFormat(transition: Transition): void {
    const count = (this.formats.get(transition.id) ?? 0) + 1;
    this.formats.set(transition.id, count);
    if (count > 1)
      this.add('formatted-twice', transition, `${transition.id} was formatted for the ${count}. time`);
  }

  private add(rule: Violation['rule'], { time }: Transition, detail: string): void {
    this.violations.push({ rule, time, detail });
  }
}

/** Detach calls that asked for force, which skips the old server's flush and is never used. */
export function forcedDetaches(calls: ApiCall[]): ApiCall[] {
  return calls.filter(
    ({ action, parameters }) =>
      /^Detach(Volume|NetworkInterface)$/.test(action) && /^true$/i.test(String(parameters.Force ?? 'false')),
  );
}

/** Calls between two moments that the demo did not make itself, counted as service:Action, most frequent first. */
export function countCalls(
  calls: ApiCall[],
  from: number,
  to: number,
  ownAgent: string,
): Record<string, number> {
  const counts = new Map<string, number>();
  for (const { time, service, action, userAgent } of calls) {
    if (time < from || time > to || userAgent.includes(ownAgent)) continue;
    const name = `${service}:${action}`;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return Object.fromEntries([...counts].sort(([a, m], [b, n]) => n - m || a.localeCompare(b)));
}
