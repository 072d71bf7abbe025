import type { Size } from 'aws-cdk-lib';
import type { CfnFileSystem } from 'aws-cdk-lib/aws-fsx';
import { checkArguments } from '../private/inputs/check';
import { invalid, isConcrete } from '../private/validation';
import {
  FSX_LUSTRE,
  fsxLustreCacheProblems,
  fsxLustreCapacityProblems,
  fsxLustreMetadataProblems,
  isMultiple,
} from '../sizing';
import { gibibytes, refuse, requireOneOf } from './checks';

/** SSD storage of FSx for Lustre: throughput grows with capacity. */
export interface FsxLustreSsdProps {
  /** 1200 GiB, or a multiple of 2400 GiB. It can grow later, never shrink. */
  readonly capacity: Size;

  /**
   * Throughput for each 1000 GiB, in MB/s: 125, 250, 500 or 1000. It cannot change here: CloudFormation makes another,
   * empty file system for another value. FSx itself changes it in place, in both directions
   * (`aws fsx update-file-system`); leave the value here then.
   */
  readonly throughputPerTiB: number;

  /**
   * Metadata operations per second: 1500, 3000, 6000, 12000 or a multiple of 12000 up to 192000. It can grow later.
   *
   * @default - follows from the capacity, and grows with it
   */
  readonly metadataIops?: number;
}

/** Intelligent-Tiering storage of FSx for Lustre: capacity follows the data, throughput is bought apart from it. */
export interface FsxLustreIntelligentTieringProps {
  /** A multiple of 4000 MB/s. It can grow later, never shrink. */
  readonly throughputMBps: number;

  /**
   * Metadata operations per second: 6000 or 12000.
   *
   * @default 6000
   */
  readonly metadataIops?: number;

  /**
   * The SSD read cache: `FsxReadCache.proportional()`, `.ofSize(...)` or `.none()`.
   *
   * @default FsxReadCache.proportional()
   */
  readonly readCache?: FsxReadCache;
}

/** The SSD read cache in front of Intelligent-Tiering storage. */
export class FsxReadCache {
  /** As large as FSx thinks right for the throughput. */
  static proportional(): FsxReadCache {
    return new FsxReadCache('PROPORTIONAL_TO_THROUGHPUT_CAPACITY');
  }

  /** Of a size of your own: 32 to 131072 GiB for every 4000 MB/s of throughput. */
  static ofSize(size: Size): FsxReadCache {
    ({ size } = checkArguments('FsxReadCache.ofSize', { size }));
    return new FsxReadCache('USER_PROVISIONED', gibibytes(undefined, 'The read cache', size));
  }

  /** None: data comes with latencies of tens of milliseconds. */
  static none(): FsxReadCache {
    return new FsxReadCache('NO_CACHE');
  }

  private constructor(
    /** How it is sized, as FSx names it. */
    readonly sizingMode: string,
    /** Its size in GiB; undefined when FSx chooses. */
    readonly sizeGiB?: number,
  ) {}
}

/** What an FSx for Lustre file system (PERSISTENT_2) stores data on. */
export class FsxLustreStorage {
  /**
   * SSD. Source of the ranges: Amazon FSx API reference.
   *
   * @throws when FSx has not this capacity, throughput or number of metadata operations
   */
  static ssd(props: FsxLustreSsdProps): FsxLustreStorage {
    ({ props } = checkArguments('FsxLustreStorage.ssd', { props }));
    const capacityGiB = gibibytes(undefined, 'The capacity', props.capacity);
    refuse(undefined, fsxLustreCapacityProblems(capacityGiB));
    requireOneOf(
      undefined,
      'throughputPerTiB in MB/s',
      props.throughputPerTiB,
      FSX_LUSTRE.throughputTiers,
      'Choose a tier, or more capacity.',
    );
    if (isConcrete(props.metadataIops)) refuse(undefined, fsxLustreMetadataProblems(props.metadataIops!));
    return new FsxLustreStorage(
      'SSD',
      isConcrete(props.throughputPerTiB) ? (capacityGiB / 1000) * props.throughputPerTiB : undefined,
      capacityGiB,
      {
        perUnitStorageThroughput: props.throughputPerTiB,
        metadataConfiguration:
          props.metadataIops === undefined
            ? { mode: 'AUTOMATIC' }
            : { mode: 'USER_PROVISIONED', iops: props.metadataIops },
      },
    );
  }

  /**
   * Intelligent-Tiering. Source of the ranges: Amazon FSx API reference.
   *
   * @throws when FSx has not this throughput, number of metadata operations or size of cache
   */
  static intelligentTiering(props: FsxLustreIntelligentTieringProps): FsxLustreStorage {
    ({ props } = checkArguments('FsxLustreStorage.intelligentTiering', { props }));
    const rules = FSX_LUSTRE.intelligentTiering;
    const throughput = props.throughputMBps;
    if (isConcrete(throughput)) {
      if (!isMultiple(throughput, rules.throughputStepMBps) || throughput > rules.maxThroughputMBps) {
        throw invalid(
          undefined,
          'throughputMBps',
          throughput,
          `a multiple of ${rules.throughputStepMBps} up to ${rules.maxThroughputMBps}`,
          'Round it up; for less, use SSD.',
        );
      }
    }
    const iops = props.metadataIops ?? rules.metadataIops[0];
    requireOneOf(
      undefined,
      'The metadata IOPS',
      iops,
      rules.metadataIops,
      'Choose one of these; SSD has more.',
    );
    const cache = props.readCache ?? FsxReadCache.proportional();
    if (cache.sizeGiB !== undefined && isConcrete(throughput)) {
      refuse(undefined, fsxLustreCacheProblems(cache.sizeGiB, throughput));
    }
    return new FsxLustreStorage(
      'INTELLIGENT_TIERING',
      isConcrete(throughput) ? throughput : undefined,
      undefined,
      {
        throughputCapacity: throughput,
        metadataConfiguration: { mode: 'USER_PROVISIONED', iops },
        dataReadCacheConfiguration: { sizingMode: cache.sizingMode, sizeGiB: cache.sizeGiB },
      },
    );
  }

  private constructor(
    /** `SSD` or `INTELLIGENT_TIERING`. */
    readonly storageType: string,
    /**
     * Throughput of the whole file system in MB/s, as FSx promises it: what is divided by the physical cores of a grid.
     * Undefined when it is known at deployment only.
     */
    readonly throughputMBps: number | undefined,
    /** Capacity in GiB; undefined when it follows the data. */
    readonly capacityGiB: number | undefined,
    private readonly configuration: Partial<CfnFileSystem.LustreConfigurationProperty>,
  ) {}

  /**
   * What CloudFormation is told.
   *
   * @internal
   */
  _configuration(): Partial<CfnFileSystem.LustreConfigurationProperty> {
    return this.configuration;
  }
}
