import type { InstanceState, Seen } from '../../kit/invariants/instance-states';
import type { InvariantName } from '../../kit/invariants/list';
import type { Observer } from '../aws/observer';
import type { MapItem } from '../aws/state';
import type { World } from '../aws/world';

/** Something that must never be so, and was. */
export interface Violation {
  readonly invariant: InvariantName;
  /** What was seen, with the names of the objects. */
  readonly message: string;
  /** Milliseconds since 1970, simulated. */
  readonly at: number;
}

/** One promise of the protocol, checked whenever something happens that could break it. */
export interface Invariant extends Observer {
  readonly name: InvariantName;
}

/** What an invariant knows and how it complains. */
export interface Context {
  readonly world: () => World;
  /** Ends the run: what follows a violation proves nothing. */
  readonly violated: (invariant: InvariantName, message: string) => void;
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

/** All instances that there ever were are known here: one that is not was written into the map by hand. */
export function seen(ec2: World['ec2'], id: string): Seen & { readonly state: InstanceState } {
  return { id, state: ec2.instances.get(id)?.state ?? 'never-was' };
}

/** Whether a call was done, whatever its sender heard: `ok`, `timeout-after ok` and so on. */
export const wasDone = (outcome: string): boolean => outcome === 'ok' || outcome.endsWith(' ok');
