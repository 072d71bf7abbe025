import {
  cachedRead,
  compareWithDemand,
  type KnownStorage,
  mixedMBps,
  type Prediction,
  predict,
} from '../../../../constructs/sizing/plan';
import fc from '../../../helpers/fast-check';

const GP3 = { count: 8, type: 'gp3', sizeGiB: 750, throughputMiBps: 375 };
const OSS: KnownStorage = { kind: 'lustre', servers: 3, serverType: 'm6in.8xlarge', devices: [GP3] };
const LOAD = { hosts: 4, hostType: 'i4i.8xlarge' };
const mbps = ({ readMBps, writeMBps }: Prediction) =>
  [readMBps, writeMBps].map((one) => one && Math.round(one));
const names = ({ binding }: Prediction) => [binding.read?.name, binding.write?.name];

test('the storage description of a benchmark can be predicted as it is', () => {
  const described: KnownStorage = { ...OSS, devices: [GP3] };
  expect(mbps(predict(described, LOAD))).toEqual([9375, 9375]);
});

test.each<[string, KnownStorage, { hosts: number; hostType?: string }, (number | undefined)[], string]>([
  ['volumes', { ...OSS, devices: [{ ...GP3, throughputMiBps: 125 }] }, LOAD, [3146, 3146], 'volumes'],
  ['EBS bandwidth', { ...OSS, servers: 1, serverType: 'm6in.2xlarge' }, LOAD, [781, 781], 'ebs-bandwidth'],
  ['the network of the hosts', OSS, { hosts: 1, hostType: 'i4i.8xlarge' }, [2344, 2344], 'client-network'],
  [
    'the network of the servers',
    { ...OSS, serverType: 'r5b.8xlarge', devices: [{ count: 8, type: 'io2', iops: 5000 }] },
    LOAD,
    [3750, 3750],
    'server-network',
  ],
  [
    'an interface that volumes and clients share',
    { ...OSS, serverType: 'c3.8xlarge', devices: [{ count: 8, type: 'gp2', sizeGiB: 750 }] },
    { hosts: 4, hostType: 'i2.8xlarge' },
    [1500, 1500],
    'shared-interface',
  ],
  [
    'disks, which read faster than they write',
    { kind: 'xfs', servers: 0, devices: [{ count: 2, type: 'instance-store' }] },
    { hosts: 1, hostType: 'i4i.8xlarge' },
    [3277, 1802],
    'devices',
  ],
  [
    'what a managed file system was bought with',
    { kind: 'fsx-lustre', servers: 0, devices: [], provisionedMBps: 1200 },
    LOAD,
    [1200, 1200],
    'provisioned',
  ],
])('%s', (_, storage, load, expected, limit) => {
  const prediction = predict(storage, load);
  expect(mbps(prediction)).toEqual(expected);
  expect(names(prediction)).toEqual([limit, limit]);
});

test('EFS: a byte that is read counts as a third', () => {
  const storage = { kind: 'efs', servers: 0, devices: [], provisionedMBps: 100 };
  const prediction = predict(storage, LOAD);
  expect(mbps(prediction)).toEqual([300, 100]);
  expect(mixedMBps(prediction, 0.75)).toBeCloseTo(200);
});

test('EFS: a client has 500 MiB/s, however much is provisioned', () => {
  const storage = { kind: 'efs', servers: 0, devices: [], provisionedMBps: 3500 };
  const prediction = predict(storage, { hosts: 4, hostType: 'i4i.8xlarge' });
  expect(prediction.readMBps).toBeCloseTo(4 * 524.288);
  expect(names(prediction)).toEqual(['client-limit', 'client-limit']);
  expect(mixedMBps(predict(storage, { hosts: 40, hostType: 'i4i.8xlarge' }), 0)).toBeCloseTo(3500);
});

test('GFS2: all nodes have the same volumes, and each its own way to them', () => {
  const devices = [{ count: 1, type: 'io2', sizeGiB: 4000, iops: 15_259 }];
  const one = (hosts: number) =>
    predict({ kind: 'gfs2', servers: 0, devices }, { hosts, hostType: 'r5b.8xlarge' });
  expect([1, 2, 4].map((hosts) => mbps(one(hosts))[0])).toEqual([2500, 4000, 4000]);
});

test('hosts with volumes of their own add up', () => {
  const devices = [{ count: 1, type: 'io2', sizeGiB: 4000, iops: 5000 }];
  const load = { hosts: 3, hostType: 'r5b.4xlarge' };
  expect(mbps(predict({ kind: 'xfs', servers: 0, devices }, load))).toEqual([3750, 3750]);
});

test('volumes with credits are faster than what they deliver all day', () => {
  const storage = {
    kind: 'nfs',
    servers: 1,
    serverType: 'm6in.8xlarge',
    devices: [{ count: 1, type: 'st1', sizeGiB: 2048 }],
  };
  const speed = (credits: 'full' | 'spent') => mbps(predict(storage, { hosts: 8, credits }))[0];
  expect([speed('spent'), speed('full')]).toEqual([84, 524]);
});

test('what is not known is said, not guessed', () => {
  const unknown = predict({ ...OSS, serverType: 'x99.large' }, { hosts: 2, hostType: 'x99.large' });
  expect(mbps(unknown)).toEqual([9437, 9437]);
  expect(unknown.unknown).toHaveLength(2);
  const disks = predict(
    { kind: 'nfs', servers: 1, serverType: 'm5d.large', devices: [{ count: 1, type: 'instance-store' }] },
    LOAD,
  );
  expect(disks.unknown).toEqual(['What the disks of m5d.large deliver is not known.']);
  expect(predict({ kind: 'lustre', servers: 2, devices: [] }, { hosts: 1 })).toEqual({
    limits: [],
    binding: {},
    unknown: expect.arrayContaining(['What is behind this storage is not known.']),
  });
});

