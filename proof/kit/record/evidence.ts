import { type ApiCall, readApiCalls, readHistory, type Transition } from '../history';
import type { Estate } from '../model';
import { type MapWrite, mapWrites } from './map-log';

/** What belongs to the slots: only that is watched, not the disks of the grid's nodes. */
export interface Watched {
  /** The slot of each volume. */
  readonly slotOfVolume: Readonly<Record<string, string>>;
  /** The slot of each network interface. */
  readonly slotOfInterface: Readonly<Record<string, string>>;
  /** Volumes that all nodes of a cluster have at once (proof/demo/cluster-check.ts says what holds of them). */
  readonly shared?: readonly string[];
}

/** What the embedded AWS has recorded, as the invariants look at it. */
export interface Evidence {
  readonly history: readonly Transition[];
  readonly calls: readonly ApiCall[];
  /** The writes of the map, out of the calls, in the order of their answers. */
  readonly writes: readonly MapWrite[];
  readonly watched: Watched;
}

/** Puts the evidence in order: lines of several writers may have crossed in the files. */
export function evidenceOf(
  history: readonly Transition[],
  calls: readonly ApiCall[],
  watched: Watched,
): Evidence {
  const ordered = [...calls].sort((a, b) => a.answered - b.answered);
  return {
    history: [...history].sort((a, b) => a.time - b.time),
    calls: ordered,
    writes: mapWrites(ordered),
    watched,
  };
}

/** The evidence that a state folder of the embedded AWS holds. */
export const readEvidence = (state: string, watched: Watched): Evidence =>
  evidenceOf(readHistory(state), readApiCalls(state), watched);

/** What belongs to the slots of an estate. */
export function watchedOf({ slots }: Pick<Estate, 'slots'>): Watched {
  return {
    slotOfVolume: Object.fromEntries(slots.flatMap(({ slot, volumes }) => volumes.map((id) => [id, slot]))),
    slotOfInterface: Object.fromEntries(
      slots.map(({ slot, networkInterfaceId }) => [networkInterfaceId, slot]),
    ),
  };
}
