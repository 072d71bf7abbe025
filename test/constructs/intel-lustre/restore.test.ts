import { Template } from 'aws-cdk-lib/assertions';
import { loadConfig } from '../../../lib/config';
import { createDeployment } from '../../../lib/deployment';
import { testApp } from '../../helpers/app';

const { storage, ...rest } = loadConfig('sas-grid-lustre');
const ids = (first: number, count: number) =>
  Array.from({ length: count }, (_, index) => `snap-${String(first * 1000 + index).padStart(17, '0')}`);
const addresses = (first: number, count: number) =>
  Array.from({ length: count }, (_, index) => `172.16.4.${first + index}`);
const servers = storage!.oss?.count ?? 8;

const make = (
  volumes: number,
  change: (tiers: Record<string, Record<string, unknown>>) => void = () => undefined,
) => {
  const tier = (at: number, count: number, perServer: number) => ({
    addresses: addresses(at, count),
    restoreFrom: { set: '20261128T010203Z', snapshots: ids(at, count * perServer) },
  });
  const tiers: Record<string, Record<string, unknown>> = {
    mgs: { ...storage!.mgs, ...tier(90, 1, 1) },
    mds: { ...storage!.mds, ...tier(91, 1, 1) },
    oss: { ...storage!.oss, count: servers, volumesPerServer: volumes, ...tier(100, servers, volumes) },
  };
  change(tiers);
  const config = { ...rest, storage: { ...storage!, ...tiers } };
  return createDeployment(testApp(), 'again', config as never, '/nonexistent/no-record.json').storage;
};

test('each volume is made of the snapshot of its slot and place, with the key of the new deployment', () => {
  const template = Template.fromStack(make(2));
  const found = Object.values(template.findResources('AWS::EC2::Volume')).map(({ Properties }) => {
    const tag = (key: string) => Properties.Tags.find(({ Key }: { Key: string }) => Key === key).Value;
    return [
      tag('cdk-sas-grid:slot'),
      tag('cdk-sas-grid:position'),
      Properties.SnapshotId,
      Properties.Encrypted,
    ];
  });
  const oss = ids(100, servers * 2);
  expect(found).toContainEqual(['oss-00', '1', oss[1], true]);
  expect(found).toContainEqual(['oss-01', '0', oss[2], true]);
  expect(found).toHaveLength(2 + servers * 2);
  template.hasResource('AWS::EC2::Volume', { DeletionPolicy: 'Retain', UpdateReplacePolicy: 'Retain' });
});

test.each<[string, Parameters<typeof make>[1], RegExp]>([
  [
    'two sets',
    ({ mds }) => Object.assign(mds!.restoreFrom as object, { set: 'other' }),
    /one set for all tiers/,
  ],
  ['a tier without one', ({ mds }) => delete mds!.restoreFrom, /one set for all tiers/],
  ['other addresses', ({ oss }) => delete oss!.addresses, /oss\.addresses.*missing/],
  [
    'half a slot',
    ({ oss }) => (oss!.restoreFrom as { snapshots: string[] }).snapshots.pop(),
    /a multiple of 2/,
  ],
  [
    'a snapshot twice',
    ({ oss }) => {
      const { snapshots } = oss!.restoreFrom as { snapshots: string[] };
      snapshots[1] = snapshots[0]!;
    },
    /snapshot ids that differ/,
  ],
  [
    'kept volumes besides',
    ({ mgs }) => Object.assign(mgs!, { existingVolumes: ['vol-12345678'] }),
    /not both/,
  ],
])('%s is refused at synthesis', (_, change, message) => {
  expect(() => make(2, change)).toThrow(message);
});
