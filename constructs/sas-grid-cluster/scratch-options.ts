import type { Size } from 'aws-cdk-lib';
import type { InstanceStoreDisks, ScratchFileSystem, ScratchSplit } from '../ephemeral-scratch';

/** How the scratch disks of a grid are used. See `EphemeralScratch`. */
export interface GridScratchOptions {
  /**
   * How the disks are divided between SASWORK and UTILLOC.
   *
   * @default - 5 parts for SASWORK, 3 for UTILLOC (paper 001)
   */
  readonly split?: ScratchSplit;

  /**
   * Chunk of the RAID 0 arrays.
   *
   * @default Size.kibibytes(256)
   */
  readonly chunk?: Size;

  /**
   * Read-ahead on the disks and arrays.
   *
   * @default Size.mebibytes(8)
   */
  readonly readAhead?: Size;

  /**
   * File system on the arrays.
   *
   * @default ScratchFileSystem.XFS
   */
  readonly fileSystem?: ScratchFileSystem;

  /**
   * The disks of the nodes' type, when it is newer than the table of this library.
   *
   * @default - from the table
   */
  readonly instanceStore?: InstanceStoreDisks;
}
