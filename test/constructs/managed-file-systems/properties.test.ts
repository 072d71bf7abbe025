import { Duration, Size } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import {
  EfsThroughput,
  ExistingLustre,
  ExistingNfs,
  FileSystemAccess,
  FsxLustreStorage,
  FsxReadCache,
  HostBundle,
  type ISharedFileSystem,
  MountTarget,
  OntapDeployment,
  OntapTiering,
  OpenZfsDeployment,
} from '../../../constructs';
import { testApp } from '../../helpers/app';
import fc from '../../helpers/fast-check';
import { efs, lustre, ontap, openZfs, place } from './stack';

// Synthesis of one template takes longer than hundreds of constructs, so that all accepted ones stand in one.
const at = place(testApp({ '@aws-cdk/core:stackResourceLimit': 0 }));

/** How often input was accepted and refused. */
const seen: { [kind: string]: { accepted: number; refused: number } } = {};

/** Builds, mounts, and takes nothing for an error but ours. */
function accepts(kind: string, build: () => ISharedFileSystem): void {
  seen[kind] ??= { accepted: 0, refused: 0 };
  const made = at.stack.node.children.length;
  try {
    const fileSystem = build();
    const host = new MountTarget({ host: at.network.gridSecurityGroup, hostBundle: new HostBundle() });
    fileSystem.mountOn(host, { mountPoint: '/sasdata' });
    seen[kind].accepted++;
  } catch (error) {
    expect(error).toMatchObject({ name: 'InvalidInputError' });
    expect((error as Error).message).toMatch(/ is .*; allowed: .+\. .+/s);
    seen[kind].refused++;
    // What is half made is not deployed.
    for (const child of at.stack.node.children.slice(made)) at.stack.node.tryRemoveChild(child.node.id);
  }
}

const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 2 });
const odd = fc.oneof(fc.integer({ min: -1, max: 1_100_000 }), fc.double({ noNaN: false, min: -1, max: 1e6 }));
/**
 * What is right in itself, and now and then something else, so that a whole set of properties is right often enough.
 */
const mostly = <T>(right: T[], ...others: fc.Arbitrary<T>[]) =>
  fc.oneof(
    { weight: 19 * others.length, arbitrary: fc.constantFrom(...right) },
    ...others.map((arbitrary) => ({ weight: 1, arbitrary })),
  );
const numbers = (...values: number[]) => mostly(values, odd);
const size = (values: number[]) =>
  mostly(
    values.map((value) => Size.gibibytes(value)),
    fc.integer({ min: 0, max: 2_000_000 }).map((value) => Size.mebibytes(value)),
  );
const text = (...right: string[]) =>
  mostly(right, fc.string({ maxLength: 12 }), fc.constantFrom('a/b', 'a.b', '', '$(x)', '../x'));
const schedule = {
  backupRetention: maybe(
    mostly([Duration.days(1), Duration.days(90)], fc.constantFrom(Duration.hours(5), Duration.days(91))),
  ),
  dailyBackupStart: maybe(mostly(['03:30'], fc.constantFrom('24:00', '3:30'))),
  weeklyMaintenanceStart: maybe(mostly(['1:00:00'], fc.constantFrom('0:00:00', 'noon'))),
};

test('FSx for Lustre on SSD', () => {
  const arbitrary = fc.record({
    capacity: size([1200, 2400, 4800, 93_600]),
    throughputPerTiB: numbers(125, 250, 500, 1000),
    metadataIops: maybe(mostly([1500, 12_000, 192_000], fc.constantFrom(1501, 204_000))),
    copyTagsToBackups: maybe(fc.boolean()),
    noBackups: maybe(fc.constant({ backupRetention: Duration.days(0), dailyBackupStart: undefined })),
    schedule: fc.record(schedule),
  });
  fc.assert(
    fc.property(arbitrary, ({ schedule: times, copyTagsToBackups, noBackups, ...ssd }) =>
      accepts('lustre', () => {
        const storage = FsxLustreStorage.ssd(ssd);
        return lustre({ ...times, ...noBackups, copyTagsToBackups, storage }, at).fileSystem;
      }),
    ),
  );
});

test('FSx for Lustre Intelligent-Tiering', () => {
  const cache = fc.oneof(
    fc.constantFrom(0, 32, 64, 131_072).map((gib) => () => FsxReadCache.ofSize(Size.gibibytes(gib))),
    fc.constantFrom(
      () => FsxReadCache.none(),
      () => FsxReadCache.proportional(),
    ),
  );
  const arbitrary = fc.record({
    throughputMBps: numbers(4000, 8000, 2_000_000),
    metadataIops: maybe(numbers(6000, 12_000)),
    readCache: maybe(cache),
  });
  fc.assert(
    fc.property(arbitrary, ({ readCache, ...rest }) =>
      accepts('tiering', () => {
        const storage = FsxLustreStorage.intelligentTiering({ ...rest, readCache: readCache?.() });
        return lustre({ storage }, at).fileSystem;
      }),
    ),
  );
});

