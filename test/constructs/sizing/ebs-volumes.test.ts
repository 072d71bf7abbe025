import { EBS_VOLUME_SOURCES, ebsVolumeLimits, ebsVolumeProblems } from '../../../constructs/sizing';
import fc from '../../helpers/fast-check';

const TYPES = ['gp2', 'gp3', 'io1', 'io2', 'st1', 'sc1'];

test.each([
  ['the papers’ volume', { type: 'gp2', sizeGiB: 750 }],
  ['gp3 as it comes', { type: 'gp3', sizeGiB: 1 }],
  ['gp3 at its limits', { type: 'gp3', sizeGiB: 65_536, iops: 80_000, throughputMiBps: 2000 }],
  ['io2 Block Express at its limits', { type: 'io2', sizeGiB: 65_536, iops: 256_000 }],
  ['io2 with 1000 IOPS per GiB', { type: 'io2', sizeGiB: 5, iops: 5000 }],
  ['the papers’ st1', { type: 'st1', sizeGiB: 15_000 }],
  ['an unknown size', { type: 'gp3', iops: 16_000 }],
])('%s is fine', (_, spec) => {
  expect(ebsVolumeProblems(spec)).toEqual([]);
});

test.each([
  [{ type: 'gp4', sizeGiB: 1 }, 'volume type', 'gp4', /gp2, gp3, io1/, /Choose/],
  [{ type: 'st1', sizeGiB: 100 }, 'size of a st1 volume', 100, /125 to 16384/, /gp2, gp3, io1, io2/],
  [{ type: 'gp2', sizeGiB: 20_000 }, 'size of a gp2 volume', 20_000, /1 to 16384/, /gp3, io2/],
  [{ type: 'gp3', sizeGiB: 1.5 }, 'size', 1.5, /whole number/, /Change/],
  [{ type: 'gp3', sizeGiB: 100, iops: 2999 }, 'IOPS', 2999, /3000 to 80000/, /more volumes/],
  [{ type: 'gp3', sizeGiB: 10, iops: 6000 }, 'IOPS', 6000, /at most 5000/, /at least 12 GiB/],
  [{ type: 'io2', sizeGiB: 100 }, 'IOPS', undefined, /100 to 256000/, /Give the IOPS/],
  [{ type: 'io1', sizeGiB: 100, iops: 5001 }, 'IOPS', 5001, /at most 5000/, /at least 101 GiB/],
  [{ type: 'gp2', sizeGiB: 100, iops: 3000 }, 'IOPS', 3000, /none/, /gp3, io1 and io2/],
  [{ type: 'gp3', sizeGiB: 100, throughputMiBps: 1000 }, 'throughput', 1000, /at most 750/, /4000 IOPS/],
  [{ type: 'gp3', sizeGiB: 100, throughputMiBps: 2001 }, 'throughput', 2001, /125 to 2000/, /more volumes/],
  [{ type: 'io2', sizeGiB: 100, iops: 3000, throughputMiBps: 500 }, 'throughput', 500, /none/, /only gp3/],
])('%j is refused with the value, the range and a fix', (spec, what, value, allowed, fix) => {
  const [problem, ...others] = ebsVolumeProblems(spec);
  expect(others).toEqual([]);
  expect(problem!.what).toContain(what);
  expect(problem!.value).toBe(value);
  expect(problem!.allowed).toMatch(allowed);
  expect(problem!.fix).toMatch(fix);
});

test('what a problem names as the way out is accepted', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('gp3', 'io1', 'io2'),
      fc.integer({ min: 4, max: 16_384 }),
      fc.integer({ min: 3000, max: 64_000 }),
      (type, sizeGiB, iops) => {
        const [problem] = ebsVolumeProblems({ type, sizeGiB, iops });
        const larger = Number(/at least (\d+) GiB/.exec(problem?.fix ?? '')?.[1] ?? sizeGiB);
        expect(ebsVolumeProblems({ type, sizeGiB: larger, iops })).toEqual([]);
      },
    ),
  );
});

test('every type has limits with a source', () => {
  for (const type of TYPES)
    expect(ebsVolumeLimits(type)!.maxSizeGiB).toBeGreaterThan(ebsVolumeLimits(type)!.minSizeGiB);
  for (const { checked, reference } of EBS_VOLUME_SOURCES) {
    expect(checked).toMatch(/^20\d\d-\d\d-\d\d$/);
    expect(reference).toMatch(/^https:/);
  }
});
