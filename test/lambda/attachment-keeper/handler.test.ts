import { handle } from '../../../lambda/attachment-keeper/handler';
import type { AttachmentsPort, Doomed, Ports } from '../../../lambda/attachment-keeper/ports';
import type { VolumeOrigin } from '../../../lambda/shared/one-moment';
import type { SnapshotLabel } from '../../../lambda/shared/snapshot-labels';

const SETTINGS = { tag: 'stack/sasgfs2', volumeIds: ['vol-1', 'vol-2'], interfaceIds: ['eni-1'] };
const refused = (name: string) => Object.assign(new Error('refused'), { name });

/** EC2 with two nodes that share two volumes; who ends them loses what is doomed. */
class FakeEc2 implements AttachmentsPort {
  /** By `volume instance`. */
  readonly doomed = new Set<string>();
  /** Sets it again after each change. */
  stubborn = false;
  /** How many describes still tell of before the last change. */
  stale = 0;
  /** With which names of errors the next calls are refused. */
  readonly refusals: string[] = [];
  slept = 0;
  readonly metrics: object[] = [];

  private list(kind: string): Doomed[] {
    const refusal = this.refusals.shift();
    if (refusal) throw refused(refusal);
    return [...this.doomed]
      .filter((each) => each.startsWith(kind))
      .map((each) => each.split(' '))
      .map(([id, instanceId]) => ({ id: id!, instanceId: instanceId!, attachment: '/dev/sdf' }));
  }

  async doomedVolumes(ids: readonly string[]): Promise<Doomed[]> {
    expect(ids).toEqual(SETTINGS.volumeIds);
    return this.list('vol');
  }

  async doomedInterfaces(ids: readonly string[]): Promise<Doomed[]> {
    expect(ids).toEqual(SETTINGS.interfaceIds);
    return this.list('eni');
  }

  /** Where the content of volumes that nobody has comes from. */
  free: VolumeOrigin[] = [];
  readonly begunAt = async (ids: string[]) =>
    new Map(ids.map((id) => [id, Date.parse(`2026-11-0${id.slice(-1)}T03:00:00Z`)]));

  async origins(): Promise<VolumeOrigin[]> {
    return this.unknown-- > 0 ? [] : this.free;
  }

  /** Those of the volumes that nodes have. */
  used: string[] = [];
  /** How often EC2 does not show all volumes yet. */
  unknown = 0;
  labels: SnapshotLabel[] = [];

  async inUse(): Promise<string[]> {
    return this.used;
  }

  async labelsOf(ids: readonly string[]): Promise<SnapshotLabel[]> {
    return this.labels.filter(({ snapshotId }) => ids.includes(snapshotId));
  }

  async ofSet(deployment: string, set: string): Promise<SnapshotLabel[]> {
    return this.labels.filter((each) => each.deployment === deployment && each.set === set);
  }

  async keepVolume({ id, instanceId }: Doomed): Promise<void> {
    if (instanceId === 'i-forbidden') throw refused('UnauthorizedOperation');
    if (!this.stubborn && this.stale-- <= 0) this.doomed.delete(`${id} ${instanceId}`);
  }

  keepInterface(doomed: Doomed): Promise<void> {
    return this.keepVolume(doomed);
  }

  private ports(bodies: string[]): Ports {
    return {
      attachments: this,
      answers: { put: async (_url, body) => void bodies.push(body) },
      log: {
        info: () => undefined,
        error: () => undefined,
        metrics: (tag, values) => void this.metrics.push({ tag, ...values }),
      },
      timer: {
        now: () => this.slept,
        sleep: async (milliseconds) => {
          this.slept += milliseconds;
        },
      },
    };
  }

  look() {
    return handle({ source: 'aws.events' }, this.ports([]), SETTINGS);
  }

  async ask(
    RequestType: string,
    ResourceProperties: object = {},
  ): Promise<{ Status: string; Reason: string }> {
    const bodies: string[] = [];
    const event = {
      RequestType,
      ResponseURL: 'https://answers.example/1',
      StackId: 'stack/one',
      RequestId: 'request',
      LogicalResourceId: 'BeforeDeletion',
      ResourceProperties,
    };
    await handle(event, this.ports(bodies), SETTINGS);
    return JSON.parse(bodies[0]!);
  }
}

test('what would go with a node is kept, and counted', async () => {
  const ec2 = new FakeEc2();
  await ec2.look();
  ec2.doomed.add('vol-1 i-1').add('vol-1 i-2').add('eni-1 i-1');
  await ec2.look();
  await ec2.look();
  expect([...ec2.doomed]).toEqual([]);
  const tag = SETTINGS.tag;
  expect(ec2.metrics).toEqual([0, 3, 0].map((AttachmentsNotKept) => ({ tag, AttachmentsNotKept })));
});

test('what EC2 refuses keeps nothing else from being kept, and fails', async () => {
  const ec2 = new FakeEc2();
  ec2.doomed.add('vol-1 i-forbidden').add('vol-2 i-1');
  await expect(ec2.look()).rejects.toThrow(/vol-1 at i-forbidden/);
  expect([...ec2.doomed]).toEqual(['vol-1 i-forbidden']);
});

test('before a deletion it is sure, though EC2 tells of before a change for a while', async () => {
  const ec2 = new FakeEc2();
  ec2.doomed.add('vol-1 i-1');
  ec2.stale = 5;
  expect((await ec2.ask('Delete')).Status).toBe('SUCCESS');
  expect([...ec2.doomed]).toEqual([]);
});

