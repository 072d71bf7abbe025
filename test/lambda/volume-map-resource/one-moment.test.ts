import { handle } from '../../../lambda/volume-map-resource/handler';
import type { VolumeFacts } from '../../../lambda/volume-map-resource/ports';
import { FakePorts, request, slot } from './fake-ports';

const MONDAY = '2026-11-02T03:00:00.000Z';
const TUESDAY = '2026-11-03T03:00:00.000Z';

const pair = (more: object = {}) =>
  slot(0, {
    adopted: 'true',
    striped: 'true',
    volumes: ['vol-0', 'vol-1'].map((volumeId) => ({ volumeId, device: '/dev/sdf' })),
    ...more,
  });

async function create(
  first: Partial<VolumeFacts>,
  second: Partial<VolumeFacts>,
  { begun = {}, as = pair() }: { begun?: { [id: string]: string }; as?: object } = {},
): Promise<FakePorts> {
  const fake = Object.assign(new FakePorts(), { origins: { 'vol-0': first, 'vol-1': second }, begun });
  await handle(request('Create', [as]), fake.ports);
  return fake;
}

const from = (snapshotId: string, more: Partial<VolumeFacts> = {}) => ({ snapshotId, ...more });
const days = { 'snap-1': MONDAY, 'snap-2': TUESDAY };

describe('volumes of one stripe', () => {
  test('of snapshots of different days are refused before anything is written', async () => {
    const fake = await create(from('snap-1'), from('snap-2'), { begun: days });
    expect(fake.rows.size).toBe(0);
    expect(fake.answers[0]).toMatchObject({ Status: 'FAILED' });
    const said = `vol-0 (snap-1 of ${MONDAY}), vol-1 (snap-2 of ${TUESDAY})`;
    expect(fake.answers[0]!.Reason).toContain(said);
    expect(fake.answers[0]!.Reason).toContain('cdk-sas-grid:same-moment');
  });

  test('of which one was restored and the other was not are refused', async () => {
    const fake = await create(from('snap-1'), {}, { begun: days });
    expect(fake.answers[0]!.Reason).toContain('vol-1 (made of no snapshot)');
  });

  test('that were copied at different times are refused', async () => {
    const copied = (at: string) => ({ copiedAt: Date.parse(at) });
    const fake = await create(copied(MONDAY), copied(TUESDAY));
    expect(fake.answers[0]!.Reason).toContain(`vol-0 (a copy of ${MONDAY})`);
  });

  test.each<[string, Partial<VolumeFacts>, Partial<VolumeFacts>]>([
    ['of one set of snapshots', from('snap-1'), from('snap-3')],
    ['as their stack left them', {}, {}],
    ['of snapshots that are gone, of which nobody can tell', from('snap-8'), from('snap-9')],
    [
      'of which a person says so',
      from('snap-1', { sameMoment: 'vol-0' }),
      from('snap-2', { sameMoment: 'vol-0' }),
    ],
  ])('%s are taken', async (_name, first, second) => {
    const fake = await create(first, second, { begun: { ...days, 'snap-3': '2026-11-02T03:00:01.000Z' } });
    expect([...fake.rows.keys()]).toEqual(['oss-00']);
  });

  test('that have the word from the volumes of their snapshots are refused', async () => {
    const copied = { sameMoment: 'vol-of-that-time' };
    const fake = await create(from('snap-1', copied), from('snap-2', copied), { begun: days });
    expect(fake.answers[0]!.Reason).toContain('the tag cdk-sas-grid:same-moment with the value vol-0');
  });
});

test('volumes that are a file system each may be of different days', async () => {
  const fake = await create(from('snap-1'), from('snap-2'), {
    begun: days,
    as: pair({ striped: undefined }),
  });
  expect(fake.rows.size).toBe(1);
});

test('volumes that were served are not looked at again, and an update that only says so adds no slot', async () => {
  const fake = await create({}, {});
  fake.origins = { 'vol-0': from('snap-1') };
  const before = {
    OldResourceProperties: request('Create', [pair({ striped: undefined })]).ResourceProperties,
  };
  const id = { PhysicalResourceId: 'oss/request/table' };
  const told = await handle({ ...request('Update', [pair()]), ...before, ...id }, fake.ports);
  expect(told).toEqual({ did: 'answered', status: 'SUCCESS' });
});
