import { handle } from '../../../lambda/attachment-keeper/handler';
import type { AttachmentsPort, Doomed, Ports } from '../../../lambda/attachment-keeper/ports';
import type { VolumeOrigin } from '../../../lambda/shared/one-moment';

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
    return this.free;
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
