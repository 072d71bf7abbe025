import type { Answer, Night, Node, Ports, Question } from '../../../lambda/operation-sleep/ports';
import type { Settings } from '../../../lambda/operation-sleep/settings';
import { start } from '../../../lambda/operation-sleep/start';
import { stop } from '../../../lambda/operation-sleep/stop';
import type { SlotRow, TierRows } from '../../../lambda/shared/map';
import type { Held, LockPort, Progress } from '../../../lambda/shared/operation/lock';
import { type StepResult, takeStep } from '../../../lambda/shared/operation/step';
import { row } from '../volume-reconciler/settings';

const DONE: Answer = { state: 'ended', exitCode: 0, said: 'unmounted' };
const BEGUN = Date.parse('2026-01-01T20:00:00Z');

/** A group of made-up servers. */
interface MadeGroup {
  least: number;
  desired: number;
  members: { instanceId: string; lifecycle: string }[];
}

/** What a Lustre deployment with two nodes is, as its functions are told. */
export const LUSTRE: Settings = {
  deployment: 'grid',
  tiers: ['mgs', 'mds', 'oss'].map((tier) => ({
    tier,
    table: 'map',
    group: `g-${tier}`,
    slots: tier === 'oss' ? 2 : 1,
    spares: tier === 'oss' ? 1 : 0,
  })),
  stopOrder: ['mds', 'oss', 'mgs'],
  clusterGroups: [],
  nodeStack: 'grid-grid',
  hostsHaveUsers: false,
  stacks: ['grid-network', 'grid-storage'],
  deadlineSeconds: 10_800,
};

/** Hosts that share volumes, and are the grid. */
export const CLUSTER: Settings = {
  ...LUSTRE,
  tiers: [],
  stopOrder: [],
  clusterGroups: ['g-1', 'g-2'],
  nodeStack: undefined,
  hostsHaveUsers: true,
};

/** A deployment that does what it is told, a step of the world after each step of the operation. */
export class World {
  /** What was changed, in order. */
  readonly events: string[] = [];
  readonly groups = new Map<string, MadeGroup>();
  readonly nodes = new Map<string, string>([
    ['i-control', 'running'],
    ['i-node1', 'running'],
    ['i-spent', 'stopped'],
  ]);
  readonly rows = new Map<string, SlotRow[]>();
  broken: TierRows['broken'] = [];
  readonly asleep = new Set<string>();
  night?: Night;
  changing: string[] = [];
  refreshing = false;
  /** What a host answers, where it is not that all is well. */
  readonly answers = new Map<string, Answer>();
  /** Calls until the function dies; `after` the call was carried out. */
  fuse?: { calls: number; readonly after: boolean };
  calls = 0;
  nodesStop = true;
  /** Whether servers come, and are served. */
  launches = true;
  private held?: Held;
  private now = BEGUN;
  private dead = false;
  private launched = 0;
  /** By command what each host said to it. */
  private readonly commands = new Map<string, [string, Answer][]>();

  constructor(readonly settings: Settings = LUSTRE) {
    if (!settings.nodeStack) this.nodes.clear();
    for (const { tier, group, slots, spares } of settings.tiers) {
      this.groups.set(group, { least: slots, desired: slots + spares, members: [] });
      this.rows.set(
        tier,
        Array.from({ length: slots }, (_, index) => row(`${tier}-0${index}`, 'eni', [])),
      );
    }
    for (const name of settings.clusterGroups) this.groups.set(name, { least: 1, desired: 1, members: [] });
    this.turn();
  }

  /** The next execution's steps until it ends, or until so many were taken. */
  async run(
    operation: 'stop' | 'start',
    input: object = {},
    execution = `${operation}-1`,
  ): Promise<StepResult> {
    const startedAt = new Date(this.now).toISOString();
    for (let step = 0; step < 10_000; step++) {
      const result = await this.step(operation, input, execution, startedAt);
      if (result && result.outcome !== 'again') return result;
    }
    throw new Error(`${operation} never ends`);
  }

  /** One step; undefined when the function died. */
  async step(
    operation: 'stop' | 'start',
    input: object,
    execution: string,
    startedAt: string,
  ): Promise<StepResult | undefined> {
    const event = { operation, execution, startedAt, input: { ...input } };
    const work = operation === 'stop' ? stop : start;
    this.dead = false;
    try {
      const result = await takeStep(event, this.ports(), this.settings.deadlineSeconds, (_, progress) =>
        work(event, progress, this.ports(), this.settings),
      );
      this.now += result.waitSeconds * 1000;
      return result;
    } catch (error) {
      if (!this.dead) throw error;
      return undefined;
    } finally {
      this.turn();
    }
  }

  /** The executions that had the lock are over. */
  interrupt(): void {
    this.held = undefined;
  }

  /** What Auto Scaling, the reconciler and EC2 do meanwhile. */
  turn(): void {
    for (const [id, state] of this.nodes) {
      if (state === 'stopping' && this.nodesStop) this.nodes.set(id, 'stopped');
      if (state === 'pending') this.nodes.set(id, 'running');
    }
    for (const group of this.groups.values()) {
      group.members = group.members
        .filter(({ lifecycle }) => lifecycle !== 'Terminating')
        .map((one, index) => (index < group.desired ? one : { ...one, lifecycle: 'Terminating' }));
      while (this.launches && group.members.length < group.desired) {
        this.launched += 1;
        group.members.push({ instanceId: `i-${this.launched}`, lifecycle: 'InService' });
      }
    }
    for (const { tier, group } of this.settings.tiers) this.reconcile(tier, this.groups.get(group)!);
  }

