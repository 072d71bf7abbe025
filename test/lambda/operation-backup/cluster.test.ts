import { backup } from '../../../lambda/operation-backup/backup';
import type { Progress } from '../../../lambda/shared/operation/lock';
import { Account, CLUSTER, Died, EVENT, SET } from './account';

/** Two nodes that share two volumes. */
function cluster(): Account {
  const account = new Account();
  account.attached = { 'i-1': ['vol-0', 'vol-1'], 'i-2': ['vol-0', 'vol-1'], 'i-3': ['vol-0', 'vol-1'] };
  return account;
}

const told = (account: Account) =>
  account.done.filter((each) => ['sync', 'hold', 'create', 'release'].includes(each));

test('the others write first, one node holds for all, and has the snapshots of all volumes begun', async () => {
  const account = cluster();
  const asked: string[] = [];
  const { hosts, ...ports } = account.ports();
  const tell: typeof hosts.tell = (ids, what, token, seconds) => {
    asked.push(`${what} ${ids.join()}`);
    return hosts.tell(ids, what, token, seconds);
  };
  let progress: Progress = {};
  for (;;) {
    const step = await backup(EVENT, progress, { ...ports, hosts: { ...hosts, tell } }, CLUSTER);
    if (step.outcome === 'done') {
      expect(step.message).toContain(`Set ${SET} is complete: 2 snapshots`);
      break;
    }
    progress = step.progress!;
  }
  expect(asked).toEqual(['sync i-2', 'hold i-1', 'release i-1']);
  expect(told(account)).toEqual(['sync', 'hold', 'create', 'release']);
  const places = account.begun.map(({ snapshotId, volumeId }) => {
    const { slot, position, state, held, instanceId } = account.tags.get(snapshotId)!;
    return `${volumeId} ${slot} ${position} ${state} ${held} ${instanceId}`;
  });
  expect(places).toEqual(['vol-1 gfs2-00 0 complete true i-1', 'vol-0 gfs2-00 1 complete true i-1']);
});

test('a node that could not write first is no obstacle: the hold has it write', async () => {
  const account = cluster();
  account.synced = { state: 'silent', said: 'the command is TimedOut' };
  expect(await account.run(CLUSTER)).toMatchObject({ outcome: 'done' });
});

test.each<[string, (account: Account) => void, RegExp]>([
  ['no node runs', (one) => Object.assign(one, { nodes: {} }), /No node of the cluster runs.*: start/],
  ['a node has no instance', (one) => delete one.nodes['group-2'], /No instance runs as node node2/],
  ['a node has two', (one) => one.nodes['group-2']!.push('i-3'), /i-2 and i-3 run as node node2/],
  ['a node lacks a volume', (one) => one.attached['i-2']!.pop(), /Node node2 \(i-2\) lacks vol-1/],
  ['nobody knows the volumes', (one) => one.shared.splice(0), /mine-storage does not say which volumes/],
  ['a stack is being changed', (one) => one.changing.push('mine-storage'), /deployment is under way/],
])('it is refused, and nothing is held, while %s', async (_, change, message) => {
  const account = cluster();
  change(account);
  const step = await account.run(CLUSTER);
  expect(step).toMatchObject({ outcome: 'refused', message: expect.stringMatching(message) });
  expect(told(account)).toEqual([]);
});

test.each<[string, (account: Account) => void, RegExp]>([
  [
    'another node came',
    (one) => Object.assign(one.nodes, { 'group-2': ['i-3'] }),
    /other nodes, or other volumes, than when it began/,
  ],
  ['other volumes are shared', (one) => one.shared.pop(), /other volumes, than when it began/],
  ['a node went', (one) => delete one.nodes['group-1'], /No instance runs as node node1/],
])('a set is torn when %s meanwhile', async (_, change, message) => {
  const account = cluster();
  let progress: Progress = {};
  for (;;) {
    const step = await backup(EVENT, progress, account.ports(), CLUSTER);
    if (step.outcome !== 'again') {
      expect(step).toMatchObject({ outcome: 'failed', message: expect.stringMatching(message) });
      break;
    }
    progress = step.progress!;
    if (progress.phase === 'releasing') change(account);
  }
  expect(new Set([...account.tags.values()].map(({ state }) => state))).toEqual(new Set(['torn']));
  expect(account.held).toBe(false);
});

test('whichever call it dies before or after, no set is complete that was not held', async () => {
  for (const after of [false, true]) {
    for (let call = 1; call <= 12; call += 1) {
      const account = cluster();
      let progress: Progress = {};
      let died = false;
      for (let steps = 0; steps < 20; steps += 1) {
        try {
          const step = await backup(
            EVENT,
            progress,
            account.ports(died ? undefined : { call, after }),
            CLUSTER,
          );
          if (step.outcome !== 'again') break;
          progress = step.progress!;
        } catch (error) {
          if (!(error instanceof Died)) throw error;
          died = true;
        }
      }
      for (const { state, held } of account.tags.values()) {
        if (state === 'complete') expect(held).toBe('true');
      }
      const volumes = [...account.tags].filter(([, { state }]) => state === 'complete').length;
      expect([0, 2]).toContain(volumes);
    }
  }
});
