import {
  beyondOneNfsServer,
  chooseNfsServer,
  instanceTypeFacts,
  NFS_SERVER_SIZES,
  NFS_SERVER_SOURCES,
  nfsServerSize,
  sustainedServerMBps,
  sustainedVolumeMBps,
} from '../../../constructs/sizing';
import fc from '../../helpers/fast-check';

test.each([
  [{ type: 'st1', sizeGiB: 2000 }, 82],
  [{ type: 'st1', sizeGiB: 15_000 }, 524],
  [{ type: 'st1', sizeGiB: 16_384 }, 524],
  [{ type: 'sc1', sizeGiB: 1024 }, 13],
  [{ type: 'gp3', sizeGiB: 500 }, 131],
  [{ type: 'gp3', sizeGiB: 500, iops: 4000, throughputMiBps: 1000 }, 1049],
  [{ type: 'io2', sizeGiB: 100, iops: 4000 }, 1049],
  [{ type: 'io2', sizeGiB: 1000, iops: 256_000 }, 4194],
  [{ type: 'gp2', sizeGiB: 100 }, 79],
  [{ type: 'gp2', sizeGiB: 750 }, 262],
])('%j delivers %d MB/s all day', (volume, mbps) => {
  expect(Math.round(sustainedVolumeMBps(volume)!)).toBe(mbps);
});

test('what is not known is not guessed', () => {
  expect(sustainedVolumeMBps({ type: 'st1' })).toBeUndefined();
  expect(sustainedVolumeMBps({ type: 'io2', sizeGiB: 100 })).toBeUndefined();
  expect(sustainedVolumeMBps({ type: 'gp4', sizeGiB: 100 })).toBeUndefined();
  expect(sustainedServerMBps(instanceTypeFacts('m4.xlarge')!, true)).toBeUndefined();
});

test('a server passes on no more than its network and its volumes let it', () => {
  expect(sustainedServerMBps(instanceTypeFacts('m6in.large')!, true)).toBe(1562 / 8);
  expect(sustainedServerMBps(instanceTypeFacts('m4.10xlarge')!, true)).toBe(500);
  expect(sustainedServerMBps(instanceTypeFacts('m4.10xlarge')!, false)).toBe(1250);
  // Paper 001: about 500 MB/s, because one 10 Gbit/s interface carries both.
  expect(sustainedServerMBps(instanceTypeFacts('c3.8xlarge')!, true)).toBe(625);
});

test.each([
  [{ throughputMBps: 100 }, 'm6in.large'],
  [{ throughputMBps: 196 }, 'm6in.xlarge'],
  [{ throughputMBps: 1000 }, 'm6in.4xlarge'],
  [{ throughputMBps: 0, instanceStoreGB: 5000 }, 'i3en.2xlarge'],
  [{ throughputMBps: 2000, instanceStoreGB: 5000 }, 'i3en.6xlarge'],
  [{ throughputMBps: 0, instanceStoreGB: 60_000 }, 'i3en.24xlarge'],
])('for %j the smallest type is %s', (wish, type) => {
  expect(chooseNfsServer(wish).type).toBe(type);
});

test('whatever is asked for, the chosen type has it, and no smaller one has', () => {
  const wishes = fc.record({
    throughputMBps: fc.integer({ min: 0, max: 40_000 }),
    instanceStoreGB: fc.option(fc.integer({ min: 1, max: 100_000 }), { nil: undefined }),
  });
  fc.assert(
    fc.property(wishes, (wish) => {
      const { type, mostMBps, mostInstanceStoreGB } = chooseNfsServer(wish);
      if (type === undefined) {
        return wish.throughputMBps > mostMBps || (wish.instanceStoreGB ?? 0) > mostInstanceStoreGB;
      }
      const facts = instanceTypeFacts(type)!;
      const store = (facts.instanceStore?.disks ?? 0) * (facts.instanceStore?.diskSizeGB ?? 0);
      const mbps = sustainedServerMBps(facts, wish.instanceStoreGB === undefined)!;
      return mbps >= wish.throughputMBps && store >= (wish.instanceStoreGB ?? 0);
    }),
  );
});

test("the paper's limits: at them an NFS server is right, above them it is not", () => {
  expect(beyondOneNfsServer({ capacityTiB: 48, throughputMBps: 1000, clients: 32 })).toEqual([]);
  expect(beyondOneNfsServer({})).toEqual([]);
  expect(beyondOneNfsServer({ capacityTiB: 49, throughputMBps: 1001, clients: 33 })).toEqual([
    '49 TiB is more than 48 TiB',
    '1001 MB/s is more than 1 GB/s',
    '33 clients are more than 32',
  ]);
});

test("the paper's sizes have types and volumes that exist, and figures", () => {
  expect(NFS_SERVER_SIZES.map(({ name }) => name)).toEqual([
    'Small-2TB',
    'Medium-5TB',
    'Large-10TB',
    'XLarge-15TB',
  ]);
  for (const { paperType, volumeGiB, measuredMBps } of NFS_SERVER_SIZES) {
    expect(instanceTypeFacts(paperType)).toBeDefined();
    expect(volumeGiB % 1000).toBe(0);
    expect(Math.min(...measuredMBps)).toBeGreaterThan(80);
  }
  expect(nfsServerSize('Medium-5TB')?.paperType).toBe('m4.2xlarge');
  expect(nfsServerSize('Medium')).toBeUndefined();
});

test('every figure has a source with a day', () => {
  for (const { title, reference, checked } of NFS_SERVER_SOURCES) {
    expect(title).not.toBe('');
    expect(reference).toMatch(/^(https:|paper)/);
    expect(checked).toMatch(/^\d{4}-\d\d-\d\d$/);
  }
});
