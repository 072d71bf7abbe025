import type { aws_ec2 as ec2, Size } from 'aws-cdk-lib';

/** File system on the scratch disks. */
export enum ScratchFileSystem {
  /** XFS: preferred for SAS from RHEL 7 on (SAS/Intel paper 001). */
  XFS = 'xfs',
  /** ext4. */
  EXT4 = 'ext4',
}

/** How the disks are divided, in parts: `{ saswork: 5, utilloc: 3 }` gives 5 and 3 of 8 disks, 8 and 4 of 12. */
export interface ScratchSplit {
  /** Parts for SASWORK, 1 or more. */
  readonly saswork: number;

  /** Parts for UTILLOC. 0: both areas share one array of all disks. */
  readonly utilloc: number;
}

/** The instance-store disks of an instance type that this library does not know yet. */
export interface InstanceStoreDisks {
  /** Number of disks. */
  readonly count: number;

  /** Size of each. */
  readonly size: Size;

  /**
   * Whether they are NVMe disks, as on all types on Nitro.
   *
   * @default true
   */
  readonly nvme?: boolean;
}

/** Properties of EphemeralScratch. */
export interface EphemeralScratchProps {
  /** The type of the hosts. It has to have instance store. */
  readonly instanceType: ec2.InstanceType;

  /**
   * The type's disks, for a type that is newer than the table of this library. It wins over the table.
   *
   * @default - from the table
   */
  readonly instanceStore?: InstanceStoreDisks;

  /**
   * How the disks are divided between SASWORK and UTILLOC. With one or two disks both share one array, whatever is
   * asked.
   *
   * @default { saswork: 5, utilloc: 3 } - SAS/Intel paper 001
   */
  readonly split?: ScratchSplit;

  /**
   * Chunk of the RAID 0 arrays: how much goes to one disk before the next one's turn. A power of two.
   *
   * @default Size.kibibytes(256) - SAS/Intel paper 001
   */
  readonly chunk?: Size;

  /**
   * Read-ahead on the disks and on the arrays.
   *
   * @default Size.mebibytes(8) - 16384 sectors, SAS/Intel paper 001
   */
  readonly readAhead?: Size;

  /**
   * File system.
   *
   * @default ScratchFileSystem.XFS
   */
  readonly fileSystem?: ScratchFileSystem;

  /**
   * Where SASWORK is mounted.
   *
   * @default '/saswork'
   */
  readonly sasworkPath?: string;

  /**
   * Where UTILLOC is mounted.
   *
   * @default '/utilloc'
   */
  readonly utillocPath?: string;
}
