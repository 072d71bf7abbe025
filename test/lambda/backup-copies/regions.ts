import { BACKUP_TAGS } from '../../../constructs/private/tags';
import { pass } from '../../../lambda/backup-copies/pass';
import { type Ports, Refused } from '../../../lambda/backup-copies/ports';
import type { Settings } from '../../../lambda/backup-copies/settings';
import type { DescribedSnapshot } from '../../../lambda/shared/backup-set';

export const FIRST = '20261128T010000Z';
export const SECOND = '20261129T010000Z';
const MINUTE = 60_000;

/** How long a new snapshot is not listed. */
const UNSEEN_MS = 5 * MINUTE;

export const SETTINGS: Settings = {
  deployment: 'mine',
  region: 'us-east-1',
  account: '111122223333',
  destination: { region: 'us-west-2' },
  keep: 2,
};

export interface Snapshot {
  id: string;
  set: string;
  size: number;
  state: string;
  judged: string;
  copyOf?: string;
  copyFrom?: string;
  protect?: boolean;
  startedAt: number;
  seenAt: number;
}

/** The function was cut off. */
export class Died extends Error {}

/** Two regions: snapshots of sets in one, and what was copied to the other. EC2 lists what is new after a while. */
export class Regions {
  readonly here: Snapshot[] = [];
  there: Snapshot[] = [];
  readonly deleted: string[] = [];
  readonly shared: string[] = [];
  work: { set?: string; claims: { [id: string]: string } } = { claims: {} };
  ages: number[] = [];
  now = Date.parse('2026-11-28T02:00:00Z');
  /** How many copies EBS takes at a time. */
  limit = 20;
  /** What the next copies come to: `refused`, or `lost`, which is begun without an answer. */
  fates: ('refused' | 'lost' | 'fails')[] = [];
  private count = 0;

  addSet(set: string, size: number, more: Partial<Snapshot> = {}): void {
    for (let index = 0; index < size; index += 1)
      this.here.push({
        id: `snap-${set.slice(6, 8)}-${index}`,
        set,
        size,
        state: 'completed',
        judged: 'complete',
        startedAt: this.now,
        seenAt: 0,
        ...more,
      });
  }

  /** EBS has copied all that it was asked to. */
  finish(): void {
    for (const each of this.there) if (each.state === 'pending') each.state = 'completed';
  }

  /** @param die the call of the outside, by its number, before or after which everything ends */
  ports(die?: { readonly call: number; readonly after: boolean }): Ports {
    let calls = 0;
    const call = <A extends unknown[], R>(does: (...args: A) => R) => {
      return async (...args: A): Promise<R> => {
        calls += 1;
        // Of a process that was cut off nothing is left that could catch it.
        if (die && (calls > die.call || (calls === die.call && !die.after))) throw new Died();
        const result = does(...args);
        if (calls === die?.call) throw new Died();
        return result;
      };
    };
    const { work } = this;
    return {
      log: {
        info: () => undefined,
        error: () => undefined,
        metrics: (_, { BackupCopyAgeSeconds }) => this.ages.push(BackupCopyAgeSeconds!),
      },
      now: () => this.now,
      source: {
        list: call(() => this.here.map(described)),
        share: call((id: string) => void this.shared.push(id)),
      },
      destination: {
        list: call(() => this.there.filter(({ seenAt }) => seenAt <= this.now).map(described)),
        copy: call((snapshot: DescribedSnapshot) => this.copy(snapshot)),
        delete: call((id: string) => {
          this.deleted.push(id);
          this.there = this.there.filter((each) => each.id !== id);
        }),
      },
      work: {
        read: call(() =>
          work.set === undefined ? undefined : { set: work.set, claims: { ...work.claims } },
        ),
        begin: call((set: string, before?: { set: string }) => {
          if (work.set !== before?.set) return false;
          Object.assign(work, { set, claims: {} });
          return true;
        }),
        claim: call((set: string, id: string, now: string, before?: string) => {
          if (work.set !== set || work.claims[id] !== before) return false;
          work.claims[id] = now;
          return true;
        }),
        release: call((_: string, id: string, claimed: string) => {
          if (work.claims[id] === claimed) delete work.claims[id];
        }),
        watchedSince: call(() => Date.parse('2026-11-28T00:00:00Z')),
      },
    };
  }

  private copy(snapshot: DescribedSnapshot): string {
    const original = this.here.find(({ id }) => id === snapshot.SnapshotId)!;
    const fate = this.fates.shift();
    if (fate === 'refused') throw new Refused('UnauthorizedOperation: no', false);
    if (this.there.filter(({ state }) => state === 'pending').length >= this.limit)
      throw new Refused('ResourceLimitExceeded: too many', true);
    const id = `copy-${this.count}`;
    this.count += 1;
    const state = fate === 'fails' ? 'error' : 'pending';
    const times = { startedAt: this.now, seenAt: this.now + UNSEEN_MS };
    this.there.push({
      ...original,
      id,
      state,
      copyOf: original.id,
      copyFrom: '111122223333/us-east-1',
      ...times,
    });
    if (fate === 'lost') throw new Error('TimeoutError: no answer');
    return id;
  }

  /** A pass, and what EBS does until the next one. */
  async pass(settings = SETTINGS, minutes = 15): Promise<void> {
    await pass(this.ports(), settings);
    this.now += minutes * MINUTE;
  }

  /** Passes until nothing changes any more. */
  async settle(): Promise<void> {
    for (let passes = 0; passes < 12; passes += 1) {
      await this.pass();
      if (passes % 2 === 1) this.finish();
    }
  }

  /** How often each snapshot of a set is there. */
  copies(set: string): number[] {
    return this.here
      .filter((each) => each.set === set)
      .map(({ id }) => this.there.filter(({ copyOf }) => copyOf === id).length);
  }
}

function described({
  id,
  set,
  size,
  state,
  judged,
  copyOf,
  copyFrom,
  protect,
  startedAt,
}: Snapshot): DescribedSnapshot {
  const tags = {
    [BACKUP_TAGS.set]: set,
    [BACKUP_TAGS.size]: String(size),
    [BACKUP_TAGS.state]: judged,
    ...(copyOf && { [BACKUP_TAGS.copyOf]: copyOf }),
    ...(copyFrom && { [BACKUP_TAGS.copyFrom]: copyFrom }),
    ...(protect && { [BACKUP_TAGS.protect]: 'yes' }),
  };
  const Tags = Object.entries(tags).map(([Key, Value]) => ({ Key, Value }));
  return { SnapshotId: id, State: state, StartTime: new Date(startedAt), Tags };
}
