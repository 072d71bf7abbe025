import { TOGETHER_MS } from '../shared/snapshot-set';

/** A volume that snapshots are to be made of. */
export interface Volume {
  readonly id: string;
  /** When it was made, milliseconds since 1970. */
  readonly madeAt: number;
}

/** A completed snapshot. */
export interface Snapshot {
  readonly volumeId: string;
  /** The moment that it has, milliseconds since 1970. */
  readonly startedAt: number;
}

/**
 * The moment of the newest complete set of snapshots: one of every volume, made together. A set that lacks one is worth
 * nothing, since the volumes are striped. Without any the moment is that from which on there could have been one: when
 * the last of the volumes was made.
 *
 * @param volumes at least one
 * @returns milliseconds since 1970
 */
export function newestSet(volumes: readonly Volume[], snapshots: readonly Snapshot[]): number {
  const [first, ...others] = volumes.map(({ id }) =>
    snapshots.filter(({ volumeId }) => volumeId === id).map(({ startedAt }) => startedAt),
  );
  const complete = first!.filter((moment) =>
    others.every((moments) => moments.some((other) => Math.abs(other - moment) <= TOGETHER_MS)),
  );
  return Math.max(...(complete.length > 0 ? complete : volumes.map(({ madeAt }) => madeAt)));
}
