import type {
  Answer,
  Claim,
  Group,
  Mark,
  Ports,
  ProbeRecord,
  Round,
  TierState,
} from '../../../lambda/health-prober/ports';
import { ago, group, NOW, PROGRAM, tier } from './tier';

class Crash extends Error {}

/**
 * A tier whose services fail when a test says so, with the conditions of the real map. Time moves only when a test
 * moves it.
 */
export class FakeTier {
  now = NOW;
  state: TierState;
  readonly unhealthy: string[] = [];
  readonly metrics: Record<string, number>[] = [];
  readonly lines: Record<string, unknown>[] = [];
  /** What a server answers when it is asked, by slot; it serves when nothing is said. */
  readonly condition = new Map<string, Answer>();
  readonly members = new Map<string, Group['members'][number]>();
  stackStatus = 'UPDATE_COMPLETE';
  refreshing = false;
  suspended: string[] = [];
  /** Ports named here throw. */
  readonly broken = new Set<keyof Ports>();
  /** The program of the document. */
  program = PROGRAM;
  /** Writes of what was found of owners. */
  counts = 0;
  calls = 0;
  /** The process dies before or after this call, counted from 1. */
  crashAt = 0;
  crashWhen: 'before' | 'after' = 'before';
  private readonly sent = new Map<string, { [id: string]: Answer }>();

  constructor(readonly slots: number) {
    this.state = tier(slots, { round: undefined });
    const probe = { epoch: 2, round: 0, misses: 0, at: ago(60), provenBy: PROGRAM };
    this.state.rows.slots.forEach((row, index, rows) => {
      rows[index] = { ...row, probe };
    });
    for (const member of group(this.state).members) this.members.set(member.instanceId, member);
  }

  /** Lets a minute pass. */
  tick(): void {
    this.now += 60_000;
  }

  ports(): Ports {
    return {
      clock: { now: () => this.now },
      log: {
        info: (_message, fields) => void this.lines.push(fields ?? {}),
        error: (_message, fields) => void this.lines.push(fields ?? {}),
        metrics: (_tier, values) => void this.metrics.push(values),
      },
      map: this.wrap('map', {
        read: async () => structuredClone(this.state),
        count: async (claim: Claim, record: ProbeRecord) => this.write(claim, record, false),
        mark: async (claim: Claim, record: ProbeRecord, marks: Mark[], last: Mark | undefined) => {
          const latest = this.state.marks[this.state.marks.length - 1];
          if (`${latest?.owner} ${latest?.at}` !== `${last?.owner} ${last?.at}`) return false;
          if (!this.write(claim, record, true)) return false;
          this.state = { ...this.state, marks };
          return true;
        },
        begin: async (round: Round) => {
          if (this.state.round && this.state.round.round >= round.round) return false;
          this.state = { ...this.state, round };
          return true;
        },
      }),
      group: this.wrap('group', {
        describe: async () => ({ members: [...this.members.values()], suspended: this.suspended }),
        isRefreshing: async () => this.refreshing,
        setUnhealthy: async (instanceId: string) => {
          const member = this.members.get(instanceId);
          if (member === undefined) return false;
          this.members.set(instanceId, { ...member, healthy: false });
          this.unhealthy.push(instanceId);
          return true;
        },
      }),
      hosts: this.wrap('hosts', {
        ask: async (instanceIds: string[]) => {
          const id = `c-${this.sent.size}`;
          this.sent.set(id, Object.fromEntries(instanceIds.map((owner) => [owner, this.answerOf(owner)])));
          return [id];
        },
        answers: async (commands: string[]) =>
          Object.assign({}, ...commands.map((id) => this.sent.get(id) ?? {})) as { [id: string]: Answer },
      }),
      stack: this.wrap('stack', { status: async () => this.stackStatus }),
    };
  }

  private answerOf(owner: string): Answer {
    const row = this.state.rows.slots.find((each) => each.owner === owner)!;
    return (
      this.condition.get(row.slot) ?? {
        is: 'serves',
        slot: row.slot,
        epoch: row.epoch,
        program: this.program,
      }
    );
  }

  private write(claim: Claim, record: ProbeRecord, again: boolean): boolean {
    const row = this.state.rows.slots.find(({ slot }) => slot === claim.slot);
    if (!row || row.owner !== claim.owner || row.epoch !== claim.epoch || row.servedEpoch !== row.epoch)
      return false;
    const { probe } = row;
    if (
      probe &&
      probe.epoch === row.epoch &&
      (again ? probe.round > record.round : probe.round >= record.round)
    ) {
      return false;
    }
    this.counts += 1;
    const slots = this.state.rows.slots.map((each) => (each === row ? { ...row, probe: record } : each));
    this.state = { ...this.state, rows: { ...this.state.rows, slots } };
    return true;
  }

  private wrap<T extends object>(name: keyof Ports, port: T): T {
    return new Proxy(port, {
      get:
        (target, method) =>
        async (...given: unknown[]) => {
          if (this.broken.has(name)) throw new Error(`${name} throttles`);
          this.calls += 1;
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
