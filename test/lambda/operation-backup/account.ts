import { BACKUP_TAGS } from '../../../constructs/private/tags';
import { backup } from '../../../lambda/operation-backup/backup';
import type { Begun, Label, PlannedServer, Ports } from '../../../lambda/operation-backup/ports';
import type { Settings } from '../../../lambda/operation-backup/settings';
import { type FoundSet, setsOf } from '../../../lambda/shared/backup-set';
import { parseTier } from '../../../lambda/shared/map';
import type { Answer } from '../../../lambda/shared/operation/answer';
import type { Progress } from '../../../lambda/shared/operation/lock';
import type { Step, StepEvent } from '../../../lambda/shared/operation/step';

export const EVENT: StepEvent = {
  operation: 'backup',
  execution: 'arn:execution:1',
  startedAt: '2026-11-28T01:02:03.456Z',
  input: {},
};
export const SET = '20261128T010203Z';

export const SETTINGS: Settings = {
  deployment: 'mine',
  kind: 'lustre',
  tiers: [
    { tier: 'mgs', table: 'map' },
    { tier: 'oss', table: 'map' },
  ],
  holder: 'mgs',
  stacks: ['mine-storage'],
  keep: 2,
  deadlineSeconds: 3600,
};

/** Two nodes of a cluster that share two volumes. */
export const CLUSTER: Settings = {
  ...SETTINGS,
  kind: 'gfs2',
  tiers: [],
  cluster: {
    tier: 'gfs2',
    slot: 'gfs2-00',
    nodes: [
      { name: 'node1', group: 'group-1' },
      { name: 'node2', group: 'group-2' },
    ],
    stack: 'mine-storage',
  },
  holder: 'gfs2',
};

/** A deployment of a management server and two object storage servers with two volumes each. */
export class Account {
  readonly done: string[] = [];
  readonly tags = new Map<string, { [key: string]: string }>();
  readonly begun: Begun[] = [];
  readonly settled: { [set: string]: string } = {};
  readonly deleted: string[] = [];
  readonly commands = new Map<string, string>();
  items = ['mgs 1', 'oss 2', 'oss 2'].map((_, index) => row(index));
  changing: string[] = [];
  /** Instances that run, by group. */
  nodes: { [group: string]: string[] } = { 'group-1': ['i-1'], 'group-2': ['i-2'] };
  /** In their order. */
  shared = ['vol-1', 'vol-0'];
  /** Of nodes that share volumes. */
  attached: { [instance: string]: string[] } = {};
  synced: Answer = { state: 'ended', exitCode: 0, said: 'synced' };
  held = false;
  hold: Answer = { state: 'ended', exitCode: 0, said: 'held' };
  release: Answer = { state: 'ended', exitCode: 0, said: 'released' };
  old: FoundSet[] = [];
  unfinished: { set: string; execution: string }[] = [];
  /** Slots of which EC2 refuses to make snapshots. */
  refused: string[] = [];
  now = Date.parse(EVENT.startedAt);
  private taken = false;

