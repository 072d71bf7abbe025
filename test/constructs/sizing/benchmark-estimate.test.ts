import {
  BENCHMARK_PRICE_SOURCES,
  type EstimatedTest,
  estimatedHost,
  estimateRun,
  estimateTest,
  expectedMBps,
  UNKNOWN_HOST,
} from '../../../constructs/sizing';
import fc from '../../helpers/fast-check';

const GIB = 2 ** 30;
const node = estimatedHost('m6in.8xlarge');

const sasIo = (more: Partial<EstimatedTest> = {}): EstimatedTest => ({
  id: 't',
  test: 'sas-io',
  parameters: { FileMiB: '0', Processes: '0', Data: 'zero' },
  path: { use: 'temporary' },
  waves: [[node]],
  ...more,
});

test('files without a size are twice the memory of the host, written once for each kind of data', () => {
  expect(node).toMatchObject({ cores: 16, memoryGiB: 128 });
  expect(estimateTest(sasIo())).toMatchObject({ bytesWritten: 256 * GIB, bytesRead: 256 * GIB });
  const both = sasIo({ parameters: { FileMiB: '0', Processes: '0', Data: 'both' } });
  expect(estimateTest(both).bytesWritten).toBe(512 * GIB);
  const sized = sasIo({ parameters: { FileMiB: '1024', Processes: '4', Data: 'zero' } });
  expect(estimateTest(sized).bytesWritten).toBe(4 * GIB);
});

test('it takes what storage takes that gives what is wanted, and a minute around it', () => {
  const [seconds] = estimateTest(sasIo()).waveSeconds;
  // 16 cores of 100 MB/s.
  expect(seconds).toBe(Math.ceil((2 * 256 * GIB) / 1e6 / 1600 + 60));
});

test('storage that has less than is wanted takes longer, and one that has more no less', () => {
  const lustre = (servers: number) => ({
    use: 'shared' as const,
    storage: {
      kind: 'lustre',
      servers,
      serverType: 'm6in.8xlarge',
      devices: [{ count: 8, type: 'gp3', sizeGiB: 750, throughputMiBps: 125 }],
    },
  });
  const hosts = Array.from({ length: 10 }, () => node);
  // Eight volumes of 125 MiB/s on each server.
  expect(expectedMBps(lustre(1), hosts)).toBeCloseTo((8 * 125 * 2 ** 20) / 1e6);
  expect(expectedMBps(lustre(3), hosts)).toBeCloseTo((3 * 8 * 125 * 2 ** 20) / 1e6);
  expect(expectedMBps(lustre(100), hosts)).toBe(10 * 16 * 50);
  const bought = {
    use: 'shared' as const,
    storage: { kind: 'fsx-lustre', servers: 0, devices: [], provisionedMBps: 500 },
  };
  expect(expectedMBps(bought, hosts)).toBe(500);
  const device = { count: 1, type: 'io2', iops: 4000 };
  const io2 = (kind: string) => ({ use: 'io2' as const, storage: { kind, servers: 0, devices: [device] } });
  // The hosts of a cluster share the volumes.
  expect(expectedMBps(io2('gfs2'), hosts)).toBeCloseTo(4000 * 0.262144);
  expect(expectedMBps(io2('xfs'), [node, node])).toBeCloseTo(2 * 4000 * 0.262144);
});

test('waves come one after the other', () => {
  const together = estimateRun([sasIo({ waves: [[node, node]] })]);
  const apart = estimateRun([sasIo({ waves: [[node], [node]] })]);
  expect(apart.bytesWritten).toBe(together.bytesWritten);
  expect(apart.seconds - 180).toBe(2 * (together.seconds - 180));
});

test('what a run costs is small change, unless the file system bills by the byte', () => {
  const { costUSD, items } = estimateRun([sasIo()]);
  expect(costUSD).toBeGreaterThan(0.005);
  expect(costUSD).toBeLessThan(0.1);
  expect(items.reduce((sum, item) => sum + item.costUSD, 0)).toBeCloseTo(costUSD, 3);
  const efs = estimateRun([
    sasIo({ path: { use: 'shared', storage: { kind: 'efs', servers: 0, devices: [] } } }),
  ]);
  // 275 GB written for 0.06 USD each, and read for 0.03.
  expect(efs.costUSD - costUSD).toBeCloseTo(275 * 0.09, -1);
  expect(efs.items.at(-1)!.what).toMatch(/^EFS, 275 GB written/);
});

test('a type that is in no table is taken for a middling one', () => {
  expect(estimatedHost('x99.metal')).toEqual(UNKNOWN_HOST);
});

