import type { World } from '../aws/world';
import { type Context, canWrite, type Invariant, ownerOf, slotOf, slotRows, stateOf } from './invariant';

/** A slot leaves its owner only when the owner can never write again. */
export function fenced({ world, violated }: Context): Invariant {
  const name = 'fenced';
  return {
    name,
    onMapWrite(item, before, after, by) {
      const slot = slotOf(item);
      const owner = ownerOf(before);
      if (slot === undefined || by === 'hand' || owner === undefined || owner === ownerOf(after)) return;
      const state = stateOf(world(), owner);
      // One that was never there was written by hand; one that is stopped may start again, but then without the slot.
      if (state === 'terminated' || state === 'unknown') return;
      const holds = held(world(), slot, owner);
      const isMember = world().group.members.has(owner);
      if (!canWrite(world(), owner) && !isMember && !holds) return;
      violated(
        name,
        `${slot} was taken from ${owner}, which is ${state}${isMember ? ' and in the group' : ''}${holds ? ` and holds ${holds}` : ''}`,
      );
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
 * No slot has two owners and no instance two slots: a claim writes the slot's row and the owner's together. Where a
 * person has deleted the owner's row, one that is late gets through; both slots are then left alone.
 */
export function oneOwner({ world, violated }: Context): Invariant {
  const name = 'one-owner';
  /** Claims of this step, to be compared when both rows are written. */
  const claimed = new Map<string, string>();
  /** Items that say who owns what, deleted by hand. */
  const deleted = new Set<string>();
  return {
    name,
    onMapWrite(item, before, after, by) {
      if (by === 'hand' && after === undefined) deleted.add(item);
      const slot = slotOf(item);
      const owner = ownerOf(after);
      if (slot === undefined || by === 'hand' || owner === undefined || owner === ownerOf(before)) return;
      for (const [other, row] of slotRows(world())) {
        if (other !== slot && ownerOf(row) === owner && !deleted.has(`owner#${owner}`))
          violated(name, `${owner} became owner of ${slot} and owns ${other} already`);
      }
      claimed.set(slot, owner);
      if (ownerOf(before) !== undefined)
        violated(name, `${slot} went from ${ownerOf(before)} to ${owner} without having been released`);
    },
    onStep() {
      for (const [slot, owner] of claimed) {
        const row = world().map.items.get(`owner#${owner}`);
        if (row?.slot !== slot && ownerOf(world().map.items.get(`slot#${slot}`)) === owner)
          violated(name, `${owner} owns ${slot}, but its own row names ${String(row?.slot)}`);
      }
      claimed.clear();
    },
  };
}

/** Epochs only grow, over all that is written of a slot; each new owner has one of its own. */
export function epochsGrow({ violated }: Context): Invariant {
  const name = 'epochs-grow';
  const highest = new Map<string, number>();
  return {
    name,
    onMapWrite(item, before, after, by) {
      const slot = slotOf(item);
      if (slot === undefined) return;
      const epoch = typeof after?.epoch === 'number' ? after.epoch : undefined;
      if (by === 'hand') {
        // From here on it grows again.
        if (epoch === undefined) highest.delete(slot);
        else highest.set(slot, epoch);
        return;
      }
      if (epoch === undefined)
        return violated(name, `the row of ${slot} has lost its epoch to ${by.operation}`);
      const known = highest.get(slot) ?? 0;
      if (epoch < known) violated(name, `the epoch of ${slot} went from ${known} to ${epoch}`);
      const owner = ownerOf(after);
      const isSeeded = before === undefined;
      if (!isSeeded && owner !== undefined && owner !== ownerOf(before) && epoch <= known)
        violated(name, `${slot} went to ${owner} with epoch ${epoch}, which was used before`);
      highest.set(slot, epoch);
    },
  };
}