test('a deletion that would take volumes with it fails, and says whose', async () => {
  const ec2 = new FakeEc2();
  ec2.stubborn = true;
  ec2.doomed.add('vol-2 i-1');
  const { Status, Reason } = await ec2.ask('Delete');
  expect(Status).toBe('FAILED');
  expect(Reason).toContain('vol-2 at i-1');
  expect(ec2.slept).toBeLessThan(120_000);
});

test('a role that does not count yet is waited for; a right that stays missing fails', async () => {
  const ec2 = new FakeEc2();
  ec2.refusals.push('UnauthorizedOperation', 'UnauthorizedOperation');
  expect((await ec2.ask('Create')).Status).toBe('SUCCESS');
  ec2.doomed.add('vol-1 i-forbidden');
  expect(await ec2.ask('Update')).toMatchObject({ Status: 'FAILED' });
});

describe('adopted volumes', () => {
  const asked = { Requires: 'one-moment' };

  test('of different moments are refused before there are nodes', async () => {
    const ec2 = new FakeEc2();
    ec2.free = [
      { volumeId: 'vol-1', snapshotId: 'snap-1' },
      { volumeId: 'vol-2', snapshotId: 'snap-2' },
    ];
    const { Status, Reason } = await ec2.ask('Create', asked);
    expect(Status).toBe('FAILED');
    expect(Reason).toContain('vol-2 (snap-2 of 2026-11-02T03:00:00.000Z)');
    expect(await ec2.ask('Delete', asked)).toMatchObject({ Status: 'SUCCESS' });
  });

  test('of one set are served, as are those that nodes have already', async () => {
    const ec2 = new FakeEc2();
    expect(await ec2.ask('Create', asked)).toMatchObject({ Status: 'SUCCESS' });
    ec2.free = [{ volumeId: 'vol-2', snapshotId: 'snap-2' }];
    expect(await ec2.ask('Create', asked)).toMatchObject({ Status: 'SUCCESS' });
    ec2.free = ['vol-1', 'vol-2'].map((volumeId) => ({ volumeId, snapshotId: 'snap-1' }));
    expect(await ec2.ask('Create', asked)).toMatchObject({ Status: 'SUCCESS' });
  });
});

describe('volumes that are made of a set', () => {
  const place = { tier: 'gfs2', slot: 'gfs2-00' };
  const asked = { Requires: 'whole-set', BackupSet: 'one', Tier: place.tier, Slot: place.slot };
  const label = (index: number, more: Partial<SnapshotLabel> = {}): SnapshotLabel => ({
    snapshotId: `snap-${index + 1}`,
    deployment: 'mine',
    set: 'one',
    state: 'complete',
    ...place,
    position: String(index),
    size: '2',
    ...more,
  });

  function restored(): FakeEc2 {
    const ec2 = new FakeEc2();
    ec2.free = ['1', '2'].map((each) => ({ volumeId: `vol-${each}`, snapshotId: `snap-${each}` }));
    ec2.labels = [label(0), label(1)];
    return ec2;
  }

  test('are served when they are all of it, each in its place, and EC2 shows them', async () => {
    const ec2 = restored();
    ec2.unknown = 3;
    expect(await ec2.ask('Create', asked)).toMatchObject({ Status: 'SUCCESS' });
  });

  test.each<[string, (ec2: FakeEc2) => void, RegExp]>([
    [
      'are of another set',
      (one) => one.labels.splice(1, 1, label(1, { set: 'two' })),
      /vol-2 .*the set two, not of one/,
    ],
    [
      'are torn',
      (one) => one.labels.splice(0, 1, label(0, { state: 'torn' })),
      /vol-1 .*whose set one is torn/,
    ],
    [
      'are not in their places',
      (one) =>
        one.free.splice(0, 2, ...one.free.map((each, at) => ({ ...each, snapshotId: `snap-${2 - at}` }))),
      /position 1 of gfs2-00, not position 0/,
    ],
    [
      'are of one host',
      (one) => one.labels.splice(0, 1, label(0, { slot: 'io2-00', tier: 'io2' })),
      /of io2-00, not/,
    ],
    ['have lost a snapshot', (one) => one.labels.splice(1, 1), /vol-2 is made of snap-2, which is gone/],
    [
      'are less than the set',
      (one) => one.labels.splice(0, 2, label(0, { size: '3' }), label(1, { size: '3' })),
      /had 3 snapshots, 2 are there/,
    ],
    [
      'leave some behind',
      (one) => one.labels.push(label(2)),
      /had 2 snapshots, 3 are there, and 2 are named/,
    ],
    [
      'are of two deployments',
      (one) => one.labels.splice(1, 1, label(1, { deployment: 'other' })),
      /of mine and other/,
    ],
    [
      'are made of none',
      (one) => one.free.splice(0, 1, { volumeId: 'vol-1' }),
      /vol-1 is not shown by EC2 as made of/,
    ],
    ['are not there', (one) => one.free.splice(0, 1), /EC2 does not know vol-1/],
  ])('are refused before there is a node when they %s', async (_, change, reason) => {
    const ec2 = restored();
    change(ec2);
    const { Status, Reason } = await ec2.ask('Create', asked);
    expect(Status).toBe('FAILED');
    expect(Reason).toMatch(reason);
    expect(await ec2.ask('Delete', asked)).toMatchObject({ Status: 'SUCCESS' });
  });

  test('are served without their snapshots once nodes have them', async () => {
    const ec2 = restored();
    ec2.used = ['vol-1'];
    ec2.labels = [];
    expect(await ec2.ask('Update', asked)).toMatchObject({ Status: 'SUCCESS' });
  });
});
