import type { BenchmarkDefinition } from '../../../constructs/private/benchmark-definition';
import { handle } from '../../../lambda/benchmark-runner/handler';
import type { Instance, Invocation, Order, Ports } from '../../../lambda/benchmark-runner/ports';
import type { Prepared } from '../../../lambda/benchmark-runner/prepare';
import type { Sent } from '../../../lambda/benchmark-runner/sent';
import type { Progress } from '../../../lambda/benchmark-runner/start';
import type { Step } from '../../../lambda/benchmark-runner/steps';
import type { HostOutcome, RunRecord } from '../../../lambda/shared/benchmark/plan';

export const START = Date.parse('2026-11-22T10:15:00Z');

export class Crash extends Error {}

/** How a program goes on a host. */
export interface Course {
  readonly seconds: number;
  readonly status?: string;
  readonly details?: string;
  readonly exitCode?: number;
  readonly said?: string;
  /** Its output comes to the bucket so long after its end; never, when it is undefined. */
  readonly outputAfter?: number;
  /** It reacts to being cancelled. */
  readonly deaf?: boolean;
}

const WELL: Course = { seconds: 20, status: 'Success', exitCode: 0, said: 'done', outputAfter: 5 };

interface Command {
  readonly id: string;
  readonly order: Order;
  readonly at: number;
  readonly ends: Record<string, { at: number; course: Course }>;
}

export const definition = (more: Partial<BenchmarkDefinition> = {}): BenchmarkDefinition => ({
  format: 1,
  benchmark: 'b',
  packageVersion: '0.1.0',
  documents: {
    'sas-io': {
      name: 'doc-sas-io',
      parameters: ['RunId', 'TestId', 'StartAt', 'TimeoutSeconds', 'Hosts', 'User', 'Directory', 'FileMiB'],
    },
    network: { name: 'doc-network', parameters: ['RunId', 'StartAt', 'Peers', 'Seconds'] },
    'raw-device': { name: 'doc-raw', parameters: ['RunId', 'MaxMiB'] },
    install: { name: 'doc-install', parameters: ['RunId', 'Tools'] },
    'clean-up': { name: 'doc-clean-up', parameters: ['RunId', 'Directories', 'User', 'TimeoutSeconds'] },
  },
  hosts: [{ key: 'role', values: ['node'] }],
  servers: [],
  tests: [sasIo()],
  tools: [],
  parallel: true,
  hostsTimeoutSeconds: 900,
  ...more,
});

export const sasIo = (directory = '/saswork', id = '1-sas-io-saswork', user = 'root') => ({
  id,
  test: 'sas-io',
  on: 'hosts' as const,
  path: { directory, use: 'temporary' as const, writeMBpsPerCore: 100, readMBpsPerCore: 100 },
  parameters: { Directory: directory, FileMiB: '1024', User: user },
});

/**
 * Hosts, Systems Manager, a bucket and a table that behave as the real ones do. Time moves only when a test moves it.
 */
export class Fleet {
  now = START;
  readonly machines = new Map<string, Instance & { tags: Record<string, string> }>();
  readonly offline = new Set<string>();
  readonly commands: Command[] = [];
  readonly cancelled = new Map<string, number>();
  /** How programs go, by document and host; well when nothing is said. */
  readonly courses = new Map<string, Course>();
  readonly objects = new Map<string, unknown>();
  readonly items = new Map<string, Sent>();
  lockHolder?: { runId: string; until: number };
  /** New commands are on no list for so long. */
  unseenSeconds = 3;
  /** Systems Manager refuses hosts that seem to be well. */
  readonly refused = new Set<string>();
  readonly lines: string[] = [];
  notRepresentative?: string;
  calls = 0;
  /** Names of the calls, in order. */
  readonly names: string[] = [];
  crashAt = 0;
  crashWhen: 'before' | 'after' = 'before';

  constructor(count = 3, prefix = 'node') {
    this.add(count, prefix, 'node');
  }

  add(count: number, prefix: string, role: string): void {
    for (let index = 1; index <= count; index++) {
      const instanceId = `i-${prefix}${index}`;
      this.machines.set(instanceId, {
        instanceId,
        name: `${prefix}${index}`,
        instanceType: 'm6in.8xlarge',
        privateIp: `10.0.${prefix.length}.${index}`,
        state: 'running',
        tags: { role },
      });
    }
  }

  setState(instanceId: string, state: string): void {
    this.machines.set(instanceId, { ...this.machines.get(instanceId)!, state });
  }

