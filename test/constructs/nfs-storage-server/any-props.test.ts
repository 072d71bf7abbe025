import { Duration, Size, Stack } from 'aws-cdk-lib';
import { EbsDeviceVolumeType, InstanceType, MachineImage } from 'aws-cdk-lib/aws-ec2';
import {
  DataLossOnFailure,
  GridNetwork,
  NfsPreset,
  NfsPresetName,
  NfsStorage,
  NfsStorageServer,
  type NfsStorageServerProps,
} from '../../../constructs';
import { testApp } from '../../helpers/app';
import fc from '../../helpers/fast-check';

const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });

// Mostly what is allowed, now and then what is not: else hardly any input would be accepted.
const mostly = <T>(good: fc.Arbitrary<T>, bad: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 14, arbitrary: good }, { weight: 1, arbitrary: bad });

const numbers = (max: number) => mostly(fc.integer({ min: 1, max }), fc.double({ min: -10, max: 1e6 }));

const sizes = mostly(
  fc.integer({ min: 125, max: 16_384 }).map((gibibytes) => Size.gibibytes(gibibytes)),
  fc.integer({ min: 0, max: 1e6 }).map((mebibytes) => Size.mebibytes(mebibytes)),
);

const volume = fc.record({
  volumeType: fc.constantFrom(EbsDeviceVolumeType.ST1, EbsDeviceVolumeType.GP3),
  size: sizes,
  iops: mostly(fc.constant(undefined), optional(numbers(90_000))),
  throughputMiBps: mostly(fc.constant(undefined), optional(numbers(3000))),
});

const instanceType = mostly(
  fc.constantFrom('m6in.large', 'm7i.48xlarge', 'm4.xlarge', 'i3en.large', 'd2.8xlarge').map(typeOf),
  fc.constantFrom('t3.large', 'x99.huge', '').map(typeOf),
);

function typeOf(name: string): InstanceType {
  return new InstanceType(name);
}

const ebs = fc
  .record({
    preset: optional(
      fc
        .constantFrom(...Object.values(NfsPresetName))
        .chain((name) => fc.constantFrom(NfsPreset.current(name), NfsPreset.papers2016(name))),
    ),
    volume: optional(volume),
    volumeCount: optional(numbers(8)),
    throughputMBps: optional(numbers(3000)),
    instanceType: optional(instanceType),
    backup: optional(
      fc.record({
        every: optional(mostly(fc.constantFrom(1, 6, 24), fc.nat(30)).map((hours) => Duration.hours(hours))),
        retention: optional(numbers(100).map((days) => Duration.minutes(Math.round(Math.abs(days) * 1440)))),
      }),
    ),
  })
  .map((props) => NfsStorage.ebs(props));

const local = fc
  .record({
    capacity: optional(sizes),
    throughputMBps: optional(numbers(3000)),
    instanceType: optional(instanceType),
    instanceStore: optional(fc.record({ count: numbers(24), size: sizes })),
    spot: optional(fc.record({ maxPriceUsd: optional(numbers(100)) })),
  })
  .map((props) =>
    NfsStorage.instanceStore({ ...props, dataLossOnFailure: DataLossOnFailure.acceptable('a test') }),
  );

const texts = (good: fc.Arbitrary<string>) => optional(mostly(good, fc.string({ maxLength: 80 })));

const anyProps: fc.Arbitrary<Partial<NfsStorageServerProps>> = fc.record({
  storage: optional(fc.oneof(local, local, ebs)),
  usePlacementGroup: fc.boolean(),
  hostName: texts(fc.constantFrom('a', 'storage-2')),
  domainName: texts(fc.constantFrom('corp', 'corp.internal')),
  exportName: texts(fc.constantFrom('a', 'A_b.c-d')),
  clientRanges: optional(
    fc.array(mostly(fc.constantFrom('10.0.0.0/8', '172.16.0.1/32'), fc.string()), { maxLength: 3 }),
  ),
  exportOptions: optional(
    fc.array(mostly(fc.constantFrom('ro', 'anonuid=0'), fc.string()), { maxLength: 2 }),
  ),
  nfsdThreads: optional(numbers(8192)),
  expectedClients: optional(numbers(64)),
  clientConnections: optional(numbers(16)),
  rootVolumeSize: optional(sizes),
  archive: optional(
    fc.record({
      every: optional(numbers(48).map((hours) => Duration.minutes(Math.round(Math.abs(hours) * 60)))),
      prefix: texts(fc.constantFrom('a', 'a/b.c')),
    }),
  ),
});

test('whatever is asked for is either synthesized or refused by an error that names value, range and fix', () => {
  const outcomes = { accepted: 0, refused: 0 };
  fc.assert(
    fc.property(anyProps, (props) => {
      const app = testApp();
      const stack = new Stack(app, 'Any');
      const network = new GridNetwork(stack, 'Network');
      const machineImage = MachineImage.genericLinux({ 'us-east-1': 'ami-0123456789abcdef0' });
      try {
        new NfsStorageServer(stack, 'Storage', { network, machineImage, ...props });
      } catch (error) {
        outcomes.refused += 1;
        expect((error as Error).name).toBe('InvalidInputError');
        expect((error as Error).message).toMatch(/ is [\s\S]*; allowed: .*\. \S/);
        return;
      }
      outcomes.accepted += 1;
      // The stack knows no region, so that images and zones stay tokens.
      expect(() => app.synth({ errorOnDuplicateSynth: false })).not.toThrow();
    }),
    { numRuns: 30, seed: 20261121 },
  );
  expect(outcomes.accepted).toBeGreaterThan(5);
  expect(outcomes.refused).toBeGreaterThan(5);
});
