import { FSxClient } from '@aws-sdk/client-fsx';
import { FsxBackups } from '../../../lambda/operation-backup/aws-fsx';
import { handleFsx } from '../../../lambda/operation-backup/fsx';
import type { Asked, FsxBackup, FsxPorts } from '../../../lambda/operation-backup/fsx-ports';
import type { Label } from '../../../lambda/operation-backup/ports';
import type { Settings } from '../../../lambda/operation-backup/settings';
import type { FoundSet } from '../../../lambda/shared/backup-set';
import type { Progress } from '../../../lambda/shared/operation/lock';
import type { StepResult } from '../../../lambda/shared/operation/step';

const EVENT = {
  operation: 'backup',
  execution: 'arn:execution:1',
  startedAt: '2026-11-28T01:02:03.456Z',
  input: {},
};
const SET = '20261128T010203Z';
const SETTINGS: Settings = {
  deployment: 'mine',
  kind: 'fsx-lustre',
  tiers: [],
  holder: '',
  stacks: ['mine-storage'],
  managed: ['fs-1'],
  keep: 1,
  deadlineSeconds: 86_400,
};

/** The function was cut off. */
class Died extends Error {}

const found = (set: string, state: string, status: string): FoundSet => ({
  set,
  kind: 'fsx-lustre',
  state,
  size: 1,
  protect: false,
  snapshots: [
    {
      snapshotId: `backup-${set}`,
      status,
      startedAt: Date.parse('2026-11-27'),
      tier: '',
      slot: '',
      address: '',
    },
  ],
});

/** A file system whose backup takes so many looks. */
class Account {
  readonly made = new Map<string, { label: Label; lifecycle: string; looks: number; state: string }>();
  readonly settled: { [set: string]: string } = {};
  readonly deleted: string[] = [];
  answers: Asked[] = [];
  looks = 2;
  ends = 'AVAILABLE';
  changing: string[] = [];
  old: FoundSet[] = [];
  unfinished: { set: string; execution: string }[] = [];
  holder = '';
  now = Date.parse(EVENT.startedAt);
  readonly waits: number[] = [];

  ports(die?: { readonly call: number; readonly after: boolean }): FsxPorts {
    let calls = 0;
    const call = <A extends unknown[], R>(does: (...args: A) => R) => {
      return async (...args: A): Promise<R> => {
        calls += 1;
        if (die?.call === calls && !die.after) throw new Died();
        const result = does(...args);
        if (die?.call === calls && die.after) throw new Died();
        return result;
      };
    };
    return {
      log: { info: () => undefined, error: () => undefined, metrics: () => undefined },
      now: () => this.now,
      lock: {
        take: call((operation: string, execution: string, now: string) => {
          if (this.holder === '') this.holder = execution;
          return { operation, execution: this.holder, since: now, progress: {} as Progress };
        }),
        note: call(() => undefined),
        free: call((execution: string) => {
          if (this.holder === execution) this.holder = '';
        }),
      },
      stacksUnderWay: call(() => this.changing),
      backups: {
        begin: call((id: string, label: Label) => {
          const answer = this.answers.shift();
          if (answer) return answer;
          if (!this.made.has(id)) {
            this.made.set(id, { label, lifecycle: 'CREATING', looks: this.looks, state: 'taking' });
          }
          return { state: 'begun', message: '' } as const;
        }),
        ofSet: call((set: string) => this.ofSet(set)),
        judge: call((ids: readonly string[], state: string) => {
          for (const [id, one] of this.made) if (ids.includes(`backup-${id}`)) one.state = state;
          this.old = this.old.map((each) => (ids.includes(`backup-${each.set}`) ? { ...each, state } : each));
        }),
        sets: call(() => [
          ...this.old.filter(({ set }) => !this.deleted.includes(`backup-${set}`)),
          ...[...this.made.values()].map(({ label, lifecycle, state }) =>
            found(label.set, state, lifecycle === 'AVAILABLE' ? 'completed' : 'pending'),
          ),
        ]),
        delete: call((id: string) => void this.deleted.push(id)),
      },
      catalogue: {
        begin: call((set: string) => {
          this.settled[set] = 'taking';
        }),
        takes: call(() => true),
        settle: call((set: string, state: string) => {
          this.settled[set] = state;
        }),
        unfinished: call(() => this.unfinished),
        watchedSince: call(() => 0),
      },
    };
  }

  private ofSet(set: string): FsxBackup[] {
    return [...this.made].flatMap(([id, one]) => {
      if (one.label.set !== set) return [];
      if (one.lifecycle !== this.ends && --one.looks < 0) one.lifecycle = this.ends;
      return [
        { backupId: `backup-${id}`, of: id, lifecycle: one.lifecycle, percent: 40, failure: 'no room' },
      ];
    });
  }

  /** Steps until the end, as the workflow does it. */
  async run(
    settings = SETTINGS,
    die?: { readonly call: number; readonly after: boolean },
  ): Promise<StepResult> {
    for (let steps = 0; steps < 400; steps += 1) {
      let step: StepResult;
      try {
        step = (await handleFsx(EVENT, this.ports(steps === 0 ? die : undefined), settings)) as StepResult;
      } catch (error) {
        if (!(error instanceof Died)) throw error;
        continue;
      }
      if (step.outcome !== 'again') return step;
      this.waits.push(step.waitSeconds);
      this.now += step.waitSeconds * 1000;
    }
    throw new Error('it does not end');
  }
}

