import type { IDependable } from 'constructs';
import type { IEphemeralScratch } from '../ephemeral-scratch';
import type { DefinedPath, WantedPerCore } from '../private/benchmark-definition';
import { checkArguments } from '../private/inputs/check';
import type { ISharedFileSystem, StorageDescription } from '../shared-file-system';
import { knownStorage, WANTED_MBPS_PER_CORE } from '../sizing';

/** What is asked of a path, and what is behind it. */
export interface MeasuredPathProps {
  /**
   * What writing has to reach, in MB/s (10^6 bytes) per physical core, from 1 to 100000.
   *
   * @default - what the grid that is measured wants by its `sharedThroughput` or `temporaryThroughput`; else what the
   * papers want: 100 for temporary space, 50 for shared space (they say 50-75), 100 for io2 (they say 100-125)
   */
  readonly writeMBpsPerCore?: number;

  /**
   * What reading has to reach, in MB/s (10^6 bytes) per physical core, from 1 to 100000.
   *
   * @default - as for writing
   */
  readonly readMBpsPerCore?: number;

  /**
   * Whether the verdict depends on it. Turned off, it is measured and shown.
   *
   * @default true
   */
  readonly judged?: boolean;

  /**
   * The file system behind the path. The result then says which limit was met, and a run after the deployment begins
   * when it is served.
   *
   * @default - not known
   */
  readonly fileSystem?: ISharedFileSystem;

  /**
   * What is behind the path, in place of what `fileSystem` tells.
   *
   * @default - what is known of `fileSystem`
   */
  readonly storage?: StorageDescription;

  /**
   * The account that writes and reads. On NFS root is nobody: there it has to be one that may write to the directory.
   *
   * @default 'root'
   */
  readonly user?: string;

  /**
   * How much of the file system stays free whatever is measured, in percent from 1 to 90. A test that would need more
   * room is not begun.
   *
   * @default 10
   */
  readonly keepFreePercent?: number;

  /**
   * Whether something has to be mounted there. Turned off, a directory of the root disk is measured, too.
   *
   * @default true
   */
  readonly mounted?: boolean;
}

/** A directory whose file system is measured. Test files are made in a directory of their own below it, and removed. */
export class MeasuredPath {
  /**
   * Temporary space: SASWORK, UTILLOC. The papers want 100 MB/s per physical core (SAS/Intel paper 002).
   *
   * @param directory an absolute path, `/saswork` for example
   */
  static temporary(directory: string, props: MeasuredPathProps = {}): MeasuredPath {
    ({ directory, props } = checkArguments('MeasuredPath.temporary', { directory, props }));
    return new MeasuredPath(directory, 'temporary', props);
  }

  /** Scratch space of hosts on their instance store: its SASWORK. */
  static scratch(scratch: IEphemeralScratch, props: MeasuredPathProps = {}): MeasuredPath {
    ({ scratch, props } = checkArguments('MeasuredPath.scratch', { scratch, props }));
    return new MeasuredPath(scratch.sasworkPath, 'temporary', props, scratch.storageDescription);
  }

  /**
   * Shared space: SASDATA. The papers want 50 MB/s per physical core and more, up to 75 (SAS/Intel paper 002).
   *
   * @param directory an absolute path, `/sasdata` for example
   */
  static shared(directory: string, props: MeasuredPathProps = {}): MeasuredPath {
    ({ directory, props } = checkArguments('MeasuredPath.shared', { directory, props }));
    return new MeasuredPath(directory, 'shared', props);
  }

  /**
   * Space on io2 Block Express volumes, for everything. The papers want 100 MB/s per physical core and more, up to 125
   * (paper 004).
   *
   * @param directory an absolute path, `/sasdata` for example
   */
  static io2(directory: string, props: MeasuredPathProps = {}): MeasuredPath {
    ({ directory, props } = checkArguments('MeasuredPath.io2', { directory, props }));
    return new MeasuredPath(directory, 'io2', props);
  }

  private constructor(
    /** The directory. */
    readonly directory: string,
    private readonly use: DefinedPath['use'],
    /** @internal */
    readonly _props: MeasuredPathProps,
    private readonly storage?: StorageDescription,
  ) {}

  /**
   * The path as the runner takes it.
   *
   * @param wanted what the hosts want where the path says nothing of its own
   * @internal
   */
  _definition(wanted: WantedPerCore): DefinedPath {
    const { writeMBpsPerCore, readMBpsPerCore, judged, fileSystem } = this._props;
    const write = writeMBpsPerCore ?? wanted[this.use] ?? WANTED_MBPS_PER_CORE[this.use].least;
    const storage = this._props.storage ?? this.storage ?? fileSystem?.storageDescription;
    return {
      directory: this.directory,
      use: this.use,
      ...(judged !== false && { writeMBpsPerCore: write, readMBpsPerCore: readMBpsPerCore ?? write }),
      ...(storage && { storage: knownStorage(storage) }),
    };
  }

  /**
   * What has to be there before it can be measured.
   *
   * @internal
   */
  get _after(): IDependable[] {
    return this._props.fileSystem ? [this._props.fileSystem.served] : [];
  }
}
