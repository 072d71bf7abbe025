import { backup } from '../../../lambda/operation-backup/backup';
import type { Progress } from '../../../lambda/shared/operation/lock';
import { Account, Died, EVENT, SET, SETTINGS } from './account';

const states = (account: Account) => new Set([...account.tags.values()].map(({ state }) => state));

test('a set has each volume of each slot once, with its place, begun while writes were held', async () => {
  const account = new Account();
  const step = await account.run();
  expect(step).toMatchObject({ outcome: 'done' });
  expect(step.message).toContain(`Set ${SET} is complete: 5 snapshots of 3 servers`);
  const places = account.begun.map(({ snapshotId, volumeId }) => {
    const { slot, position, state, held } = account.tags.get(snapshotId)!;
    return `${volumeId} ${slot} ${position} ${state} ${held}`;
  });
  expect(places).toEqual([
    'vol-0-0 mgs-00 0 complete true',
    'vol-1-0 oss-00 0 complete true',
    'vol-1-1 oss-00 1 complete true',
    'vol-2-0 oss-01 0 complete true',
    'vol-2-1 oss-01 1 complete true',
  ]);
  expect(account.settled).toEqual({ [SET]: 'complete' });
  expect(account.held).toBe(false);
});

test.each<[string, (account: Account) => void, RegExp]>([
  [
    'a stack is being changed',
    (one) => one.changing.push('mine-storage is UPDATE_IN_PROGRESS'),
    /deployment is under way/,
  ],
  [
    'a slot has no server',
    (one) => Object.assign(one.items[2]!, { owner: undefined }),
    /oss-01 is not served/,
  ],
  ['a slot is not served', (one) => Object.assign(one.items[1]!, { servedEpoch: 2 }), /oss-00 is not served/],
  ['a row cannot be read', (one) => Object.assign(one.items[1]!, { epoch: 'x' }), /row of slot oss-00/],
  [
    'a server lacks a volume',
    (one) => one.items[1]!.volumes.push({ volumeId: 'vol-gone', device: '/dev/xvdz' }),
    /lacks vol-gone/,
  ],
])('it is refused, and nothing is held, while %s', async (_, change, message) => {
  const account = new Account();
  change(account);
  const step = await account.run();
  expect(step).toMatchObject({ outcome: 'refused', message: expect.stringMatching(message) });
  expect(account.done).not.toContain('hold');
  expect(account.begun).toEqual([]);
});

test('what cannot be backed up so says why', async () => {
  const step = await new Account().run({ ...SETTINGS, refusal: 'use AWS Backup' });
  expect(step).toMatchObject({ outcome: 'refused', message: 'use AWS Backup' });
});

test('without a hold there is no snapshot, and a host that may hold is told to let go', async () => {
  const account = new Account();
  account.hold = { state: 'ended', exitCode: 1, said: '/export/x is not mounted' };
  const step = await account.run();
  expect(step).toMatchObject({ outcome: 'failed', message: expect.stringMatching(/is not mounted/) });
  expect(account.begun).toEqual([]);
  expect(account.done.filter((each) => ['hold', 'release'].includes(each))).toEqual(['hold', 'release']);
  expect(account.settled).toEqual({ [SET]: 'failed' });
});

test.each<[string, (account: Account) => void, RegExp]>([
  [
    'the hold was over before the last snapshot',
    (one) => {
      one.release = { state: 'ended', exitCode: 20, said: 'the hold was over' };
    },
    /not held until the last snapshot was begun: i-0: the hold was over/,
  ],
  [
    'nobody can say whether it was',
    (one) => {
      one.release = { state: 'silent', said: 'the command is TimedOut' };
    },
    /TimedOut/,
  ],
  ['a server has no snapshots', (one) => one.refused.push('oss-01'), /oss-01: Error: RequestLimitExceeded/],
])('a set is torn, and its hosts are let go, when %s', async (_, change, message) => {
  const account = new Account();
  change(account);
  const step = await account.run();
  expect(step).toMatchObject({ outcome: 'failed', message: expect.stringMatching(message) });
  expect(states(account)).toEqual(new Set(['torn']));
  expect(account.settled).toEqual({ [SET]: 'torn' });
  expect(account.held).toBe(false);
});

