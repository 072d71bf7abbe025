import { Duration } from 'aws-cdk-lib';
import { Schedule } from 'aws-cdk-lib/aws-events';
import {
  BenchmarkData,
  BenchmarkHosts,
  FioJob,
  MeasuredPath,
  type MeasuredPathProps,
  RemoteShell,
  type StorageBenchmarkProps,
  StorageTest,
} from '../../../constructs';
import fc from '../../helpers/fast-check';

type Optional<T> = { [key in keyof T]: T[key] | undefined };

/** Each key is there or not. */
const some = <T extends object>(
  model: { [key in keyof T]: fc.Arbitrary<T[key]> },
): fc.Arbitrary<Optional<T>> =>
  fc.record(
    Object.fromEntries(
      Object.entries<fc.Arbitrary<unknown>>(model).map(([key, value]) => [
        key,
        fc.option(value, { nil: undefined }),
      ]),
    ),
  ) as unknown as fc.Arbitrary<Optional<T>>;

const whole = (min: number, max: number) => fc.integer({ min, max });
const MOST_MIB = 64 * 1024 * 1024;
const minutes = (max: number) => whole(1, max).map((value) => Duration.minutes(value));

const directory = fc
  .array(fc.stringMatching(/^[A-Za-z0-9_][A-Za-z0-9._-]{0,8}$/), { minLength: 1, maxLength: 3 })
  .map((parts) => `/${parts.join('/')}`);

const storage = fc
  .record({
    kind: fc.constantFrom('lustre', 'nfs', 'xfs', 'gfs2', 'efs'),
    more: some({
      servers: whole(0, 1000),
      serverType: fc.constant('m6in.8xlarge'),
      provisionedMBps: whole(1, 1e6),
    }),
    devices: fc.array(
      fc
        .record({
          count: whole(1, 100),
          more: some({ sizeGiB: whole(1, 16_384), iops: whole(1, 256_000), throughputMiBps: whole(1, 4000) }),
        })
        .map(({ count, more }) => ({ count, type: 'gp3', ...more })),
      { maxLength: 2 },
    ),
  })
  .map(({ more, ...rest }) => ({ ...rest, ...more }));

const pathProps: fc.Arbitrary<MeasuredPathProps> = some({
  writeMBpsPerCore: whole(1, 100_000),
  readMBpsPerCore: whole(1, 100_000),
  judged: fc.boolean(),
  storage,
  user: fc.stringMatching(/^[a-z_][a-z0-9_-]{0,31}$/),
  keepFreePercent: whole(1, 90),
  mounted: fc.boolean(),
});

const path = (where: string): fc.Arbitrary<MeasuredPath> =>
  fc
    .tuple(fc.constantFrom(MeasuredPath.temporary, MeasuredPath.shared, MeasuredPath.io2), pathProps)
    .map(([make, props]) => make(where, props));

/** The least and the most of the numbers of each test, as their documentation has them. */
export const NUMBERS: Record<string, Record<string, [min: number, max: number]>> = {
  sasIo: { fileMiB: [1, MOST_MIB], processes: [1, 1024] },
  iozone: { fileMiB: [1, MOST_MIB], threads: [1, 256] },
  fio: { fileMiB: [1, MOST_MIB], processes: [1, 1024], seconds: [1, 86_400] },
  mixedSas: { inputMiB: [1, 1_048_576], streams: [1, 1024], jobs: [19, 10_000], scale: [1, 1000] },
  network: { seconds: [1, 3600], port: [1024, 65_535], streams: [1, 128] },
  rawDevice: { maxMiB: [1, MOST_MIB] },
  lustreServer: { seconds: [10, 86_400], mib: [16, 16_777_216] },
};

const numbers = (test: string): Record<string, fc.Arbitrary<number>> =>
  Object.fromEntries(Object.entries(NUMBERS[test]!).map(([key, range]) => [key, whole(...range)]));

function testOf(directories: string[]): fc.Arbitrary<StorageTest> {
  const timeout = minutes(48 * 60);
  const onPaths = { timeout, directories: fc.subarray(directories, { minLength: 1 }) };
  return fc.oneof(
    some({ ...numbers('sasIo'), ...onPaths, data: fc.constantFrom(...Object.values(BenchmarkData)) }).map(
      StorageTest.sasIo,
    ),
    some({
      ...numbers('iozone'),
      ...onPaths,
      remoteShell: fc.constantFrom(...Object.values(RemoteShell)),
    }).map(StorageTest.iozone),
    some({
      ...numbers('fio'),
      ...onPaths,
      jobs: fc.array(fc.constantFrom(...Object.values(FioJob)), { minLength: 1, maxLength: 5 }),
    }).map(StorageTest.fio),
    some({ ...numbers('mixedSas'), ...onPaths }).map(StorageTest.mixedSas),
    some({ ...numbers('network'), timeout, lnet: fc.boolean() }).map(StorageTest.network),
    some({ ...numbers('rawDevice'), timeout }).map(StorageTest.rawDevice),
    some({ ...numbers('lustreServer'), timeout }).map((props) =>
      StorageTest.lustreServer({ ...props, acceptRiskForDataOnTargets: true }),
    ),
  );
}

const types = fc.option(
  fc.array(fc.constantFrom('m6in.8xlarge', 'i4i.8xlarge'), { minLength: 1, maxLength: 3 }),
  {
    nil: undefined,
  },
);
const hosts = (tag: string) =>
  types.map((instanceTypes) => BenchmarkHosts.tagged(tag, 'yes', { instanceTypes }));

/** Properties that are right, each by itself and together. */
export const validProps: fc.Arbitrary<StorageBenchmarkProps> = fc
  .uniqueArray(directory, { minLength: 1, maxLength: 4 })
  .chain((directories) =>
    fc.record({
      hosts: hosts('host'),
      storageServers: hosts('server'),
      paths: fc.tuple(...directories.map(path)),
      tests: fc.option(fc.array(testOf(directories), { minLength: 1, maxLength: 5 }), { nil: undefined }),
      when: fc.constantFrom(
        {},
        { runAfterDeployment: true },
        { runAfterDeployment: true, gateDeployment: true },
      ),
      more: some({
        parallel: fc.boolean(),
        schedule: fc.constantFrom(
          Schedule.rate(Duration.days(7)),
          Schedule.expression('cron(0 3 ? * SUN *)'),
        ),
        hostsTimeout: minutes(60),
        benchmarkName: fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._/-]{0,99}$/),
        keepResults: whole(1, 36_500).map((value) => Duration.days(value)),
        busyGuard: some({ throughputMBps: whole(0, 100_000), processorPercent: whole(1, 100) }),
      }),
    }),
  )
  .map(({ when, more, ...rest }) => ({ ...rest, ...when, ...more }));
