import { claimed, epochWritten, released } from '../../kit/invariants/rules';
import type { World } from '../aws/world';
import { type Context, type Invariant, ownerOf, seen, slotOf, slotRows } from './invariant';

export function releasedAfterEnd({ world, violated }: Context): Invariant {
  const name = 'released-after-end';
  return {
    name,
    onMapWrite(item, before, after, by) {
      const slot = slotOf(item);
      const owner = ownerOf(before);
      if (slot === undefined || by === 'hand' || owner === undefined || owner === ownerOf(after)) return;
      const isMember = world().group.members.has(owner);
      const former = { ...seen(world().ec2, owner), isMember, holds: held(world(), slot, owner) };
      for (const what of released(slot, former)) violated(name, what);
    },
  };
}

/** Something of the slot that hangs on the instance. */
function held({ ec2 }: World, slot: string, instanceId: string): string | undefined {
  for (const volume of ec2.volumes.values())
    if (volume.slot === slot && volume.attachments.some((each) => each.instanceId === instanceId))
      return volume.id;
  for (const each of ec2.interfaces.values())
    if (each.slot === slot && each.attachment?.instanceId === instanceId) return each.id;
  return undefined;
}

/**
 * A claim writes the slot's row and the owner's together. Where a person has deleted the owner's row, one that is late
 * gets through; both slots are then left alone.
 */
export function oneOwner({ world, violated }: Context): Invariant {
  const name = 'one-owner';
  /** Claims of this step, to be compared when both rows are written. */
  const compared = new Map<string, string>();
  /** Items that say who owns what, deleted by hand. */
  const deleted = new Set<string>();
  return {
    name,
    onMapWrite(item, before, after, by) {
      if (by === 'hand' && after === undefined) deleted.add(item);
      const slot = slotOf(item);
      const owner = ownerOf(after);
      if (slot === undefined || by === 'hand' || owner === undefined || owner === ownerOf(before)) return;
      const owned = [...slotRows(world())].flatMap(([other, row]) => (ownerOf(row) === owner ? other : []));
      const alsoOwns = deleted.has(`owner#${owner}`) ? [] : owned;
      for (const what of claimed(slot, owner, ownerOf(before), alsoOwns)) violated(name, what);
      compared.set(slot, owner);
    },
    onStep() {
      for (const [slot, owner] of compared) {
        const row = world().map.items.get(`owner#${owner}`);
        if (row?.slot !== slot && ownerOf(world().map.items.get(`slot#${slot}`)) === owner)
          violated(name, `${owner} owns ${slot}, but its own row names ${String(row?.slot)}`);
      }
      compared.clear();
    },
  };
}

export function epochsGrow({ violated }: Context): Invariant {
  const name = 'epochs-grow';
  const epochs = new Map<string, number>();
  return {
    name,
    onMapWrite(item, before, after, by) {
      const slot = slotOf(item);
      if (slot === undefined) return;
      const epoch = typeof after?.epoch === 'number' ? after.epoch : undefined;
      const known = epochs.get(slot);
      // From what somebody wrote it grows again.
      if (epoch === undefined) epochs.delete(slot);
      else epochs.set(slot, epoch);
      if (by === 'hand') return;
      if (epoch === undefined)
        return violated(name, `the row of ${slot} has lost its epoch to ${by.operation}`);
      const newOwner = ownerOf(after) === ownerOf(before) ? undefined : ownerOf(after);
      if (known === undefined) return;
      for (const what of epochWritten(slot, known, epoch, newOwner)) violated(name, what);
    },
  };
}
