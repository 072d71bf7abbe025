import {
  ebsVolumeProblems,
  IO2_VOLUME_MBPS,
  instanceTypeFacts,
  io2Iops,
  io2Layout,
  io2MonthlyUsd,
} from '../../../constructs/sizing';
import fc from '../../helpers/fast-check';

// Paper 004: EBS throughput of R5b in MB/s, and what follows for the volumes.
const R5B: [string, number, number, number][] = [
  ['large', 1250, 1, 4769],
  ['xlarge', 1250, 1, 4769],
  ['2xlarge', 1250, 1, 4769],
  ['4xlarge', 1250, 1, 4769],
  ['8xlarge', 2500, 1, 9537],
  ['12xlarge', 3750, 1, 14_306],
  ['16xlarge', 5000, 2, 9537],
  ['24xlarge', 7500, 2, 14_306],
  ['metal', 7500, 2, 14_306],
];

test.each(R5B)(
  'r5b.%s has %d MB/s: %d volume(s) with %d IOPS each',
  (size, throughputMBps, volumes, iops) => {
    expect(instanceTypeFacts(`r5b.${size}`)!.ebs!.maximumMbps / 8).toBe(throughputMBps);
    expect(io2Layout({ throughputMBps, sizeGiB: 40_000 })).toMatchObject({ volumes, iops });
  },
);

test('IOPS are rounded up: the paper has 14,305 in its text and 15K in its table', () => {
  expect(3750e6 / 262_144).toBeCloseTo(14_305.1, 1);
  expect(io2Iops(3750)).toBe(14_306);
});

test('a volume of 4000 MB/s is one volume, a little more are two', () => {
  expect(io2Layout({ throughputMBps: 4000, sizeGiB: 100 }).volumes).toBe(1);
  expect(io2Layout({ throughputMBps: 4001, sizeGiB: 100 }).volumes).toBe(2);
});

test('a re-test moves the IOPS by ten percent either way', () => {
  expect([io2Iops(2500, -10), io2Iops(2500, 10)]).toEqual([8584, 10_491]);
  // 131,072 IOPS exactly, so ten percent more are 144,179.2.
  expect(io2Iops(34_359.738368, 10)).toBe(144_180);
});

test('shares are equal, deliver what was asked for, and no volume does more than it can', () => {
  const demand = fc.record({
    throughputMBps: fc.integer({ min: 100, max: 40_000 }),
    sizeGiB: fc.integer({ min: 1000, max: 60_000 }),
    adjustmentPercent: fc.integer({ min: -10, max: 10 }),
  });
  fc.assert(
    fc.property(demand, ({ throughputMBps, sizeGiB, adjustmentPercent }) => {
      const layout = io2Layout({ throughputMBps, sizeGiB, adjustmentPercent });
      expect(layout.volumes * layout.iops).toBeGreaterThanOrEqual(io2Iops(throughputMBps, adjustmentPercent));
      expect(layout.volumes * layout.sizeGiB).toBeGreaterThanOrEqual(sizeGiB);
      expect(throughputMBps / layout.volumes).toBeLessThanOrEqual(IO2_VOLUME_MBPS);
      expect(layout.iops).toBeLessThanOrEqual(17_000);
      expect(ebsVolumeProblems({ type: 'io2', sizeGiB: layout.sizeGiB, iops: layout.iops })).toEqual(
        layout.iops > layout.sizeGiB * 1000 ? [expect.anything()] : [],
      );
    }),
  );
});

test('prices go by tiers, for each volume anew', () => {
  expect(io2MonthlyUsd({ volumes: 1, sizeGiB: 1000, iops: 10_000 })).toBeCloseTo(125 + 650);
  expect(io2MonthlyUsd({ volumes: 2, sizeGiB: 1000, iops: 10_000 })).toBeCloseTo(2 * (125 + 650));
  expect(io2MonthlyUsd({ volumes: 1, sizeGiB: 100, iops: 100_000 })).toBeCloseTo(
    12.5 + 32_000 * 0.065 + 32_000 * 0.046 + 36_000 * 0.032,
  );
});