  private reconcile(tier: string, { members }: MadeGroup): void {
    const there = members.map(({ instanceId }) => instanceId);
    const rows = this.rows.get(tier)!;
    const kept = rows.map((one) =>
      one.owner && there.includes(one.owner) ? one : { ...one, owner: undefined },
    );
    const owners = new Set(kept.map(({ owner }) => owner));
    const free = members.flatMap(({ instanceId, lifecycle }) =>
      lifecycle === 'InService' && !owners.has(instanceId) ? [instanceId] : [],
    );
    this.rows.set(
      tier,
      kept.map((one) => {
        const owner = one.owner ?? free.shift();
        if (!owner) return { ...one, phase: this.asleep.has(tier) ? 'asleep' : 'vacant' };
        const epoch = one.owner ? one.epoch : one.epoch + 1;
        return one.owner ? one : { ...one, owner, epoch, servedEpoch: epoch, phase: 'served' };
      }),
    );
  }

  /** Counts, and dies where it is to. */
  private async call<T>(what: () => T, event?: string): Promise<T> {
    if (this.dead) throw new Error('died');
    this.calls += 1;
    this.now += 100;
    const dies = this.fuse !== undefined && --this.fuse.calls === 0;
    const { after = false } = this.fuse ?? {};
    if (dies) this.fuse = undefined;
    if (dies && !after) this.die();
    const result = what();
    if (event) this.events.push(event);
    if (dies) this.die();
    return result;
  }

  private die(): never {
    this.dead = true;
    throw new Error('died');
  }

  private readonly lock: LockPort = {
    take: (operation, execution, now) =>
      this.call(() => {
        this.held ??= { operation, execution, since: now, progress: {} };
        return this.held;
      }),
    note: (execution, _message, progress: Progress) =>
      this.call(() => {
        if (this.held?.execution === execution) this.held = { ...this.held, progress };
      }),
    free: (execution) =>
      this.call(() => {
        if (this.held?.execution === execution) this.held = undefined;
      }),
  };

  ports(): Ports {
    const { lock } = this;
    const set = (night?: Partial<Night>) => {
      this.night = night && { nodes: [], unmounted: [], by: '', dawns: false, ...this.night, ...night };
    };
    return {
      lock,
      log: { info: () => undefined, error: () => undefined, metrics: () => undefined },
      now: () => this.now,
      stacksUnderWay: () => this.call(() => this.changing),
      groups: {
        describe: (names) =>
          this.call(() =>
            names.flatMap((name) => {
              const group = this.groups.get(name);
              return group ? [{ name, ...group }] : [];
            }),
          ),
        resize: (name, least, desired) =>
          this.call(
            () => void Object.assign(this.groups.get(name)!, { least, desired }),
            `resize ${name} ${desired}`,
          ),
        isRefreshing: () => this.call(() => this.refreshing),
      },
      map: {
        read: ({ tier }) =>
          this.call(() => ({ slots: this.rows.get(tier)!, owners: [], broken: this.broken })),
        sleep: ({ tier }) =>
          this.call(() => this.asleep.add(tier), this.asleep.has(tier) ? undefined : `sleep ${tier}`).then(
            noAnswer,
          ),
        wake: ({ tier }) =>
          this.call(() => this.asleep.delete(tier), this.asleep.has(tier) ? `wake ${tier}` : undefined).then(
            noAnswer,
          ),
      },
      nodes: {
        list: () =>
          this.call(() => [...this.nodes].map(([id, state]): Node => ({ instanceId: id, name: id, state }))),
        stop: (ids) => this.call(() => this.change(ids, 'stopping'), `stop ${ids.join()}`),
        start: (ids) => this.call(() => this.change(ids, 'pending'), `start ${ids.join()}`),
      },
      hosts: {
        tell: (ids, question) =>
          this.call(
            () => {
              const id = `c-${this.commands.size}`;
              this.commands.set(
                id,
                ids.map((one) => [one, this.answerTo(question, one)]),
              );
              return [id];
            },
            question === 'unmount' ? `unmount ${ids.join()}` : undefined,
          ),
        answers: (ids) => this.call(() => new Map(ids.flatMap((id) => this.commands.get(id)!))),
      },
      night: {
        read: () => this.call(() => this.night),
        begin: (_since, by) => this.call(() => set({ by, dawns: false })),
        remember: (nodes) =>
          this.call(() => set({ nodes: [...new Set([...(this.night?.nodes ?? []), ...nodes])].sort() })),
        unmounting: (names) =>
          this.call(() =>
            set({ unmounted: [...new Set([...(this.night?.unmounted ?? []), ...names])].sort() }),
          ),
        letGo: () => this.call(() => set({ unmounted: [] })),
        dawn: () => this.call(() => set({ dawns: true })),
        end: () => this.call(() => set()),
      },
    };
  }

  private change(ids: readonly string[], state: string): void {
    for (const id of ids) this.nodes.set(id, state);
  }

  private answerTo(question: Question, id: string): Answer {
    return this.answers.get(`${question} ${id}`) ?? DONE;
  }

  /** What can be seen of it. */
  get state(): object {
    const { nodes, groups, rows, asleep, night, held } = this;
    return {
      nodes: [...nodes],
      groups: [...groups].map(([name, { least, desired, members }]) => [
        name,
        least,
        desired,
        members.length,
      ]),
      rows: [...rows.values()].flat().map(({ slot, owner, phase }) => [slot, owner !== undefined, phase]),
      asleep: [...asleep],
      night: night && { nodes: night.nodes, dawns: night.dawns },
      held,
    };
  }
}

const noAnswer = (): void => undefined;
