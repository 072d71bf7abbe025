import type { Snapshot } from '@aws-sdk/client-ec2';
import { Durations } from '../context';
import { ServiceError } from '../errors';
import type { SnapshotTruth } from '../state';
import { Versions } from '../versions';
import type { SimulatedEc2 } from './ec2';

export type SnapshotView = Snapshot & { readonly SnapshotId: string };

/** EBS lets snapshots of one volume begin so far apart (EC2 API reference, "Error codes"). */
const APART_MS = 15_000;

/**
 * Snapshots of volumes: pending, then completed, or an error (EBS user guide, "Amazon EBS snapshots"). What is on the
 * volume when one begins is in it.
 */
export class Snapshots {
  readonly all = new Map<string, SnapshotTruth>();
  readonly views: Versions<SnapshotView>;
  private readonly durations: Durations;

  constructor(private readonly ec2: SimulatedEc2) {
    this.views = new Versions(() => ec2.now());
    this.durations = new Durations(ec2.context, 'snapshots');
  }

  create(volumeId: string, tags: { [key: string]: string }): SnapshotTruth {
    const volume = this.ec2.volumes.get(volumeId);
    if (volume === undefined || volume.state === 'deleted')
      throw new ServiceError('InvalidVolume.NotFound', `The volume '${volumeId}' does not exist.`);
    const now = this.ec2.now();
    for (const each of this.all.values())
      if (each.volumeId === volumeId && now - each.startedAt < APART_MS)
        throw new ServiceError('SnapshotCreationPerVolumeRateExceeded', 'The maximum is exceeded.');
    const id = this.ec2.ids.next('snap');
    const snapshot: SnapshotTruth = { id, volumeId, tags, startedAt: now, state: 'pending' };
    this.all.set(id, snapshot);
    this.note(snapshot);
    const fails = volume.failingSnapshots > 0;
    if (fails) volume.failingSnapshots -= 1;
    this.ec2.context.scheduler.after(
      this.durations.of((timings) => timings.snapshot),
      () => {
        if (!this.all.has(id)) return;
        snapshot.state = fails ? 'error' : 'completed';
        this.note(snapshot);
      },
      'snapshot',
    );
    return snapshot;
  }

  /** By hand: nothing of the project deletes one. */
  deleteByHand(id: string): boolean {
    this.views.forget(id);
    return this.all.delete(id);
  }

  private note({ id, volumeId, tags, startedAt, state }: SnapshotTruth): void {
    this.views.note(id, {
      SnapshotId: id,
      VolumeId: volumeId,
      State: state,
      StartTime: new Date(startedAt),
      Tags: Object.entries(tags).map(([Key, Value]) => ({ Key, Value })),
    });
  }
}
