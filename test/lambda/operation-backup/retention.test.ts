import { deleteOutdated } from '../../../lambda/operation-backup/delete-outdated';
import { outdated } from '../../../lambda/operation-backup/retention';
import type { FoundSet } from '../../../lambda/shared/backup-set';
import { Account } from './account';

const set = (day: number, more: Partial<FoundSet> = {}, status = 'completed'): FoundSet => ({
  set: `day-${day}`,
  kind: 'nfs',
  state: 'complete',
  size: 1,
  protect: false,
  snapshots: [
    {
      snapshotId: `snap-${day}`,
      status,
      startedAt: day,
      tier: 'nfs',
      slot: 'nfs-00',
      position: 0,
      address: '',
    },
  ],
  ...more,
});
const names = (sets: FoundSet[]) => sets.map((each) => each.set);

test('the newest stay, and older ones go', () => {
  expect(names(outdated([set(1), set(4), set(2), set(3)], 2))).toEqual(['day-2', 'day-1']);
  expect(outdated([set(1), set(2)], 2)).toEqual([]);
});

test('nothing goes while no set can be restored', () => {
  const pending = set(9, {}, 'pending');
  expect(outdated([set(1, { state: 'torn' }), pending, set(3, { size: 2 })], 1)).toEqual([]);
});

test('a set that is still copied, or lacks a snapshot, takes no place of one that can be restored', () => {
  expect(names(outdated([set(1), set(2), set(3, {}, 'pending')], 2))).toEqual([]);
  expect(names(outdated([set(1), set(2), set(3, { size: 2 })], 2))).toEqual([]);
  expect(names(outdated([set(1), set(2), set(3, {}, 'error')], 1))).toEqual(['day-1']);
});

test('a complete set that EBS still copies, or that somebody copied with its tags, is kept like any other', () => {
  const [first] = set(2).snapshots;
  const copied = set(2, { snapshots: [first!, { ...first!, snapshotId: 'snap-copy' }] });
  expect(names(outdated([set(1), set(2, {}, 'pending'), set(3)], 2))).toEqual([]);
  expect(names(outdated([copied, set(3)], 2))).toEqual([]);
  // Nor does a copy go ever: it is not of a backup.
  expect(names(outdated([copied, set(3), set(4)], 1))).toEqual(['day-3']);
  // One that is half deleted goes on to go.
  expect(names(outdated([set(1, { size: 2 }), set(3), set(4)], 2))).toEqual(['day-1']);
});

test('how old a copied set is says its name, not the time of the copy', () => {
  const named = (name: string, copiedAt: number) => set(copiedAt, { set: name });
  const sets = [named('20261126T020000Z', 9), named('20261127T020000Z', 8), named('20261128T020000Z', 7)];
  expect(names(outdated(sets, 2))).toEqual(['20261126T020000Z']);
});

test('what is protected never goes, and pushes no other out', () => {
  const kept = set(3, { protect: true });
  expect(names(outdated([set(1), set(2), kept, set(4)], 2))).toEqual(['day-1']);
});

test('a torn set goes when a newer one can be restored', () => {
  const torn = { state: 'torn' };
  expect(names(outdated([set(1, torn), set(2), set(3, torn)], 5))).toEqual(['day-1']);
  expect(outdated([set(1, { ...torn, protect: true }), set(2)], 5)).toEqual([]);
});

test('even to keep none keeps the newest', () => {
  expect(names(outdated([set(1), set(2)], 0))).toEqual(['day-1']);
});

test('a snapshot that cannot be deleted is told, and does not make the backup fail', async () => {
  const account = new Account();
  account.old = [set(1), set(2), set(3)];
  const ports = account.ports();
  const remove = async (id: string) => {
    if (id === 'snap-2') throw new Error('InvalidSnapshot.InUse: by ami-1');
    await ports.snapshots.delete(id);
  };
  const { said } = await deleteOutdated(1, { ...ports, snapshots: { ...ports.snapshots, delete: remove } });
  expect(account.deleted).toEqual(['snap-1']);
  expect(said).toMatch(/Older sets deleted: 2\. Not deleted: snap-2 \(Error: InvalidSnapshot.InUse/);
});

test('a thousand that cannot be deleted fit into a message', async () => {
  const account = new Account();
  account.old = Array.from({ length: 1001 }, (_, day) => set(day));
  const ports = account.ports();
  const remove = () => Promise.reject(new Error(`UnauthorizedOperation: ${'x'.repeat(2000)}`));
  const { said } = await deleteOutdated(1, { ...ports, snapshots: { ...ports.snapshots, delete: remove } });
  expect(said).toContain('and 997 more');
  expect(said.length).toBeLessThan(1500);
});

test('many snapshots are deleted in several steps, each within its time', async () => {
  const account = new Account();
  account.old = Array.from({ length: 100 }, (_, day) => set(day));
  const ports = account.ports();
  const remove = async (id: string) => {
    account.now += 1000;
    account.old = account.old.filter(({ set: name }) => name !== id.replace('snap', 'day'));
  };
  const slow = { ...ports, snapshots: { ...ports.snapshots, delete: remove } };
  let steps = 1;
  for (; (await deleteOutdated(1, slow)).more; steps += 1);
  expect(steps).toBe(3);
  expect(names(account.old)).toEqual(['day-99']);
});