test('a set is complete when FSx says that it is there, and the lock is free while FSx copies', async () => {
  const account = new Account();
  account.looks = 60;
  const first = await handleFsx(EVENT, account.ports(), SETTINGS);
  expect(first).toMatchObject({ outcome: 'again', message: expect.stringMatching(/is begun.*fs-1/) });
  expect(account.made.get('fs-1')!.label).toEqual({ set: SET, kind: 'fsx-lustre', protect: false, size: 1 });
  const second = await handleFsx(EVENT, account.ports(), SETTINGS);
  expect(second).toMatchObject({ outcome: 'again', message: expect.stringMatching(/CREATING, 40 %/) });
  expect([account.holder, account.settled[SET]]).toEqual(['', 'taking']);
  const step = await account.run();
  expect(step).toMatchObject({ outcome: 'done', message: expect.stringMatching(/complete: backup-fs-1/) });
  expect(account.made.get('fs-1')!.state).toBe('complete');
  expect(account.settled).toEqual({ [SET]: 'complete' });
  expect([Math.min(...account.waits), Math.max(...account.waits)]).toEqual([5, 300]);
});

test('one that fails is torn, and says why', async () => {
  const account = new Account();
  account.ends = 'FAILED';
  const step = await account.run();
  expect(step).toMatchObject({ outcome: 'failed', message: expect.stringMatching(/is FAILED: no room/) });
  expect([account.made.get('fs-1')!.state, account.settled[SET]]).toEqual(['torn', 'torn']);
});

test('another backup of the file system is waited for, and not for ever', async () => {
  const account = new Account();
  const busy: Asked = { state: 'busy', message: 'another one' };
  account.answers = [busy, busy];
  expect(await account.run()).toMatchObject({ outcome: 'done' });
  expect(account.waits.slice(0, 2)).toEqual([30, 30]);
  const never = new Account();
  never.answers = Array.from({ length: 300 }, () => busy);
  expect(await never.run()).toMatchObject({
    outcome: 'failed',
    message: expect.stringMatching(/another one/),
  });
  expect([never.holder, never.settled[SET]]).toEqual(['', 'failed']);
});

test.each<[string, (account: Account) => void, string, RegExp]>([
  [
    'a stack is being changed',
    (one) => one.changing.push('mine-storage is UPDATE_IN_PROGRESS'),
    'refused',
    /deployment/,
  ],
  [
    'FSx refuses it',
    (one) => one.answers.push({ state: 'refused', message: 'fs-1 is linked to a data repository' }),
    'failed',
    /linked to a data repository/,
  ],
  [
    'FSx makes that of an execution that was stopped',
    (one) => {
      one.unfinished = [{ set: '20261127', execution: 'arn:execution:0' }];
      one.old = [found('20261127', 'taking', 'pending')];
    },
    'refused',
    /20261127 is made by FSx just now/,
  ],
])('none is begun while %s', async (_, change, outcome, message) => {
  const account = new Account();
  change(account);
  expect(await account.run()).toMatchObject({ outcome, message: expect.stringMatching(message) });
  expect(account.made.size).toBe(0);
  expect(account.holder).toBe('');
});

test('what executions have left is judged by what FSx says', async () => {
  const [there, lost, never] = ['20261125', '20261126', '20261127'] as const;
  const account = new Account();
  account.unfinished = [there, lost, never].map((set) => ({ set, execution: 'arn:execution:0' }));
  account.old = [found(there, 'taking', 'completed'), found(lost, 'taking', 'error')];
  await account.run({ ...SETTINGS, keep: undefined });
  expect(account.settled).toEqual({
    [SET]: 'complete',
    [there]: 'complete',
    [lost]: 'torn',
    [never]: 'failed',
  });
  expect(account.old.map(({ state }) => state)).toEqual(['complete', 'torn']);
});

test('a set that another execution has begun since is left to it: FSx may not list it yet', async () => {
  const account = new Account();
  account.unfinished = [{ set: '20261128T010300Z', execution: 'arn:execution:2' }];
  expect(await account.run()).toMatchObject({ outcome: 'done' });
  expect(account.settled).toEqual({ [SET]: 'complete' });
});

test('retention leaves the newest, and deletes nothing when nobody has said so', async () => {
  const account = new Account();
  account.old = [found('20261126T000000Z', 'complete', 'completed')];
  expect(await account.run()).toMatchObject({ message: expect.stringMatching(/Older sets deleted: 1/) });
  expect(account.deleted).toEqual(['backup-20261126T000000Z']);
  const kept = new Account();
  kept.old = account.old;
  await kept.run({ ...SETTINGS, keep: undefined });
  expect(kept.deleted).toEqual([]);
});

