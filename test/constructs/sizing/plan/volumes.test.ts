import { ebsVolumeProblems, sustainedVolumeMBps } from '../../../../constructs/sizing';
import { mostOfVolume, volumeFor } from '../../../../constructs/sizing/plan/designs/volumes';
import fc from '../../../helpers/fast-check';

test('a volume holds and delivers what it was made for, and EBS takes it', () => {
  const wanted = fc.record({
    type: fc.constantFrom('gp3' as const, 'io2' as const, 'st1' as const),
    sizeGiB: fc.double({ min: 0, max: 70_000, noNaN: true }),
    mbps: fc.double({ min: 0, max: 5000, noNaN: true }),
  });
  fc.assert(
    fc.property(wanted, ({ type, sizeGiB, mbps }) => {
      const volume = volumeFor(type, sizeGiB, mbps);
      if (!volume) return mbps > mostOfVolume(type) * 0.99 || sizeGiB > 16_000;
      expect(ebsVolumeProblems(volume)).toEqual([]);
      expect(sustainedVolumeMBps(volume)).toBeGreaterThanOrEqual(mbps * (1 - 1e-9));
      return volume.sizeGiB! >= sizeGiB;
    }),
    { seed: 3, numRuns: 2000 },
  );
});
