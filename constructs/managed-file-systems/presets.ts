import { Size } from 'aws-cdk-lib';
import { checkArguments } from '../private/inputs/check';
import { invalid } from '../private/validation';
import { FSX_LUSTRE, fsxLustreCapacityFor } from '../sizing';
import { FsxLustreStorage } from './fsx-lustre-storage';

// Paper 004 says TB, and FSx counts GiB.
const GIB_PER_TB = 1e12 / 1024 ** 3;

/** An EBS volume that paper 004 recommends. */
export interface RecommendedVolume {
  /** `st1` or `io1`. */
  readonly volumeType: string;

  /** Its size in TB (10^12 bytes). */
  readonly sizeTB: number;

  /**
   * Provisioned operations per second.
   *
   * @default - the type takes none
   */
  readonly iops?: number;
}

/**
 * What AWS and SAS recommended in April 2021: table 1, "Current SAS on AWS Recommendations", of paper 004 (Rajan, Paper
 * 1150-2021). The paper writes the families as `i3e(n),r5(d)n,m5(d)n` and the like; here they are spelled out, without
 * `i3e`, which AWS never had.
 */
export class SasRecommendation {
  /** SAS 9.4: one st1 volume of 12.5 TB, or one io1 volume of 12 TB with 32,000 IOPS. */
  static readonly SAS_9_4 = new SasRecommendation(
    'SAS 9.4',
    ['i3en', 'r5n', 'r5dn', 'm5n', 'm5dn'],
    [
      { volumeType: 'st1', sizeTB: 12.5 },
      { volumeType: 'io1', sizeTB: 12, iops: 32_000 },
    ],
    undefined,
  );

  /** SAS Grid: FSx for Lustre of 100 TB, persistent. */
  static readonly SAS_GRID = new SasRecommendation(
    'SAS Grid',
    ['i3en', 'r5n', 'r5dn', 'm5n', 'm5dn'],
    [],
    100,
  );

  /** SAS Viya: the volumes of SAS 9.4. */
  static readonly SAS_VIYA = new SasRecommendation(
    'SAS Viya',
    ['i3en', 'r5n', 'm5n'],
    [
      { volumeType: 'st1', sizeTB: 12.5 },
      { volumeType: 'io1', sizeTB: 12, iops: 32_000 },
    ],
    undefined,
  );

  /** The rows of the table. */
  static all(): SasRecommendation[] {
    return [SasRecommendation.SAS_9_4, SasRecommendation.SAS_GRID, SasRecommendation.SAS_VIYA];
  }

  private constructor(
    /** The row of the table. */
    readonly workload: string,
    /** Families of instance types. */
    readonly instanceFamilies: string[],
    /** EBS volumes, one or the other; none where the recommendation is a shared file system. */
    readonly volumes: RecommendedVolume[],
    /**
     * Size of a persistent FSx for Lustre file system in TB (10^12 bytes); undefined where it is not the
     * recommendation.
     */
    readonly fsxLustreTB?: number,
  ) {}

  /**
   * The recommended FSx for Lustre storage, as `FsxLustre` takes it: SSD of at least the table's size, with the lowest
   * tier that gives all physical cores what SAS reads and writes of shared data. The paper names no tier; 50 to 75 MB/s
   * for each core is from paper
   * 002. Without cores it is the lowest tier.
   *
   * 100 TB are 93,600 GiB of FSx, with 11,700 MB/s in the lowest tier: enough for 156 cores.
   *
   * @param physicalCores of the whole grid; a vCPU is half a core on types with hyper-threads
   * @param mbpsPerCore MB/s for each of them
   * @throws when the table recommends no FSx for Lustre, or when no tier is fast enough at this size
   */
  fsxLustreStorage(physicalCores = 0, mbpsPerCore = 75): FsxLustreStorage {
    ({ physicalCores, mbpsPerCore } = checkArguments('SasRecommendation#fsxLustreStorage', {
      physicalCores,
      mbpsPerCore,
    }));
    if (this.fsxLustreTB === undefined) {
      throw invalid(
        undefined,
        'The workload',
        this.workload,
        'SAS Grid',
        'The table recommends FSx for Lustre to a grid only; see volumes for this one.',
      );
    }
    const capacityGiB = fsxLustreCapacityFor(this.fsxLustreTB * GIB_PER_TB);
    const wanted = physicalCores * mbpsPerCore;
    const throughputPerTiB = FSX_LUSTRE.throughputTiers.find((tier) => (capacityGiB / 1000) * tier >= wanted);
    if (!(wanted >= 0) || throughputPerTiB === undefined) {
      const most = (capacityGiB / 1000) * Math.max(...FSX_LUSTRE.throughputTiers);
      throw invalid(
        undefined,
        'The throughput of all cores in MB/s',
        wanted,
        `0 to ${most} with ${capacityGiB} GiB`,
        'Name the storage yourself, with more capacity: FsxLustreStorage.ssd(...).',
      );
    }
    return FsxLustreStorage.ssd({ capacity: Size.gibibytes(capacityGiB), throughputPerTiB });
  }
}
