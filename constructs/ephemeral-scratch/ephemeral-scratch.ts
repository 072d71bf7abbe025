import { aws_ec2 as ec2, Size } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import { type HostBundle, HostRole } from '../host';
import { checkArguments } from '../private/inputs/check';
import type { StorageDescription } from '../shared-file-system';
import { checkPaths, checkSplit, chunkKiB, readAheadKiB, requireInstanceStore } from './checks';
import type { IEphemeralScratch } from './interface';
import { splitDisks } from './layout';
import { type EphemeralScratchProps, ScratchFileSystem } from './props';

// SAS/Intel paper 001, initdiskcluster.sh.
const DEFAULTS = {
  split: { saswork: 5, utilloc: 3 },
  chunk: Size.kibibytes(256),
  readAhead: Size.mebibytes(8),
  scheduler: 'none',
};

/**
 * SASWORK and UTILLOC on the disks inside the host: RAID 0 over instance store, empty after every stop and made anew at
 * the next boot. A reboot keeps it. It makes no AWS resource: it knows the disks of the type, and tells a host what to
 * do.
 */
export class EphemeralScratch extends Construct implements IEphemeralScratch {
  /** Number of instance-store disks of a host. */
  public readonly diskCount: number;

  /** Size of each disk, in GB (10^9 bytes). */
  public readonly diskSizeGB: number;

  /** Disks of SASWORK; all disks when both areas share one array. */
  public readonly sasworkDisks: number;

  /** Disks of UTILLOC; 0 when both areas share one array. */
  public readonly utillocDisks: number;

  /** Whether both areas share one array, and its space. */
  public readonly shared: boolean;

  /** Raw space of SASWORK, in GB (10^9 bytes). */
  public readonly sasworkCapacityGB: number;

  /** Raw space of UTILLOC, in GB (10^9 bytes); the same space as SASWORK's when both share one array. */
  public readonly utillocCapacityGB: number;

  /** Where SASWORK is mounted. */
  public readonly sasworkPath: string;

  /** Where UTILLOC is mounted. */
  public readonly utillocPath: string;

  /**
   * What a launch template has to map. NVMe disks are there without: the list is empty. The disks of older types, such
   * as i2.8xlarge, are missing from the host unless they are mapped at launch.
   */
  public readonly blockDevices: ec2.BlockDevice[];

  /** What SASWORK lies on. */
  public readonly storageDescription: StorageDescription;

  private readonly settings: { [key: string]: string };

  /**
   * @throws when the type has no instance store or is not known, or when a size, a path or a split is not allowed
   */
  public constructor(scope: Construct, id: string, props: EphemeralScratchProps) {
    ({ props } = checkArguments('EphemeralScratch', { scope, id, props }));
    super(scope, id);
    const store = requireInstanceStore(this, props);
    const disks = splitDisks(store.disks, checkSplit(this, props.split ?? DEFAULTS.split));
    this.diskCount = store.disks;
    this.diskSizeGB = store.diskSizeGB;
    this.sasworkDisks = disks.saswork;
    this.utillocDisks = disks.utilloc;
    this.shared = disks.utilloc === 0;
    this.sasworkCapacityGB = disks.saswork * store.diskSizeGB;
    this.utillocCapacityGB = (disks.utilloc || disks.saswork) * store.diskSizeGB;
    this.sasworkPath = props.sasworkPath ?? '/saswork';
    this.utillocPath = props.utillocPath ?? '/utilloc';
    checkPaths(this, this.sasworkPath, this.utillocPath);
    const sizeGiB = Math.floor((store.diskSizeGB * 1e9) / 2 ** 30);
    const devices = [{ count: disks.saswork, type: 'instance-store', sizeGiB }];
    this.storageDescription = { kind: 'xfs', servers: 0, devices };

    const letters = store.kind === 'nvme-ssd' ? [] : diskLetters(store.disks);
    this.blockDevices = letters.map((letter, index) => ({
      deviceName: `/dev/sd${letter}`,
      volume: ec2.BlockDeviceVolume.ephemeral(index),
    }));
    this.settings = {
      SASWORK_DISKS: String(disks.saswork),
      UTILLOC_DISKS: String(disks.utilloc),
      LAYOUT: this.shared ? 'single' : 'split',
      CHUNK_KIB: String(chunkKiB(this, props.chunk ?? DEFAULTS.chunk)),
      READ_AHEAD_KIB: String(readAheadKiB(this, props.readAhead ?? DEFAULTS.readAhead)),
      FILE_SYSTEM: props.fileSystem ?? ScratchFileSystem.XFS,
      SASWORK_PATH: this.sasworkPath,
      UTILLOC_PATH: this.utillocPath,
      SCHEDULER: DEFAULTS.scheduler,
      // These disks have no identity of their own. Xen shows what was mapped as sdb as xvdb.
      ...(letters.length > 0 && { DISK_DEVICES: letters.map((letter) => `/dev/xvd${letter}`).join(' ') }),
    };
  }

  /**
   * Gives a host the role `scratch` with these disks. Add `blockDevices` to its launch template.
   *
   * @param bundle the software of the host
   */
  public configure(bundle: HostBundle): void {
    checkArguments('EphemeralScratch#configure', { bundle }, this);
    bundle.addRole(HostRole.SCRATCH, this.settings);
  }
}

// The first letter is the root volume's.
function diskLetters(count: number): string[] {
  return Array.from({ length: count }, (_, index) => String.fromCharCode('b'.charCodeAt(0) + index));
}