describe('tests of the servers themselves', () => {
  const gp3 = { count: 8, type: 'gp3', sizeGiB: 750, throughputMiBps: 125 };
  const oss = estimatedHost('m6in.8xlarge', [gp3]);
  const raw = (waves: EstimatedTest['waves'], MaxMiB = '4096') =>
    estimateTest({ id: 't', test: 'raw-device', parameters: { MaxMiB }, waves });

  test('read every disk of every server, and no more than a disk has', () => {
    expect(raw([[oss]]).bytesRead).toBe(8 * 4 * GIB);
    expect(raw([[oss, oss, oss]]).bytesRead).toBe(3 * 8 * 4 * GIB);
    expect(raw([[oss]], '1000000').bytesRead).toBe(8 * 750 * GIB);
    // The disks that the type has itself: i4i.8xlarge has two.
    expect(raw([[estimatedHost('i4i.8xlarge', [])]]).bytesRead).toBe(2 * 4 * GIB);
    expect(raw([[estimatedHost('i4i.8xlarge', [{ count: 3 }])]]).bytesRead).toBe(5 * 4 * GIB);
    // Nothing is known of the volumes; nothing is there.
    expect(raw([[node]]).bytesRead).toBe(4 * GIB);
    expect(raw([[estimatedHost('m6in.8xlarge', [])]]).bytesRead).toBe(0);
  });

  test('write each target of a Lustre server twice and read it once', () => {
    const survey = (servers: EstimatedTest['waves']) =>
      estimateTest({ id: 't', test: 'lustre-server', parameters: { MiB: '1024' }, waves: servers });
    expect(survey([[oss, oss]])).toMatchObject({
      bytesWritten: 2 * 2 * 8 * GIB,
      bytesRead: 2 * 8 * GIB,
    });
    expect(survey([[node]])).toMatchObject({ bytesWritten: 2 * GIB, bytesRead: GIB });
    expect(survey([[oss]]).waveSeconds[0]!).toBeGreaterThan(survey([[node]]).waveSeconds[0]!);
  });

  test('last as long as the slowest server, at what its volumes and the way to them give', () => {
    const seconds = (mbps: number) => Math.ceil(30 + 60 + (8 * 4 * GIB) / 1e6 / mbps);
    // Eight volumes of 125 MiB/s.
    expect(raw([[oss]]).waveSeconds).toEqual([seconds(8 * 125 * 1.048576)]);
    // Servers do not wait for each other.
    expect(raw([[oss, oss, oss]]).waveSeconds).toEqual(raw([[oss]]).waveSeconds);
    expect(raw([[oss], [oss]]).waveSeconds).toHaveLength(2);
    const slow = estimatedHost('m6in.8xlarge', [{ count: 8, type: 'st1', sizeGiB: 500 }]);
    expect(raw([[oss, slow]]).waveSeconds).toEqual(raw([[slow]]).waveSeconds);
    expect(raw([[slow]]).waveSeconds[0]!).toBeGreaterThan(raw([[oss]]).waveSeconds[0]!);
    // A narrow way to the volumes; the types' own are in the tables.
    const fast = { count: 8, type: 'gp3', throughputMiBps: 1000 };
    expect(raw([[{ ...oss, ebsMBps: 80 }]]).waveSeconds).toEqual([seconds(80)]);
    expect(oss.ebsMBps).toBeGreaterThan(1000);
    // No more than is wanted is expected: 16 cores.
    expect(raw([[estimatedHost('m6in.8xlarge', [fast])]]).waveSeconds).toEqual([seconds(1600)]);
  });

  test('cost what their time costs', () => {
    const run = (host: typeof oss) =>
      estimateRun([{ id: 't', test: 'raw-device', parameters: { MaxMiB: '1000000' }, waves: [[host]] }]);
    const one = estimatedHost('m6in.8xlarge', [{ ...gp3, count: 1 }]);
    const [eight, alone] = [run({ ...oss, ebsMBps: 100 }), run({ ...one, ebsMBps: 100 })];
    expect(eight.seconds).toBeGreaterThan(7 * alone.seconds);
    expect(eight.costUSD).toBeGreaterThan(alone.costUSD);
  });
});

test('every test has an estimate, and larger files never take less', () => {
  const names = [
    'sas-io',
    'iozone',
    'fio',
    'mixed-sas',
    'network',
    'raw-device',
    'lustre-server',
    'tomorrow',
  ];
  const size = fc.integer({ min: 1, max: 1_000_000 });
  fc.assert(
    fc.property(fc.constantFrom(...names), size, size, (test, a, b) => {
      const of = (mib: number) =>
        estimateRun([
          sasIo({
            test,
            parameters: {
              FileMiB: String(mib),
              InputMiB: String(mib),
              MaxMiB: String(mib),
              MiB: String(mib),
            },
          }),
        ]);
      const [small, large] = [of(Math.min(a, b)), of(Math.max(a, b))];
      expect(Number.isFinite(small.seconds) && small.seconds > 0).toBe(true);
      expect(large.seconds).toBeGreaterThanOrEqual(small.seconds);
      expect(large.bytesWritten).toBeGreaterThanOrEqual(small.bytesWritten);
    }),
  );
});

test('prices have sources with days', () => {
  for (const { reference, checked } of BENCHMARK_PRICE_SOURCES) {
    expect(reference).toMatch(/^https:\/\/aws.amazon.com\//);
    expect(checked).toMatch(/^\d{4}-\d\d-\d\d$/);
  }
});
