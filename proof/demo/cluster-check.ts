import type { Transition } from '../kit/history';
import { isAttached, mayWrite } from '../kit/invariants/instance-states';

/** A moment at which the data that a cluster shares was in danger. */
export interface ClusterViolation {
  readonly rule:
    | 'mounted-by-stranger'
    | 'mounted-without-volume'
    | 'mounted-before-format'
    | 'mounted-before-fence'
    | 'mounted-alone'
    | 'node-twice'
    | 'fenced-alive'
    | 'fenced-mounted'
    | 'fenced-by-stranger'
    | 'fenced-acts'
    | 'formatted-in-use';
  readonly time: number;
  readonly detail: string;
}

/** A node that was fenced. */
export interface Fencing {
  readonly time: number;
  readonly instance: string;
  readonly node: string;
  /** The member that saw to it. */
  readonly by: string;
}

/** What the whole history says of a cluster. */
export interface ClusterVerdict {
  readonly violations: ClusterViolation[];
  readonly fenced: Fencing[];
  /** Instances that ended without leaving the cluster, and were not fenced. */
  readonly unfenced: string[];
  /** Volume to the instances that have it mounted at the end. */
  readonly mounted: Record<string, string[]>;
  /** How often a node mounted a volume: a history that shows none has proved nothing. */
  readonly mounts: number;
}

/**
 * Replays what happened to volumes that the members of one cluster share. Several instances may have such a volume
 * attached and mounted; what must hold instead, at every moment, is
 * - who mounts it is a member: it joined, did not leave, and was not fenced since; it has the volume attached, and the
 *   volume was formatted;
 * - nobody mounts it while a member that has ended is not fenced: until then nobody knows what that one wrote last.
 *   When all have ended, nobody is left who could fence or write, and who joins next is the first of a new cluster;
 * - no two instances are the same node at once, the one before having ended;
 * - a fence comes from another member that runs; the fenced instance is off, has nothing mounted, and does nothing more
 *   unless it starts anew;
 * - it is mounted as GFS2 only, never by one host for itself;
 * - it is not formatted once anybody mounted it.
 */
export function checkCluster(history: Transition[], volumes: readonly string[]): ClusterVerdict {
  const replay = new ClusterReplay(new Set(volumes));
  for (const transition of [...history].sort((a, b) => a.time - b.time)) replay.apply(transition);
  return replay.verdict();
}

class ClusterReplay {
  private readonly violations: ClusterViolation[] = [];
  private readonly fencings: Fencing[] = [];
  private readonly states = new Map<string, string>();
  /** Instance to the node that it is. */
  private readonly members = new Map<string, string>();
  private readonly fenced = new Set<string>();
  /** By volume. */
  private readonly attached = new Map<string, Set<string>>();
  private readonly mounted = new Map<string, Set<string>>();
  private readonly formatted = new Set<string>();
  private readonly used = new Set<string>();
  private mounts = 0;

  constructor(private readonly shared: ReadonlySet<string>) {}

  verdict(): ClusterVerdict {
    return {
      violations: this.violations,
      fenced: this.fencings,
      unfenced: this.lost(),
      mounted: Object.fromEntries([...this.mounted].map(([id, by]) => [id, [...by].sort()])),
      mounts: this.mounts,
    };
  }

  apply(transition: Transition): void {
    const { kind, id, from, to } = transition;
    if (kind === 'instance') {
      this.states.set(id, to ?? '');
      // It was off: what it knew of the cluster is gone.
      if (to === 'running') this.fenced.delete(id);
    } else if (kind === 'cluster-member') {
      if (from) this.members.delete(from);
      if (to) this.join(id, to, transition);
    } else if (kind === 'fence') {
      this.fence(transition);
    } else if (this.shared.has(id)) {
      this.applyToVolume(transition);
    }
  }

  private applyToVolume(transition: Transition): void {
    const { kind, id, from, to, instance } = transition;
    if (kind === 'volume-attachment' && instance) {
      const holders = setOf(this.attached, id);
      if (isAttached(to)) holders.add(instance);
      else holders.delete(instance);
    } else if (kind === 'mount' && to) {
      this.add('mounted-alone', transition, `${id} was mounted by ${to} for itself`);
    } else if (kind === 'shared-mount') {
      if (from) setOf(this.mounted, id).delete(from);
      if (to) this.mount(id, to, transition);
    } else if (kind === 'format') {
      this.formatted.add(id);
      if (this.used.has(id))
        this.add('formatted-in-use', transition, `${id} was formatted after it was used`);
    }
  }

  private join(node: string, instance: string, transition: Transition): void {
    if (this.lost().length === this.members.size) this.members.clear();
    if (this.fenced.has(instance))
      this.add('fenced-acts', transition, `${instance} joined after it was fenced`);
    for (const [other, name] of this.members) {
      if (name === node && other !== instance && !this.ended(other)) {
        this.add('node-twice', transition, `${instance} joined as ${node} while ${other} was it`);
      }
    }
    this.members.set(instance, node);
  }

  private mount(volume: string, instance: string, transition: Transition): void {
    const what = `${volume} was mounted by ${instance}`;
    if (this.fenced.has(instance)) this.add('fenced-acts', transition, `${what}, which was fenced`);
    else if (!this.members.has(instance)) this.add('mounted-by-stranger', transition, `${what}, no member`);
    if (!this.attached.get(volume)?.has(instance))
      this.add('mounted-without-volume', transition, `${what}, which has not got it`);
    if (!this.formatted.has(volume)) this.add('mounted-before-format', transition, `${what} unformatted`);
    const lost = this.lost();
    if (lost.length)
      this.add('mounted-before-fence', transition, `${what} while ${lost.join(', ')} was not fenced`);
    setOf(this.mounted, volume).add(instance);
    this.used.add(volume);
    this.mounts += 1;
  }

  private fence(transition: Transition): void {
    const { time, id, from, instance: by = '' } = transition;
    if (!this.ended(id)) {
      this.add(
        'fenced-alive',
        transition,
        `${id} was taken for off while ${this.states.get(id) ?? 'unknown'}`,
      );
    }
    if ([...this.mounted.values()].some((hosts) => hosts.has(id))) {
      this.add('fenced-mounted', transition, `${id} was taken for off and had the file system mounted`);
    }
    if (by === id || !this.members.has(by) || this.ended(by)) {
      this.add('fenced-by-stranger', transition, `${id} was fenced by ${by || 'nobody'}, no running member`);
    }
    this.members.delete(id);
    this.fenced.add(id);
    this.fencings.push({ time, instance: id, node: from ?? '', by });
  }

  private ended(instance: string): boolean {
    return !mayWrite(this.states.get(instance));
  }

  private lost(): string[] {
    return [...this.members.keys()].filter((instance) => this.ended(instance));
  }

  private add(rule: ClusterViolation['rule'], { time }: Transition, detail: string): void {
    this.violations.push({ rule, time, detail });
  }
}

function setOf(map: Map<string, Set<string>>, key: string): Set<string> {
  const found = map.get(key) ?? new Set<string>();
  map.set(key, found);
  return found;
}
