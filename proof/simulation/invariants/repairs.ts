import type { Context, Invariant } from './invariant';

/**
 * No repair that e2fsck -p does not do begins without a completed snapshot of each volume of the slot that was made
 * after the damage was found; and only on a server that has the volumes.
 */
export function repairedAfterSnapshots({ world, violated }: Context): Invariant {
  const name = 'repaired-after-snapshots';
  const foundAt = new Map<string, number>();
  return {
    name,
    onDamage(volumeId, instanceId) {
      foundAt.set(`${instanceId} ${volumeId}`, world().scheduler.now());
    },
    onRepair(volumeId, instanceId, { slot, epoch, volumes, snapshotIds }) {
      const say = (what: string) =>
        violated(name, `${instanceId} repairs ${volumeId} of ${slot} (epoch ${epoch}), ${what}`);
      const { ec2, hosts } = world();
      const since = foundAt.get(`${instanceId} ${volumeId}`);
      if (since === undefined) return say('which it did not find damaged');
      for (const id of volumes) {
        const made = [...ec2.snapshots.all.values()].filter(
          (each) => each.volumeId === id && snapshotIds.includes(each.id),
        );
        if (!made.some(({ state, startedAt }) => state === 'completed' && startedAt >= since))
          return say(`and no snapshot of ${id} was completed since it found the damage`);
        if (ec2.volumes.get(id)?.attachments.some((each) => each.instanceId !== instanceId))
          return say(`while ${id} is attached elsewhere`);
      }
      for (const writer of hosts.writersOf(volumeId)) say(`which ${writer} has mounted`);
    },
  };
}