test('whichever call it dies at, one backup is made, and it is complete in the end', async () => {
  for (const looks of [0, 2]) {
    for (let call = 1; call <= 14; call += 1) {
      for (const after of [false, true]) {
        const account = new Account();
        account.looks = looks;
        account.old = [found('20261126T000000Z', 'complete', 'completed')];
        expect(await account.run(SETTINGS, { call, after })).toMatchObject({ outcome: 'done' });
        expect([account.made.size, account.settled[SET], account.holder]).toEqual([1, 'complete', '']);
        expect(account.deleted).toEqual(['backup-20261126T000000Z']);
      }
    }
  }
});

test('the age is that of the newest set that is there', async () => {
  const account = new Account();
  account.old = [
    found('20261127T010203Z', 'complete', 'completed'),
    found('20261128T000000Z', 'taking', 'pending'),
  ];
  expect(await handleFsx({ action: 'measure' }, account.ports(), SETTINGS)).toEqual({ ageSeconds: 86_400 });
});

describe('what FSx is asked', () => {
  const sent: { name: string; input: { [name: string]: unknown } }[] = [];
  const answers: { [name: string]: object | Error } = {};
  const client = new FSxClient({ region: 'us-east-1' });
  jest.spyOn(client, 'send').mockImplementation(async (command: object) => {
    const { name } = command.constructor;
    sent.push({ name, input: (command as { input: { [name: string]: unknown } }).input });
    const answer = answers[name] ?? {};
    if (answer instanceof Error) throw answer;
    return answer as never;
  });
  const backups = new FsxBackups(client, 'mine');
  const label = { set: SET, kind: 'fsx-lustre', protect: true, size: 1 };
  beforeEach(() => {
    sent.length = 0;
    for (const name of Object.keys(answers)) delete answers[name];
  });

  test('for a backup of a file system or a volume, by a token of its own', async () => {
    await backups.begin('fs-1', label);
    await backups.begin('fs-1', label);
    await backups.begin('fsvol-1', label);
    const [first, again, volume] = sent.map(({ input }) => input);
    expect(first).toEqual(again);
    expect(first).toMatchObject({ FileSystemId: 'fs-1' });
    expect(volume).toMatchObject({ VolumeId: 'fsvol-1' });
    expect(volume!.ClientRequestToken).not.toBe(first!.ClientRequestToken);
    expect(first!.Tags).toContainEqual({ Key: 'cdk-sas-grid:backup-protected', Value: 'yes' });
  });

  test.each([
    ['BackupInProgress', 'busy'],
    ['BadRequest', 'refused'],
    ['ServiceLimitExceeded', 'refused'],
  ])('%s is %s; what may be over the next time is thrown', async (name, state) => {
    answers.CreateBackupCommand = Object.assign(new Error('why'), { name });
    expect(await backups.begin('fs-1', label)).toEqual({ state, message: 'why' });
    answers.CreateBackupCommand = Object.assign(new Error('why'), { name: 'ThrottlingException' });
    await expect(backups.begin('fs-1', label)).rejects.toThrow('why');
  });

  test('to label what is there; what somebody has deleted meanwhile is never called complete', async () => {
    const Tags = [{ Key: 'cdk-sas-grid:deployment', Value: 'mine' }];
    answers.DescribeBackupsCommand = { Backups: [{ BackupId: 'backup-1', ResourceARN: 'arn:1', Tags }] };
    await expect(backups.judge(['backup-1', 'backup-gone'], 'complete')).rejects.toThrow('backup-gone');
    const labels = () => sent.filter(({ name }) => name === 'TagResourceCommand').map(({ input }) => input);
    expect(labels()).toEqual([]);
    await backups.judge(['backup-1', 'backup-gone'], 'torn');
    expect(labels()).toEqual([
      { ResourceARN: 'arn:1', Tags: [{ Key: 'cdk-sas-grid:backup-state', Value: 'torn' }] },
    ]);
  });

  test('for what it has, of which others are left out', async () => {
    const tags = (deployment: string) => [
      { Key: 'cdk-sas-grid:deployment', Value: deployment },
      { Key: 'cdk-sas-grid:backup-set', Value: SET },
      { Key: 'cdk-sas-grid:backup-size', Value: '1' },
      { Key: 'cdk-sas-grid:backup-state', Value: 'complete' },
    ];
    const LustreConfiguration = { PerUnitStorageThroughput: 500 };
    const FileSystem = { FileSystemId: 'fs-1', StorageCapacity: 1200, LustreConfiguration };
    const own = { BackupId: 'backup-1', Lifecycle: 'AVAILABLE', FileSystem, Tags: tags('mine') };
    answers.DescribeBackupsCommand = {
      Backups: [own, { ...own, BackupId: 'backup-2', Tags: tags('theirs') }],
    };
    const [set, ...others] = await backups.sets();
    expect(others).toEqual([]);
    expect(set).toMatchObject({
      set: SET,
      snapshots: [
        {
          snapshotId: 'backup-1',
          status: 'completed',
          madeWith: { capacityGiB: 1200, throughputPerTiB: 500 },
        },
      ],
    });
    expect((await backups.ofSet(SET)).map(({ backupId }) => backupId)).toEqual(['backup-1']);
    expect(await backups.ofSet('another')).toEqual([]);
  });
});