test('a slot that got another server meanwhile tears the set', async () => {
  const account = new Account();
  const ports = account.ports();
  const { hosts } = ports;
  const tell: typeof hosts.tell = async (ids, what, token, seconds) => {
    if (what === 'release') Object.assign(account.items[1]!, { owner: 'i-9', epoch: 4, servedEpoch: 4 });
    return hosts.tell(ids, what, token, seconds);
  };
  let progress: Progress = {};
  for (;;) {
    const step = await backup(EVENT, progress, { ...ports, hosts: { ...hosts, tell } }, SETTINGS);
    if (step.outcome !== 'again') {
      expect(step).toMatchObject({
        outcome: 'failed',
        message: expect.stringMatching(/oss-00 has another server/),
      });
      break;
    }
    progress = step.progress!;
  }
  expect(states(account)).toEqual(new Set(['torn']));
});

test('snapshots that were begun twice tear the set', async () => {
  const account = new Account();
  const first = account.ports();
  const create: typeof first.snapshots.create = async (server, label) => {
    await first.snapshots.create(server, label);
    return first.snapshots.create(server, label);
  };
  let progress: Progress = {};
  for (;;) {
    const ports = { ...first, snapshots: { ...first.snapshots, create } };
    const step = await backup(EVENT, progress, ports, SETTINGS);
    if (step.outcome !== 'again') {
      expect(step.message).toMatch(/vol-0-0 has 2 snapshots/);
      break;
    }
    progress = step.progress!;
  }
  expect(states(account)).toEqual(new Set(['torn']));
});

test('the next backup calls torn what an execution left that was stopped', async () => {
  const account = new Account();
  account.unfinished = [
    { set: 'old', execution: 'arn:execution:0' },
    { set: SET, execution: EVENT.execution },
  ];
  account.begun.push({ snapshotId: 'snap-old', volumeId: 'vol-0-0' });
  account.tags.set('snap-old', { set: 'old', state: 'taking' });
  await account.run();
  expect(account.tags.get('snap-old')!.state).toBe('torn');
  expect(account.settled).toEqual({ old: 'torn', [SET]: 'complete' });
});

test('a set that was judged stays complete, whatever comes after', async () => {
  const account = new Account();
  await account.run();
  // The step that judged it was cut off at its end, and a server was replaced before the next one.
  for (const item of account.items) item.epoch = 9;
  const plan = JSON.stringify({ servers: [] });
  const step = await backup(EVENT, { phase: 'releasing', plan, told: [] }, account.ports(), SETTINGS);
  expect(step).toMatchObject({ outcome: 'again', progress: { phase: 'deleting' } });
  expect(states(account)).toEqual(new Set(['complete']));

  // Its execution was stopped there.
  account.unfinished = [{ set: SET, execution: 'arn:execution:0' }];
  account.settled[SET] = 'taking';
  await backup(EVENT, {}, account.ports(), SETTINGS);
  expect(states(account)).toEqual(new Set(['complete']));
});

describe('whatever call it dies before or after', () => {
  const cases = ['begin', 'hold', 'holding', 'releasing', 'deleting'].flatMap((phase) =>
    Array.from({ length: 14 }, (_, index) => ({ phase, call: index + 1 })),
  );
  test.each(cases)('in $phase, call $call', async ({ phase, call }) => {
    for (const after of [false, true]) {
      const account = new Account();
      let progress: Progress = {};
      let died = false;
      let outcome = 'again';
      for (let steps = 0; steps < 50 && outcome === 'again'; steps += 1) {
        const here = (progress.phase ?? 'begin') === phase && !died;
        try {
          const step = await backup(
            EVENT,
            progress,
            account.ports(here ? { call, after } : undefined),
            SETTINGS,
          );
          outcome = step.outcome;
          progress = step.progress ?? progress;
        } catch (error) {
          if (!(error instanceof Died)) throw error;
          died = true;
        }
        account.now += 30_000;
      }
      expect(['done', 'failed']).toContain(outcome);
      // Never a set that says complete and was begun in two goes, or while nothing was held.
      const complete = [...account.tags.values()].filter(({ state }) => state === 'complete');
      expect(complete.length).toBe(outcome === 'done' ? 5 : 0);
      for (const { held } of complete) expect(held).toBe('true');
      if (outcome === 'done') expect(account.begun).toHaveLength(5);
      expect(account.held).toBe(false);
      expect(account.settled[SET]).not.toBe('taking');
    }
  });
});
