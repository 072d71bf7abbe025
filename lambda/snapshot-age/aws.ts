import { type EC2Client, paginateDescribeSnapshots, paginateDescribeVolumes } from '@aws-sdk/client-ec2';
import type { Patience } from '../shared/client';
import type { Snapshot, Volume } from './age';
import type { SnapshotsPort } from './handler';

/** EC2's buckets of requests are shared by all of the account: half a minute on average, one at most. */
export const PATIENCE: Patience = { attempts: 8, timeoutMs: 10_000 };

const PAGE = 500;

/** Volumes and their snapshots in EC2. */
export class Ec2Snapshots implements SnapshotsPort {
  /** @param tag by which the snapshots are known */
  constructor(
    private readonly client: EC2Client,
    private readonly volumeIds: readonly string[],
    private readonly tag: { readonly key: string; readonly value: string },
  ) {}

  async volumes(): Promise<Volume[]> {
    const found: Volume[] = [];
    const input = { Filters: [{ Name: 'volume-id', Values: [...this.volumeIds] }] };
    for await (const { Volumes } of paginateDescribeVolumes({ client: this.client, pageSize: PAGE }, input))
      for (const { VolumeId = '', CreateTime } of Volumes ?? [])
        found.push({ id: VolumeId, madeAt: CreateTime?.getTime() ?? 0 });
    return found;
  }

  async snapshots(): Promise<Snapshot[]> {
    const found: Snapshot[] = [];
    const { key, value } = this.tag;
    const Filters = [
      { Name: `tag:${key}`, Values: [value] },
      { Name: 'status', Values: ['completed'] },
    ];
    const input = { OwnerIds: ['self'], Filters };
    for await (const { Snapshots } of paginateDescribeSnapshots(
      { client: this.client, pageSize: PAGE },
      input,
    ))
      for (const { VolumeId = '', StartTime } of Snapshots ?? [])
        found.push({ volumeId: VolumeId, startedAt: StartTime?.getTime() ?? 0 });
    return found;
  }
}