  ports(): Ports {
    return {
      clock: { now: () => this.now },
      log: {
        info: (message) => void this.lines.push(message),
        error: (message) => void this.lines.push(`error: ${message}`),
        metrics: () => {},
      },
      instances: this.wrap({
        tagged: async (selectors) =>
          [...this.machines.values()].filter(({ tags }) =>
            selectors.some(({ key, values }) => values.includes(tags[key] ?? '')),
          ),
        named: async (ids) =>
          [...this.machines.values()].filter(({ instanceId }) => ids.includes(instanceId)),
      } satisfies Ports['instances']),
      commands: this.wrap({
        online: async (ids) => ids.filter((id) => this.isOnline(id)),
        send: async (order) => this.send(order),
        find: async (document, comment, since) =>
          this.commands.find(
            (one) =>
              one.order.document === document &&
              one.order.comment === comment &&
              one.at >= since - 60_000 &&
              this.seen(one),
          )?.id,
        invocations: async (id) => this.invocations(id),
        output: async (id, instanceId) => {
          const invocation = this.invocations(id).find((one) => one.instanceId === instanceId);
          return invocation?.said;
        },
        cancel: async (id, ids) => {
          for (const one of ids)
            if (!this.cancelled.has(`${id} ${one}`)) this.cancelled.set(`${id} ${one}`, this.now);
        },
      } satisfies Ports['commands']),
      store: this.wrap({
        saveRun: async (run) => void this.objects.set(`${run.runId}/run`, structuredClone(run)),
        run: async (runId) => this.read<RunRecord>(`${runId}/run`),
        saveSteps: async (runId, steps) => void this.objects.set(`${runId}/steps`, structuredClone(steps)),
        steps: async (runId) => this.read<Step[]>(`${runId}/steps`),
        saveOutcomes: async (runId, stepId, outcomes) =>
          void this.objects.set(`${runId}/${stepId}`, structuredClone(outcomes)),
        outcomes: async (runId, stepId) => this.read<HostOutcome[]>(`${runId}/${stepId}`),
        outputs: async (prefix, commandId) => this.outputs(prefix, commandId),
      } satisfies Ports['store']),
      table: this.wrap({
        lock: async (runId, until, now) => {
          const holder = this.lockHolder;
          if (holder && holder.runId !== runId && holder.until >= now) return holder;
          this.lockHolder = { runId, until };
          return undefined;
        },
        unlock: async (runId) => {
          if (this.lockHolder?.runId === runId) this.lockHolder = undefined;
        },
        sent: async (runId, stepId) => structuredClone(this.items.get(`${runId}/${stepId}`)),
        saveSent: async (runId, stepId, sent, before) => {
          if (this.items.get(`${runId}/${stepId}`)?.version !== before?.version) return false;
          this.items.set(`${runId}/${stepId}`, structuredClone(sent));
          return true;
        },
      } satisfies Ports['table']),
      ...(this.notRepresentative && { notRepresentative: this.notRepresentative }),
    };
  }

  /** Hosts on which a document ran, once for each time that it did. */
  ran(document: string): string[] {
    return this.commands
      .filter(({ order }) => order.document === document)
      .flatMap(({ order }) => order.instanceIds)
      .sort();
  }

  private isOnline(id: string): boolean {
    return this.machines.get(id)?.state === 'running' && !this.offline.has(id);
  }

  private send(order: Order): string | undefined {
    if (order.instanceIds.length > 50) throw new Error('ValidationException');
    if (order.comment.length > 100) throw new Error('ValidationException');
    if (order.instanceIds.some((id) => !this.isOnline(id) || this.refused.has(id))) return undefined;
    const begin = Math.max(this.now, 1000 * Number(order.parameters.StartAt ?? 0));
    const ends = order.instanceIds.map((id) => {
      const course = this.courses.get(`${order.document} ${id}`) ?? this.courses.get(order.document) ?? WELL;
      return [id, { at: begin + course.seconds * 1000, course }] as const;
    });
    const id = `c-${this.commands.length}`;
    this.commands.push({ id, order, at: this.now, ends: Object.fromEntries(ends) });
    return id;
  }

  private seen({ at }: Command): boolean {
    return this.now - at >= this.unseenSeconds * 1000;
  }

  private endOf(command: Command, instanceId: string): number {
    const { at, course } = command.ends[instanceId]!;
    const cancelled = this.cancelled.get(`${command.id} ${instanceId}`);
    return cancelled !== undefined && !course.deaf && cancelled < at ? cancelled : at;
  }