test('FSx for OpenZFS', () => {
  const arbitrary = fc.record({
    capacity: size([64, 1024, 524_288]),
    throughputMBps: mostly([160, 2560, 10_240], fc.constantFrom(64, 1024), odd),
    deployment: maybe(fc.constantFrom(OpenZfsDeployment.SINGLE_AZ_2, OpenZfsDeployment.SINGLE_AZ_HA_2)),
    volumeName: maybe(text('sasdata', 'a_1')),
    recordSize: maybe(
      mostly([4, 128, 1024], fc.integer({ min: 0, max: 2048 })).map((kib) => Size.kibibytes(kib)),
    ),
    clientRanges: maybe(
      fc.array(mostly(['10.0.0.0/16'], fc.constantFrom('10.0.0.1/16', '0.0.0.0/0')), { maxLength: 3 }),
    ),
    connections: maybe(numbers(1, 16)),
    schedule: fc.record(schedule),
  });
  fc.assert(
    fc.property(arbitrary, ({ schedule: times, ...props }) =>
      accepts('openzfs', () => openZfs({ ...times, ...props }, at).fileSystem),
    ),
  );
});

test('FSx for ONTAP', () => {
  const arbitrary = fc.record({
    capacity: size([12_288, 524_288]),
    throughputMBpsPerPair: mostly([1536, 3072, 6144], fc.constant(128), odd),
    haPairs: maybe(numbers(1, 2, 12)),
    deployment: maybe(
      mostly([OntapDeployment.SINGLE_AZ_2], fc.constantFrom(...Object.values(OntapDeployment))),
    ),
    volumeName: maybe(text('sasdata', 'a_1')),
    volumeSize: maybe(size([10_000, 12_288])),
    tiering: fc.constantFrom(...Object.values(OntapTiering)),
    coolingDays: maybe(numbers(2, 183)),
    connections: maybe(numbers(1, 16)),
  });
  fc.assert(fc.property(arbitrary, (props) => accepts('ontap', () => ontap(props, at).fileSystem)));
});

test('EFS', () => {
  const throughput = maybe(
    fc.oneof(
      fc.constantFrom(0, 1, 1024, 3414, 4000).map((rate) => EfsThroughput.provisioned(rate)),
      fc.constantFrom(EfsThroughput.bursting()),
    ),
  );
  const arbitrary = fc.record({ throughput, oneZone: maybe(fc.boolean()), backups: maybe(fc.boolean()) });
  fc.assert(fc.property(arbitrary, (props) => accepts('efs', () => efs(props, at).fileSystem)));
});

test('file systems that exist already', () => {
  const arbitrary = fc.record({
    mgsNid: text('10.0.0.1@tcp', 'a.example.com@tcp1:10.0.0.1@o2ib'),
    fileSystemName: text('sasdata', 'a-1'),
    server: text('10.0.0.1', 'a.example.com'),
    exportPath: text('/', '/export/sas'),
    connections: maybe(numbers(1, 16)),
    mountOptions: maybe(
      fc.array(mostly(['nosuid', 'acregmin=5'], fc.constantFrom('soft', 'a,b')), { maxLength: 2 }),
    ),
    range: maybe(mostly(['10.0.0.0/8', '10.20.0.0/16'], fc.constantFrom('10.0.0.0/33', 'anything'))),
  });
  let count = 0;
  fc.assert(
    fc.property(arbitrary, ({ mgsNid, fileSystemName, range, ...nfs }) => {
      const open = () => (range === undefined ? undefined : FileSystemAccess.fromRange(range));
      count++;
      accepts('existing lustre', () => {
        const props = { mgsNid, fileSystemName, access: open() };
        return new ExistingLustre(at.stack, `ExistingLustre${count}`, props);
      });
      accepts(
        'existing nfs',
        () => new ExistingNfs(at.stack, `ExistingNfs${count}`, { ...nfs, access: open() }),
      );
    }),
  );
});

test('all that was accepted synthesizes, and something of each kind was accepted and refused', () => {
  const template = Template.fromStack(at.stack);
  const of = (kind: string) => seen[kind]!.accepted;
  const fsx = ['lustre', 'tiering', 'openzfs', 'ontap'].reduce((sum, kind) => sum + of(kind), 0);
  template.resourceCountIs('AWS::FSx::FileSystem', fsx);
  template.resourceCountIs('AWS::FSx::Volume', of('openzfs') + of('ontap'));
  template.resourceCountIs('AWS::EFS::FileSystem', of('efs'));
  for (const [kind, { accepted, refused }] of Object.entries(seen)) {
    expect({ kind, both: accepted > 0 && refused > 0 }).toEqual({ kind, both: true });
  }
});
