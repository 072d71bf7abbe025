import { Lazy, Size } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { InstanceType } from 'aws-cdk-lib/aws-ec2';
import {
  EphemeralScratch,
  type EphemeralScratchProps,
  ScratchFileSystem,
} from '../../../constructs/ephemeral-scratch';
import { splitDisks } from '../../../constructs/ephemeral-scratch/layout';
import { HostBundle, HostRole } from '../../../constructs/host';
import { nagFindings, testStack } from '../../helpers/app';
import fc from '../../helpers/fast-check';

const make = (type: string, props: Partial<EphemeralScratchProps> = {}) =>
  new EphemeralScratch(testStack(), 'Scratch', { instanceType: new InstanceType(type), ...props });

/** What a host is told. */
const told = (scratch: EphemeralScratch) => {
  const bundle = new HostBundle();
  const addRole = jest.spyOn(bundle, 'addRole');
  scratch.configure(bundle);
  expect(addRole.mock.calls[0]![0]).toBe(HostRole.SCRATCH);
  return addRole.mock.calls[0]![1] as Record<string, string>;
};

describe('the split', () => {
  const parts = fc.record({
    saswork: fc.integer({ min: 1, max: 100 }),
    utilloc: fc.integer({ min: 1, max: 100 }),
  });
  const disks = fc.integer({ min: 3, max: 24 });

  test('uses every disk once and gives each area one at least', () => {
    fc.assert(
      fc.property(disks, parts, (count, ratio) => {
        const split = splitDisks(count, ratio);
        expect(split.saswork + split.utilloc).toBe(count);
        expect(split.saswork).toBeGreaterThanOrEqual(1);
        expect(split.utilloc).toBeGreaterThanOrEqual(1);
      }),
    );
  });

  test('is within one disk of the ratio, and within half of one where each area gets one anyway', () => {
    fc.assert(
      fc.property(disks, parts, (count, ratio) => {
        const wanted = (count * ratio.saswork) / (ratio.saswork + ratio.utilloc);
        expect(Math.abs(splitDisks(count, ratio).saswork - wanted)).toBeLessThan(1);
      }),
    );
  });

  test('never takes disks from an area because there are more of them', () => {
    fc.assert(
      fc.property(disks, parts, (count, ratio) => {
        const [fewer, more] = [splitDisks(count, ratio), splitDisks(count + 1, ratio)];
        expect(more.saswork).toBeGreaterThanOrEqual(fewer.saswork);
        expect(more.utilloc).toBeGreaterThanOrEqual(fewer.utilloc);
      }),
    );
  });

  test.each([
    [1, 1, 0],
    [2, 2, 0],
    [3, 2, 1],
    [4, 3, 1],
    [6, 4, 2],
    [8, 5, 3],
    [12, 8, 4],
    [16, 10, 6],
    [24, 15, 9],
  ])('%i disks: %i and %i', (count, saswork, utilloc) => {
    expect(splitDisks(count, { saswork: 5, utilloc: 3 })).toEqual({ saswork, utilloc });
  });
});

describe('the host is told', () => {
  test('the papers’ settings for 8 disks', () => {
    const scratch = make('i3en.24xlarge');
    expect(told(scratch)).toEqual({
      SASWORK_DISKS: '5',
      UTILLOC_DISKS: '3',
      LAYOUT: 'split',
      CHUNK_KIB: '256',
      READ_AHEAD_KIB: '8192',
      FILE_SYSTEM: 'xfs',
      SASWORK_PATH: '/saswork',
      UTILLOC_PATH: '/utilloc',
      SCHEDULER: 'none',
    });
    expect(scratch).toMatchObject({
      diskCount: 8,
      diskSizeGB: 7500,
      shared: false,
      sasworkCapacityGB: 37_500,
      utillocCapacityGB: 22_500,
      blockDevices: [],
    });
  });

  test('one array for one or two disks, and when UTILLOC gets no part', () => {
    const scratch = make('i4i.8xlarge');
    expect(told(scratch)).toMatchObject({ SASWORK_DISKS: '2', UTILLOC_DISKS: '0', LAYOUT: 'single' });
    expect(scratch).toMatchObject({ shared: true, sasworkCapacityGB: 7500, utillocCapacityGB: 7500 });
    const all = make('i3en.24xlarge', { split: { saswork: 1, utilloc: 0 } });
    expect(told(all)).toMatchObject({ SASWORK_DISKS: '8', UTILLOC_DISKS: '0', LAYOUT: 'single' });
  });

  test('what the user chose', () => {
    const scratch = make('i3en.24xlarge', {
      split: { saswork: 1, utilloc: 1 },
      chunk: Size.mebibytes(1),
      readAhead: Size.kibibytes(256),
      fileSystem: ScratchFileSystem.EXT4,
      sasworkPath: '/scratch/work',
      utillocPath: '/scratch/util',
    });
    expect(told(scratch)).toMatchObject({
      SASWORK_DISKS: '4',
      UTILLOC_DISKS: '4',
      CHUNK_KIB: '1024',
      READ_AHEAD_KIB: '256',
      FILE_SYSTEM: 'ext4',
      SASWORK_PATH: '/scratch/work',
      UTILLOC_PATH: '/scratch/util',
    });
  });

  test('disks of older types by their device, and the launch template to map them', () => {
    const scratch = make('i2.8xlarge');
    expect(told(scratch).DISK_DEVICES).toBe(
      '/dev/xvdb /dev/xvdc /dev/xvdd /dev/xvde /dev/xvdf /dev/xvdg /dev/xvdh /dev/xvdi',
    );
    expect(scratch.blockDevices).toHaveLength(8);
    expect(scratch.blockDevices[7]).toMatchObject({
      deviceName: '/dev/sdi',
      volume: { virtualName: 'ephemeral7' },
    });
    expect(make('d2.8xlarge').blockDevices[23]!.deviceName).toBe('/dev/sdy');
  });

  test('by a real bundle', () => {
    const bundle = new HostBundle();
    make('i3en.24xlarge').configure(bundle);
    expect(bundle.hasRole(HostRole.SCRATCH)).toBe(true);
  });
});