  /** @param die the call of the outside, by its number, after or before which everything ends */
  ports(die?: { readonly call: number; readonly after: boolean }): Ports {
    let calls = 0;
    const call = <A extends unknown[], R>(name: string, does: (...args: A) => R) => {
      return async (...args: A): Promise<R> => {
        calls += 1;
        if (die?.call === calls && !die.after) throw new Died();
        const result = does(...args);
        this.done.push(name);
        if (die?.call === calls && die.after) throw new Died();
        return result;
      };
    };
    return {
      log: { info: () => undefined, error: () => undefined, metrics: () => undefined },
      now: () => this.now,
      lock: undefined as never,
      stacksUnderWay: call('stacks', () => this.changing),
      sharedVolumes: call('shared', () => this.shared),
      nodes: call(
        'nodes',
        (groups: readonly string[]) => new Map(groups.map((one) => [one, this.nodes[one] ?? []])),
      ),
      map: {
        read: call('map', ({ tier }: { tier: string }) =>
          parseTier(this.items.filter(({ slot }) => slot.startsWith(tier))),
        ),
      },
      hosts: {
        tell: call('tell', (_: readonly string[], what: string) => {
          this.done.push(what);
          if (what === 'hold') this.held = this.hold.exitCode === 0;
          else if (what === 'release') this.held = false;
          this.commands.set(`command-${this.commands.size}`, what);
          return [[...this.commands.keys()].at(-1)!];
        }),
        answers: call('answers', ([command = '']: readonly string[]) => {
          const { hold, release, synced } = this;
          const answer = { hold, release, sync: synced }[this.commands.get(command)!]!;
          return new Map(['i-0', 'i-1', 'i-2'].map((id) => [id, answer]));
        }),
      },
      snapshots: {
        attachedTo: call('attached', (id: string) => [
          ...(this.attached[id] ?? volumesOf(Number(id.slice(2)))),
          'vol-other',
        ]),
        create: call('create', (server: PlannedServer, label: Label) => this.create(server, label)),
        ofSet: call('ofSet', (set: string) =>
          this.begun.filter(({ snapshotId }) => this.tags.get(snapshotId)!.set === set),
        ),
        place: call('place', (ids: readonly string[], position: number) =>
          this.tag(ids, { position: String(position) }),
        ),
        judge: call('judge', (ids: readonly string[], state: string) => this.tag(ids, { state })),
        sets: call('sets', () => [...this.old, ...this.sets()]),
        delete: call('delete', (id: string) => void this.deleted.push(id)),
      },
      catalogue: {
        begin: call('begin', (set: string) => {
          this.settled[set] = 'taking';
          this.taken = false;
        }),
        takes: call('takes', () => {
          const first = !this.taken;
          this.taken = true;
          return first;
        }),
        settle: call('settle', (set: string, state: string) => {
          this.settled[set] = state;
        }),
        unfinished: call('unfinished', () => this.unfinished),
        watchedSince: call('watched', () => 0),
      },
    };
  }

  /** As their tags say. */
  private sets(): FoundSet[] {
    return setsOf(
      this.begun.map(({ snapshotId }) => {
        const { set = '', state = '', size = '5' } = this.tags.get(snapshotId)!;
        const tags = { [BACKUP_TAGS.set]: set, [BACKUP_TAGS.state]: state, [BACKUP_TAGS.size]: size };
        const Tags = Object.entries(tags).map(([Key, Value]) => ({ Key, Value }));
        return { SnapshotId: snapshotId, State: 'pending', StartTime: new Date(this.now), Tags };
      }),
    );
  }

  private create({ instanceId, slot, volumes, others }: PlannedServer, { set }: Label): Begun[] {
    if (this.refused.includes(slot)) throw new Error('RequestLimitExceeded: too many');
    if (others.join() !== 'vol-other') throw new Error('others are not left out');
    return volumes.map((volumeId) => {
      const snapshotId = `snap-${this.begun.length}`;
      const one = { snapshotId, volumeId };
      this.begun.push(one);
      this.tags.set(snapshotId, { set, state: 'taking', slot, instanceId, held: String(this.held) });
      return one;
    });
  }

  private tag(ids: readonly string[], tags: { [key: string]: string }): void {
    for (const id of ids) this.tags.set(id, { ...this.tags.get(id), ...tags });
  }

  /** Steps until the end, as the workflow does it. */
  async run(settings = SETTINGS, event = EVENT, before: Progress = {}): Promise<Step> {
    let progress = before;
    for (let steps = 0; steps < 50; steps += 1) {
      const step = await backup(event, progress, this.ports(), settings);
      if (step.outcome !== 'again') return step;
      progress = step.progress ?? progress;
      this.now += 30_000;
    }
    throw new Error('it does not end');
  }
}

/** The function was cut off. */
export class Died extends Error {}

const volumesOf = (index: number): string[] =>
  index === 0 ? ['vol-0-0'] : [`vol-${index}-0`, `vol-${index}-1`];

const row = (index: number) => {
  const slot = index === 0 ? 'mgs-00' : `oss-0${index - 1}`;
  return {
    item: `slot#${slot}`,
    slot,
    networkInterfaceId: `eni-${index}`,
    address: `10.0.0.${index}`,
    volumes: volumesOf(index).map((volumeId, place) => ({ volumeId, device: `/dev/xvdb${place}` })),
    owner: `i-${index}`,
    epoch: 3,
    servedEpoch: 3,
    formatted: true,
    phase: 'served',
  };
};
