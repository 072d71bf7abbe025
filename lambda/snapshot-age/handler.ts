import type { Log } from '../shared/log';
import { newestSet, type Snapshot, type Volume } from './age';

/** What EC2 has. */
export interface SnapshotsPort {
  /** The volumes of the tier; without those that EC2 does not know. */
  volumes(): Promise<readonly Volume[]>;
  /** The completed snapshots that its policy has made. */
  snapshots(): Promise<readonly Snapshot[]>;
}

/** All that the function reaches. */
export interface Ports {
  readonly store: SnapshotsPort;
  readonly log: Log;
  readonly now: () => number;
}

/** What the function found, for its log. */
export interface Handled {
  readonly ageSeconds: number;
}

/**
 * Measures how old the newest complete set of snapshots of a tier is.
 *
 * @throws when EC2 shows no volume: then nobody knows
 */
export async function handle({ store, log, now }: Ports, tierTag: string): Promise<Handled> {
  const volumes = await store.volumes();
  if (volumes.length === 0) throw new Error(`EC2 shows no volume of ${tierTag}`);
  const moment = newestSet(volumes, await store.snapshots());
  const ageSeconds = Math.max(0, Math.round((now() - moment) / 1000));
  log.info('newest set of snapshots', { moment: new Date(moment).toISOString(), volumes: volumes.length });
  log.metrics(tierTag, { SnapshotAgeSeconds: ageSeconds });
  return { ageSeconds };
}
