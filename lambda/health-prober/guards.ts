import { slotNames } from '../shared/slot-names';
import type { Count } from './judge';
import type { Group, TierState } from './ports';
import { DAY_MS, MARKS_PER_DAY, NEEDED_PROCESSES, PAUSE_MS, type Settings } from './settings';

/**
 * Why a server that has missed too many rounds is not replaced now; undefined when it may be. One server of a tier at a
 * time, and only while everything else of the tier is at rest: whatever is under way may be the reason why it does not
 * serve. Whether the recovery workflow looks at the tier says nothing of that: in a busy account it does so all the
 * time, woken by instances that are not the tier's.
 */
export function obstacleTo(
  candidate: Count,
  state: TierState,
  group: Group,
  now: number,
  settings: Settings,
): string | undefined {
  const { rows, marks } = state;
  const seeded = new Set(rows.slots.map((row) => row.slot));
  // By name: a slot whose growth could not be undone has a row, and is none of those that the tier should have.
  const lacks = slotNames(settings.tier, settings.slotCount).some((slot) => !seeded.has(slot));
  if (rows.broken.length > 0 || lacks) {
    return 'the map lacks rows of the tier, or they cannot be read';
  }
  const twice = rows.slots.find(
    (row, index) =>
      row.owner !== undefined && rows.slots.findIndex(({ owner }) => owner === row.owner) < index,
  );
  if (twice) return `the map names ${twice.owner} as the owner of two slots: it was edited by hand`;
  // The row of a slot that an update had added, and that was undone, stays in the map, released: it is no part of the
  // tier.
  const kept = rows.slots.filter((row) => !row.released);
  const slots = kept.length < settings.slotCount ? rows.slots : kept;
  const unserved = slots.find(
    (row) => row.released || row.owner === undefined || row.servedEpoch !== row.epoch,
  );
  if (unserved) return `slot ${unserved.slot} is not served: a deployment or a repair is under way`;
  const moving = group.members.find(({ lifecycle, healthy }) => !healthy || !AT_REST.includes(lifecycle));
  if (moving)
    return `member ${moving.instanceId} of the group is ${moving.lifecycle}, a replacement is under way`;
  const suspended = group.suspended.find((name) => NEEDED_PROCESSES.includes(name));
  if (suspended) return `process ${suspended} of the group is suspended`;
  return tooSoon(candidate, marks, now);
}

/** Members that nobody is about to replace. */
const AT_REST: readonly string[] = ['InService', 'Standby'];

function tooSoon(candidate: Count, marks: TierState['marks'], now: number): string | undefined {
  const { slot, owner } = candidate.claim;
  // One that was declared before and is still healthy in the group: the call did not happen, and is made again.
  const others = marks.filter((mark) => mark.owner !== owner);
  const last = others[others.length - 1];
  if (last && !(now - Date.parse(last.at) > PAUSE_MS)) {
    return (
      `${last.owner}, the server of ${last.slot}, was declared unhealthy less than ` +
      `${PAUSE_MS / 60_000} minutes ago`
    );
  }
  const today = others.filter((mark) => mark.slot === slot && !(now - Date.parse(mark.at) > DAY_MS));
  if (today.length >= MARKS_PER_DAY) {
    return `${today.length} servers of ${slot} were replaced within a day: the fault is not the server's`;
  }
  return undefined;
}

/** Why the stack or the group keeps a server from being replaced. Asked only when nothing else does. */
export function deploymentObstacle(stackStatus: string, refreshing: boolean): string | undefined {
  if (stackStatus.endsWith('_IN_PROGRESS')) return `the stack is ${stackStatus}`;
  return refreshing ? 'an instance refresh is under way' : undefined;
}
