import { type EC2Client, paginateDescribeSnapshots, paginateDescribeVolumes } from '@aws-sdk/client-ec2';
import type { Patience } from '../shared/client';
import type { Snapshot, Volume } from './age';
import type { SnapshotsPort } from './handler';

/** EC2's buckets of requests are shared by all of the account: half a minute on average, one at most. */
export const PATIENCE: Patience = { attempts: 8, timeoutMs: 10_000 };

const PAGE = 500;

/** Volumes and snapshots in EC2, by tags of theirs. */
export class Ec2Snapshots implements SnapshotsPort {
  constructor(
    private readonly client: EC2Client,
    /** The tags by which the volumes and the snapshots of a tier are known. */
    private readonly tags: {
      readonly ofVolumes: string;
      readonly ofSnapshots: string;
      readonly value: string;
    },
  ) {}

  async volumes(): Promise<Volume[]> {
    const found: Volume[] = [];
    const input = { Filters: [this.tagged(this.tags.ofVolumes)] };
    for await (const { Volumes } of paginateDescribeVolumes({ client: this.client, pageSize: PAGE }, input))
      for (const { VolumeId = '', CreateTime } of Volumes ?? [])
        found.push({ id: VolumeId, madeAt: CreateTime?.getTime() ?? 0 });
    return found;
  }

  async snapshots(): Promise<Snapshot[]> {
    const found: Snapshot[] = [];
    const input = {
      OwnerIds: ['self'],
      Filters: [this.tagged(this.tags.ofSnapshots), { Name: 'status', Values: ['completed'] }],
    };
    for await (const { Snapshots } of paginateDescribeSnapshots(
      { client: this.client, pageSize: PAGE },
      input,
    ))
      for (const { VolumeId = '', StartTime } of Snapshots ?? [])
        found.push({ volumeId: VolumeId, startedAt: StartTime?.getTime() ?? 0 });
    return found;
  }

  private tagged(key: string) {
    return { Name: `tag:${key}`, Values: [this.tags.value] };
  }
}