describe('bad input', () => {
  test.each<[string, string, Partial<EphemeralScratchProps>, RegExp[]]>([
    ['no disks', 'c4.8xlarge', {}, [/'c4.8xlarge'/, /such as .*\.8xlarge/, /choose one of these/]],
    ['nobody knows', 'z99.8xlarge', {}, [/'z99.8xlarge'/, /i4i\.8xlarge/, /instanceStore/]],
    [
      'no disk declared',
      'z99.large',
      { instanceStore: { count: 0, size: Size.gibibytes(1) } },
      [/count is 0/, /1 to 24/],
    ],
    [
      'a disk of no size',
      'z99.large',
      { instanceStore: { count: 1, size: Size.gibibytes(Number.NaN) } },
      [/instanceStore.size is 'NaN GB'/, /from 1 to 100000 GB/],
    ],
    [
      'a disk of a size that nobody knows',
      'z99.large',
      { instanceStore: { count: 1, size: Size.gibibytes(Lazy.number({ produce: () => 1 })) } },
      [/instanceStore.size is 'a token'/, /known at synthesis/],
    ],
    [
      'disks of which nobody knows how many',
      'z99.large',
      { instanceStore: { count: Lazy.number({ produce: () => 1 }), size: Size.gibibytes(900) } },
      [/instanceStore.count is 'a token'/, /known at synthesis/],
    ],
    [
      'parts that nobody knows',
      'i3en.24xlarge',
      { split: { saswork: Lazy.number({ produce: () => 1 }), utilloc: 1 } },
      [/split.saswork is 'a token'/, /known at synthesis/],
    ],
    [
      'a read-ahead that nobody knows',
      'i3en.24xlarge',
      { readAhead: Size.mebibytes(Lazy.number({ produce: () => 1 })) },
      [/readAhead is 'a token'/, /known at synthesis/],
    ],
    [
      'no part for SASWORK',
      'i3en.24xlarge',
      { split: { saswork: 0, utilloc: 3 } },
      [/split.saswork is 0/, /1 to 100/, /ratio/],
    ],
    [
      'odd chunk',
      'i3en.24xlarge',
      { chunk: Size.kibibytes(200) },
      [/chunk is '200 KiB'/, /power of two/, /256 KiB/],
    ],
    ['huge chunk', 'i3en.24xlarge', { chunk: Size.gibibytes(1) }, [/1048576 KiB/, /65536 KiB/]],
    [
      'read-ahead',
      'i3en.24xlarge',
      { readAhead: Size.gibibytes(2) },
      [/readAhead is '2097152 KiB'/, /8 MiB/],
    ],
    ['relative path', 'i3en.24xlarge', { sasworkPath: 'work' }, [/sasworkPath is 'work'/, /absolute/]],
    ['the root', 'i3en.24xlarge', { utillocPath: '/' }, [/utillocPath is '\/'/]],
    [
      'one inside the other',
      'i3en.24xlarge',
      { utillocPath: '/saswork/u' },
      [/'\/saswork\/u'/, /outside sasworkPath \/saswork/],
    ],
    [
      'the other way round',
      'i3en.24xlarge',
      { sasworkPath: '/utilloc/work' },
      [/outside sasworkPath \/utilloc\/work/],
    ],
    ['the same', 'i3en.24xlarge', { utillocPath: '/saswork' }, [/outside sasworkPath/]],
  ])('%s', (_, type, props, messages) => {
    for (const message of messages) expect(() => make(type, props)).toThrow(message);
  });

  test('a type that is a token has to name its disks', () => {
    const type = Lazy.string({ produce: () => 'i3en.24xlarge' });
    expect(() => make(type)).toThrow(/instanceStore/);
    const declared = { instanceStore: { count: 8, size: Size.gibibytes(6985) } };
    expect(make(type, declared)).toMatchObject({
      diskCount: 8,
      diskSizeGB: 7500,
      sasworkDisks: 5,
      blockDevices: [],
    });
  });
});

test('declared disks win over the table, and older ones are mapped', () => {
  const scratch = make('i3en.24xlarge', {
    instanceStore: { count: 4, size: Size.gibibytes(100), nvme: false },
  });
  expect(scratch.diskCount).toBe(4);
  expect(scratch.blockDevices).toHaveLength(4);
});

test('it makes no resource, and cdk-nag has nothing to say', () => {
  const stack = testStack();
  const instanceType = new InstanceType('i3en.24xlarge');
  new EphemeralScratch(stack, 'Scratch', { instanceType });
  expect(Template.fromStack(stack).toJSON().Resources).toBeUndefined();
  expect(nagFindings((scope) => void new EphemeralScratch(scope, 'Scratch', { instanceType }))).toEqual([]);
});
