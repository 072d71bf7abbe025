import { FORMATTED_TAG } from '../../../constructs/private/tags';
import { formatted } from '../../kit/invariants/rules';
import { volumesOf } from '../attached';
import { type Context, type Invariant, slotOf, wasDone } from './invariant';

/** Nothing is formatted that was formatted before, and nothing without the map having said so first. */
export function formattedOnce({ world, violated }: Context): Invariant {
  const name = 'formatted-once';
  const begun = new Map<string, string>();
  return {
    name,
    onFormat(volumeId, instanceId, { mayFormat, slot, epoch, before }) {
      const volume = world().ec2.volumes.get(volumeId);
      const row = world().map.items.get(`slot#${slot}`);
      const say = (what: string) =>
        violated(name, `${instanceId} formats ${volumeId} of ${slot} (epoch ${epoch}), ${what}`);
      if (!mayFormat) say('which it was not allowed to');
      if (volume === undefined) return say('which does not exist');
      for (const what of formatted(volumeId, instanceId, volume.formats)) violated(name, what);
      if (volume.snapshotId) say(`which comes from ${volume.snapshotId}`);
      if (FORMATTED_TAG in volume.tags) say('which carries the tag of a formatted volume');
      if (row && row.formatOffered !== true) say('and the map does not know that it was offered');
      const attempt = `${instanceId} ${epoch}`;
      if (before === 'target') say('which holds a target');
      if (before === 'half-formatted' && begun.get(volumeId) !== attempt)
        say(`which ${begun.get(volumeId)} began to format`);
      begun.set(volumeId, attempt);
    },
  };
}

/**
 * Formatting is never offered, nor told to a host as offered before, when the map knew that the slot holds data at the
 * time of the offer.
 */
export function offeredToTheBlank({ world, violated }: Context): Invariant {
  const name = 'offered-to-the-blank';
  const formattedAt = new Map<string, number>();
  /** When a worker wrote last that it is going to tell the owner of a slot. */
  const begunAt = new Map<string, number>();
  return {
    name,
    onMapWrite(item, before, after, by) {
      const slot = slotOf(item);
      if (slot === undefined) return;
      const now = world().scheduler.now();
      if (after?.formatted !== true) formattedAt.delete(slot);
      else if (before?.formatted !== true) formattedAt.set(slot, now);
      if (by !== 'hand' && after?.command !== before?.command) begunAt.set(`${by.worker} ${slot}`, now);
    },
    onCall(call, outcome) {
      if (call.operation !== 'SendCommand' || !wasDone(outcome)) return;
      const { Parameters } = call.input as { Parameters?: Record<string, string[]> };
      const slot = Parameters?.slot?.[0] ?? '';
      const since = formattedAt.get(slot);
      if (Parameters?.mayFormat?.[0] !== 'true' || since === undefined) return;
      const begun = begunAt.get(`${call.worker} ${slot}`);
      if (begun !== undefined && since > begun) return;
      violated(name, `${call.worker} offered to format ${slot}, which the map says holds data`);
    },
  };
}

/** The tag comes before the row: whatever survives a crash in between forbids formatting. */
export function tagBeforeRow({ world, violated }: Context): Invariant {
  const name = 'tag-before-row';
  return {
    name,
    onMapWrite(item, before, after, by) {
      const slot = slotOf(item);
      if (slot === undefined || by === 'hand' || after?.formatted !== true || before?.formatted === true)
        return;
      for (const id of volumesOf(after)) {
        const volume = world().ec2.volumes.get(id);
        if (volume && !(FORMATTED_TAG in volume.tags) && !volume.snapshotId)
          violated(name, `the row of ${slot} says formatted, and ${id} has no tag`);
      }
    },
  };
}