test('a read faster than a line on its way came from memory; faster than a disk may be luck', () => {
  const devices = [{ count: 1, type: 'st1', sizeGiB: 10_000 }];
  const storage = { kind: 'nfs', servers: 1, serverType: 'm4.4xlarge', devices };
  const prediction = predict(storage, { hosts: 8, hostType: 'c4.8xlarge', credits: 'full' });
  expect(cachedRead(431, prediction)?.name).toBe('ebs-bandwidth');
  expect(cachedRead(270, prediction)).toBeUndefined();
  const disk = {
    kind: 'nfs',
    servers: 1,
    serverType: 'd2.xlarge',
    devices: [{ count: 3, type: 'instance-store' }],
  };
  expect(cachedRead(400, predict(disk, { hosts: 8, hostType: 'c4.8xlarge' }))).toBeUndefined();
});

describe('against a demand', () => {
  const papers = {
    kind: 'lustre',
    servers: 3,
    serverType: 'c3.8xlarge',
    devices: [{ count: 8, type: 'gp2', sizeGiB: 750 }],
  };
  const load = { hosts: 4, hostType: 'i2.8xlarge' };

  test('says with numbers what is missing', () => {
    const verdict = compareWithDemand(papers, load, { cores: 64, mbpsPerCore: 50 });
    expect(verdict.enough).toBe(false);
    expect(verdict.text).toBe('3 servers give 1.5 GB/s = 23 MB/s per core for 64 cores; 50 needs 7.');
    expect(verdict.serversNeeded).toBe(7);
    const seven = compareWithDemand({ ...papers, servers: 7 }, load, { cores: 64, mbpsPerCore: 50 });
    expect(seven.enough).toBe(true);
  });

  test('says that more servers do not help where the hosts are the limit', () => {
    const verdict = compareWithDemand(papers, { ...load, hosts: 1 }, { cores: 16, mbpsPerCore: 90 });
    expect(verdict.serversNeeded).toBeUndefined();
    expect(verdict.text).toContain('more servers do not help (1 host x 1250 MB/s: network of i2.8xlarge)');
  });
});

const groups = fc.record({
  count: fc.integer({ min: 0, max: 24 }),
  type: fc.constantFrom('gp3', 'gp2', 'io2', 'st1', 'sc1', 'instance-store', 'nonsense'),
  sizeGiB: fc.option(fc.double({ min: 0, max: 65_536, noNaN: true }), { nil: undefined }),
  iops: fc.option(fc.integer({ min: 0, max: 256_000 }), { nil: undefined }),
  throughputMiBps: fc.option(fc.integer({ min: 0, max: 2000 }), { nil: undefined }),
});
const types = fc.constantFrom(
  'm6in.8xlarge',
  'i4i.large',
  'c3.8xlarge',
  'd2.xlarge',
  'm4.xlarge',
  'x99.large',
  undefined,
);
const storages = fc.record({
  kind: fc.constantFrom('lustre', 'nfs', 'xfs', 'gfs2', 'fsx-lustre', 'efs', 'nonsense'),
  servers: fc.integer({ min: 0, max: 500 }),
  serverType: types,
  devices: fc.array(groups, { maxLength: 3 }),
  provisionedMBps: fc.option(fc.double({ min: 0, max: 1e7, noNaN: true }), { nil: undefined }),
});
const loads = fc.record({
  hosts: fc.integer({ min: 0, max: 500 }),
  hostType: types,
  credits: fc.constantFrom('full', 'spent', undefined),
});

test('never NaN, never infinite, never negative', () => {
  const absurd = fc.oneof(fc.double(), fc.constantFrom(-1, 0, 1e300, Number.NaN));
  const anything = fc.record({
    servers: absurd,
    hosts: absurd,
    provisionedMBps: fc.option(absurd, { nil: undefined }),
  });
  fc.assert(
    fc.property(storages, loads, fc.option(anything, { nil: undefined }), (storage, load, odd) => {
      const {
        provisionedMBps = storage.provisionedMBps,
        servers = storage.servers,
        hosts = load.hosts,
      } = odd ?? {};
      const sane = (value: number) => Math.abs(value) < 1e290;
      fc.pre([provisionedMBps ?? 0, servers, hosts].every((one) => Number.isNaN(one) || sane(one)));
      const prediction = predict({ ...storage, servers, provisionedMBps }, { ...load, hosts });
      const numbers = [prediction.readMBps, prediction.writeMBps, mixedMBps(prediction, 0.5)];
      return numbers.every((one) => one === undefined || (Number.isFinite(one) && one >= 0));
    }),
    { seed: 7, numRuns: 500 },
  );
});

test('more servers never predict less, nor do more hosts', () => {
  const more = fc.integer({ min: 1, max: 100 });
  fc.assert(
    fc.property(storages, loads, more, (storage, load, plus) => {
      fc.pre(storage.servers > 0);
      const speed = (one: Prediction) => mixedMBps(one, 0.5) ?? 0;
      const now = speed(predict(storage, load));
      expect(speed(predict({ ...storage, servers: storage.servers + plus }, load))).toBeGreaterThanOrEqual(
        now,
      );
      expect(speed(predict(storage, { ...load, hosts: load.hosts + plus }))).toBeGreaterThanOrEqual(now);
    }),
    { seed: 7, numRuns: 500 },
  );
});
