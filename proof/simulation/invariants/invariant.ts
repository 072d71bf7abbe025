import type { Observer } from '../aws/observer';
import type { MapItem } from '../aws/state';
import type { World } from '../aws/world';

/** Something that must never be so, and was. */
export interface Violation {
  /** Name of the invariant. */
  readonly invariant: string;
  /** What was seen, with the names of the objects. */
  readonly message: string;
  /** Milliseconds since 1970, simulated. */
  readonly at: number;
}

/** One promise of the protocol, checked whenever something happens that could break it. */
export interface Invariant extends Observer {
  readonly name: string;
}

/** What an invariant knows and how it complains. */
export interface Context {
  readonly world: () => World;
  /** Ends the run: what follows a violation proves nothing. */
  readonly violated: (invariant: string, message: string) => void;
  /** When the invocation that makes a call began, milliseconds since 1970: it may act on what was so then. */
  readonly beganAt: (worker: string) => number;
  /** Whether a fault has made the lifecycle actions of an instance run out of time. */
  readonly wasTimedOut: (instanceId: string) => boolean;
  /** The oldest answer that a describe may give that was sent then, milliseconds. */
  readonly oldestAnswerMs: (sentAt: number) => number;
  /** When the faults stopped, milliseconds since 1970; undefined while there may be more. */
  readonly faultsEndedAt: () => number | undefined;
  /** How many calls were disturbed since that time. */
  readonly disturbancesSince: (time: number) => number;
}

const SLOT = 'slot#';

/** The name of the slot of a row; undefined for other items. */
export const slotOf = (item: string): string | undefined =>
  item.startsWith(SLOT) ? item.slice(SLOT.length) : undefined;

/** The rows of slots, with their names. */
export function* slotRows(world: World): Generator<[string, MapItem]> {
  for (const [item, row] of world.map.items) {
    const slot = slotOf(item);
    if (slot !== undefined) yield [slot, row];
  }
}

export const ownerOf = (row: MapItem | undefined): string | undefined =>
  typeof row?.owner === 'string' ? row.owner : undefined;

export const isServed = (row: MapItem | undefined): boolean =>
  ownerOf(row) !== undefined && row?.servedEpoch === row?.epoch;

/**
 * Whether an instance may write to what it has mounted: until it is terminated or stopped, also while it shuts down.
 */
export function canWrite(world: World, instanceId: string): boolean {
  const state = world.ec2.instances.get(instanceId)?.state;
  return state !== undefined && state !== 'terminated' && state !== 'stopped';
}

export function stateOf(world: World, instanceId: string): string {
  return world.ec2.instances.get(instanceId)?.state ?? 'unknown';
}

/** Whether a call was done, whatever its sender heard: `ok`, `timeout-after ok` and so on. */
export const wasDone = (outcome: string): boolean => outcome === 'ok' || outcome.endsWith(' ok');
