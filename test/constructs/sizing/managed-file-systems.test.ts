import {
  FSX_LUSTRE,
  FSX_ONTAP,
  FSX_OPENZFS,
  fsxLustreCacheProblems,
  fsxLustreCapacityFor,
  fsxLustreCapacityProblems,
  fsxLustreMetadataProblems,
  fsxOntapCapacityProblems,
  MANAGED_FILE_SYSTEM_SOURCES,
} from '../../../constructs/sizing';
import fc from '../../helpers/fast-check';

test.each([1200, 2400, 4800, 100_800])('FSx for Lustre has a capacity of %i GiB', (capacity) => {
  expect(fsxLustreCapacityProblems(capacity)).toEqual([]);
  expect(fsxLustreCapacityFor(capacity)).toBe(capacity);
});

test.each([0, -2400, 1, 1201, 3600, 2400.5, Number.NaN, Number.POSITIVE_INFINITY])(
  'and none of %s GiB',
  (capacity) => {
    expect(fsxLustreCapacityProblems(capacity)).toHaveLength(1);
  },
);

test('the next capacity is there, holds what was asked for, and no smaller one does', () => {
  fc.assert(
    fc.property(fc.double({ min: 0.1, max: 1e6, noNaN: true }), (wanted) => {
      const next = fsxLustreCapacityFor(wanted);
      expect(fsxLustreCapacityProblems(next)).toEqual([]);
      expect(next).toBeGreaterThanOrEqual(wanted);
      const before = next <= 2400 ? 1200 : next - 2400;
      if (next > 1200) expect(before).toBeLessThan(wanted);
    }),
  );
});

test.each([1500, 3000, 6000, 12_000, 24_000, 192_000])('it has %i metadata IOPS', (iops) => {
  expect(fsxLustreMetadataProblems(iops)).toEqual([]);
});

test.each([0, 1499, 9000, 18_000, 204_000, Number.NaN])('and never %s', (iops) => {
  expect(fsxLustreMetadataProblems(iops)).toHaveLength(1);
});

test('a read cache is 32 GiB to 128 TiB for every 4000 MB/s', () => {
  for (const size of [64, 262_144]) expect(fsxLustreCacheProblems(size, 8000)).toEqual([]);
  for (const size of [63, 262_145, 100.5]) expect(fsxLustreCacheProblems(size, 8000)).toHaveLength(1);
});

test('ONTAP has 1 to 512 TiB for each pair, and 1 PiB at most; in the first generation 192 TiB', () => {
  for (const [size, pairs, deployment] of [
    [1024, 1, 'SINGLE_AZ_2'],
    [524_288, 1, 'MULTI_AZ_2'],
    [12_288, 12, 'SINGLE_AZ_2'],
    [1_048_576, 12, 'SINGLE_AZ_2'],
    [196_608, 1, 'MULTI_AZ_1'],
  ] as const) {
    expect(fsxOntapCapacityProblems(size, pairs, deployment)).toEqual([]);
  }
  for (const [size, pairs, deployment] of [
    [1023, 1, 'SINGLE_AZ_1'],
    [524_289, 1, 'SINGLE_AZ_2'],
    [12_287, 12, 'SINGLE_AZ_2'],
    [1_048_577, 12, 'SINGLE_AZ_2'],
    [196_609, 1, 'SINGLE_AZ_1'],
  ] as const) {
    expect(fsxOntapCapacityProblems(size, pairs, deployment)).toHaveLength(1);
  }
});

test('every list is in order, and every table has a source with a day', () => {
  const lists = [
    FSX_LUSTRE.throughputTiers,
    FSX_LUSTRE.ssdMetadataIops,
    ...Object.values(FSX_OPENZFS.throughputMBps),
    ...Object.values(FSX_ONTAP.deployments).map(({ throughputMBps }) => throughputMBps),
  ];
  for (const list of lists) expect([...list].sort((a, b) => a - b)).toEqual([...list]);
  for (const { checked, reference } of MANAGED_FILE_SYSTEM_SOURCES) {
    expect(checked).toMatch(/^20\d\d-\d\d-\d\d$/);
    expect(reference).toMatch(/^https:\/\/(docs\.(aws\.amazon|netapp)\.com|pub\.dev)\//);
  }
});
