import { Duration, Fn, Lazy, Size } from 'aws-cdk-lib';
import { EbsDeviceVolumeType, InstanceType } from 'aws-cdk-lib/aws-ec2';
import type { SlotVolume } from '../../constructs/volume-reattachment';
import fc from './fast-check';

/** Nothing, or what it is about. */
export const maybe = <T>(what: fc.Arbitrary<T>) => fc.option(what, { nil: undefined });

/** Whatever a number can be. */
export const anyNumber = fc.oneof(
  fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, -1, 0, 0.5, 1, 65_535, 65_536, 1e21),
  fc.integer({ min: -10, max: 300 }),
  fc.constant(undefined).map(() => Lazy.number({ produce: () => 3 })),
);

/** Whatever a text can be. */
export const anyText = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    '/',
    '.',
    '..',
    '-',
    '*',
    "it's",
    '"',
    '$(id)',
    'a\nb',
    'a\u0000b',
    'é',
    'x'.repeat(300),
  ),
  fc.string({ maxLength: 20 }),
  fc.constant(undefined).map(() => Lazy.string({ produce: () => 'later' })),
);

/** Whatever a path can be. */
export const anyPath = fc.oneof(
  anyText,
  fc.constantFrom(
    '/a',
    '/a/b',
    '/a/../b',
    '/a//b',
    '/a/',
    'a/b',
    '/saswork',
    '/utilloc',
    '/saswork/x',
    '/a b',
    '/é',
  ),
);

/** Whatever a size can be. */
export const anySize = fc.oneof(
  fc
    .tuple(
      fc.constantFrom(Size.bytes, Size.kibibytes, Size.mebibytes, Size.gibibytes, Size.tebibytes),
      fc.constantFrom(0, 0.3, 1, 3, 64, 1500, 65_536, 1e9, Number.NaN, Number.POSITIVE_INFINITY),
    )
    .map(([of, amount]) => of(amount)),
  fc.constantFrom(Size.mebibytes, Size.gibibytes).map((of) => of(Lazy.number({ produce: () => 100 }))),
);

/** Whatever a duration can be. */
export const anyDuration = fc.oneof(
  fc
    .tuple(
      fc.constantFrom(Duration.millis, Duration.seconds, Duration.minutes, Duration.hours, Duration.days),
      fc.constantFrom(0, 0.3, 1, 5, 7, 90, 1500, 1e9, Number.NaN, Number.POSITIVE_INFINITY),
    )
    .map(([of, amount]) => of(amount)),
  fc.constantFrom(Duration.seconds, Duration.minutes).map((of) => of(Lazy.number({ produce: () => 600 }))),
);

/** Whatever an instance type can be. */
export const anyInstanceType = fc.oneof(
  fc
    .constantFrom(
      'banana',
      '',
      'm5',
      '.',
      'x.y',
      't3.large',
      'i2.8xlarge',
      'c7gd.4xlarge',
      'M6IN.8XLARGE',
      'i9.16xlarge',
    )
    .map((name) => new InstanceType(name)),
  fc.constant(undefined).map(() => new InstanceType(Lazy.string({ produce: () => 'm6in.8xlarge' }))),
);

/** Whatever an IPv4 address can be. */
export const anyAddress = fc.oneof(
  anyText,
  fc.ipV4(),
  fc.constantFrom('172.16.4.20', '172.16.4.020', '172.16.4.0', '172.16.4.255', '::1', '172.16.4', '0.0.0.0'),
);

/** Whatever a range can be. */
export const anyCidr = fc.oneof(
  anyText,
  fc.tuple(fc.ipV4(), fc.integer({ min: 0, max: 33 })).map(([address, prefix]) => `${address}/${prefix}`),
  fc.constantFrom(
    '10.0.0.0/8',
    '010.0.0.0/8',
    '10.0.0.0/08',
    '0.0.0.0/0',
    '0.0.0.0/1',
    '::/0',
    '10.0.0.0/33',
    '10.0.0.0',
  ),
  fc.constantFrom(
    '172.16.0.0/28',
    '172.16.4.0/28',
    '172.16.0.0/16',
    '172.16.8.0/22',
    '172.16.4.64/30',
    '172.16.4.1/32',
  ),
);

/** A list of whatever it is about, or one that nobody knows yet. */
export const anyList = (item: fc.Arbitrary<string>) =>
  fc.oneof(
    fc.array(item, { maxLength: 4 }),
    item.map((one) => [one, one]),
    fc.constant(undefined).map(() => Fn.split(',', Fn.importValue('Names'))),
    fc.constant(undefined).map(() => Lazy.list({ produce: () => ['later'] })),
  );

/** A name of a root device. */
export const rootDevice = fc.constantFrom('/dev/sda1', '/dev/xvda');

/** Whatever a volume can be. */
export const anyVolume: fc.Arbitrary<SlotVolume> = fc.record({
  volumeType: fc.constantFrom(...Object.values(EbsDeviceVolumeType)),
  size: fc.oneof(anySize, fc.constant(Size.gibibytes(500))),
  iops: maybe(fc.oneof(anyNumber, fc.constant(3000))),
  throughputMiBps: maybe(fc.oneof(anyNumber, fc.constant(125))),
});

/** A volume that EBS takes. */
export const volume: fc.Arbitrary<SlotVolume> = fc.oneof(
  fc
    .record({ gibibytes: fc.integer({ min: 20, max: 65_536 }), iops: fc.integer({ min: 3000, max: 10_000 }) })
    .map(({ gibibytes, iops }) => ({
      volumeType: EbsDeviceVolumeType.GP3,
      size: Size.gibibytes(gibibytes),
      iops,
      throughputMiBps: Math.floor(iops / 4 / 5),
    })),
  fc.integer({ min: 1, max: 16_384 }).map((gibibytes) => ({
    volumeType: EbsDeviceVolumeType.GP2,
    size: Size.gibibytes(gibibytes),
  })),
  fc.integer({ min: 4, max: 16_384 }).map((gibibytes) => ({
    volumeType: EbsDeviceVolumeType.IO2,
    size: Size.gibibytes(gibibytes),
    iops: 100,
  })),
);