  private invocations(id: string): Invocation[] {
    const command = this.commands.find((one) => one.id === id);
    if (!command || !this.seen(command)) return [];
    return command.order.instanceIds.map((instanceId) => {
      const { at, course } = command.ends[instanceId]!;
      const end = this.endOf(command, instanceId);
      const gone = !['running', 'pending'].includes(this.machines.get(instanceId)?.state ?? 'gone');
      if (this.now < end || (gone && course === WELL)) {
        return { instanceId, status: 'InProgress', statusDetails: 'InProgress', said: '' };
      }
      if (end < at) {
        return { instanceId, status: 'Cancelled', statusDetails: 'Cancelled', said: 'begun', endedAt: end };
      }
      const { status = 'Success', details = status, exitCode: responseCode, said = '' } = course;
      return { instanceId, status, statusDetails: details, responseCode, said, endedAt: end };
    });
  }

  private outputs(prefix: string, commandId: string): Record<string, string> {
    const command = this.commands.find((one) => one.id === commandId);
    if (!command || command.order.outputPrefix !== prefix) return {};
    const there = command.order.instanceIds.filter((id) => {
      const { outputAfter } = command.ends[id]!.course;
      const up = this.machines.get(id)?.state === 'running';
      return up && outputAfter !== undefined && this.now >= this.endOf(command, id) + outputAfter * 1000;
    });
    return Object.fromEntries(there.map((id) => [id, `${prefix}/${commandId}/${id}/stdout`]));
  }

  private read<T>(key: string): T | undefined {
    return structuredClone(this.objects.get(key)) as T | undefined;
  }

  private wrap<T extends object>(port: T): T {
    return new Proxy(port, {
      get:
        (target, method) =>
        async (...given: unknown[]) => {
          this.calls += 1;
          this.names.push(String(method));
          const hit = this.calls === this.crashAt;
          if (hit && this.crashWhen === 'before') throw new Crash('before');
          const answer = await (Reflect.get(target, method) as (...all: unknown[]) => Promise<unknown>)(
            ...given,
          );
          if (hit) throw new Crash('after');
          return answer;
        },
    });
  }
}

/**
 * What the workflow does (constructs/storage-benchmark/workflow.ts): calls, pauses, retries, and the way to the
 * clean-up.
 */
export class Workflow {
  prepared?: Prepared;
  problem: unknown = '';
  /** Called before each look, with the step. */
  beforeEach: (step: number) => void = () => {};

  /** How long a call takes. */
  callMs = 0;

  constructor(
    readonly fleet: Fleet,
    readonly definition: BenchmarkDefinition,
    readonly input: unknown = {},
    readonly id = 'execution-1',
  ) {}

  async run(): Promise<RunRecord> {
    const prepared = await this.prepare();
    for (let step = 0; step < prepared.steps!; ) {
      try {
        const over = (await this.take(step)) === 'over';
        step = over ? prepared.cleanUpStep! : step + 1;
      } catch (error) {
        this.problem = {
          Error: (error as Error).name,
          Cause: JSON.stringify({ errorMessage: (error as Error).message }),
        };
        step = step < prepared.cleanUpStep! ? prepared.cleanUpStep! : step + 1;
      }
    }
    await this.call({ action: 'finish', runId: prepared.runId, problem: this.problem });
    return this.fleet.objects.get(`${prepared.runId}/run`) as RunRecord;
  }

  async prepare(): Promise<Prepared> {
    for (let tries = 0; tries < 500; tries++) {
      const event = {
        action: 'prepare',
        definition: this.definition,
        execution: { id: this.id, startedAt: new Date(START).toISOString() },
        input: this.input,
      };
      this.prepared = (await this.call(event)) as Prepared;
      if (this.prepared.outcome === 'ready') return this.prepared;
      this.fleet.now += this.prepared.waitSeconds * 1000;
    }
    throw new Error('the hosts never come');
  }

  private async take(step: number): Promise<Progress['outcome']> {
    const { runId } = this.prepared!;
    for (let action = 'start', looks = 0; looks < 5000; looks++) {
      this.beforeEach(step);
      const { outcome, waitSeconds } = (await this.call({ action, runId, step })) as Progress;
      if (outcome === 'ended' || outcome === 'over') return outcome;
      this.fleet.now += waitSeconds * 1000;
      if (outcome === 'started') action = 'check';
    }
    throw new Error('the step never ends');
  }

  /** With the workflow's retries. */
  private async call(event: object): Promise<unknown> {
    for (let tries = 0; ; tries++) {
      this.fleet.now += this.callMs;
      try {
        return await handle(JSON.parse(JSON.stringify(event)), this.fleet.ports());
      } catch (error) {
        if (['BenchmarkRefused', 'LockLost'].includes((error as Error).name) || tries === 6) throw error;
        this.fleet.now += 2000 * 2 ** tries;
      }
    }
  }
}
