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
  const told = await deleteOutdated(1, { ...ports, snapshots: { ...ports.snapshots, delete: remove } });
  expect(account.deleted).toEqual(['snap-1']);
  expect(told).toMatch(/Older sets deleted: 2\. Not deleted: snap-2 \(Error: InvalidSnapshot.InUse/);
});
