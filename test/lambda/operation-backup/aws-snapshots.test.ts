import { EC2Client } from '@aws-sdk/client-ec2';
import { BACKUP_TAGS, DEPLOYMENT_TAG } from '../../../constructs/private/tags';
import { Ec2Snapshots } from '../../../lambda/operation-backup/aws-snapshots';
import { SET } from './account';

const snapshot = (SnapshotId: string, more: object = {}) => ({
  SnapshotId,
  VolumeId: `vol-${SnapshotId}`,
  Tags: Object.entries({ [DEPLOYMENT_TAG]: 'mine', [BACKUP_TAGS.set]: SET, ...more }).map(([Key, Value]) => ({
    Key,
    Value,
  })),
});

/** EC2 that shows what is there. */
function ec2(Snapshots: object[]): EC2Client {
  const client = new EC2Client({ region: 'us-east-1' });
  client.send = (async () => ({ Snapshots })) as unknown as EC2Client['send'];
  return client;
}

test('what another deployment of this name has copied here is in no set, also when both began at once', async () => {
  const there = [snapshot('snap-own'), snapshot('snap-copy', { [BACKUP_TAGS.copyOf]: 'snap-theirs' })];
  const snapshots = new Ec2Snapshots(ec2(there), 'mine');
  // Whatever this is, is judged: a copy would be called torn.
  expect(await snapshots.ofSet(SET)).toEqual([{ snapshotId: 'snap-own', volumeId: 'vol-snap-own' }]);
  expect((await snapshots.sets()).map((each) => each.snapshots.length)).toEqual([1]);
});
