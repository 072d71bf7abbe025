import type { BlockDevice } from 'aws-cdk-lib/aws-ec2';
import type { IConstruct } from 'constructs';
import type { HostBundle } from '../host';
import type { StorageDescription } from '../shared-file-system';

/** SASWORK and UTILLOC on the disks inside a host. `EphemeralScratch` is one. */
export interface IEphemeralScratch extends IConstruct {
  /** Number of instance-store disks of a host. */
  readonly diskCount: number;

  /** Where SASWORK is mounted. */
  readonly sasworkPath: string;

  /** Where UTILLOC is mounted. */
  readonly utillocPath: string;

  /** What a launch template has to map. NVMe disks are there without: then the list is empty. */
  readonly blockDevices: BlockDevice[];

  /** What SASWORK lies on. */
  readonly storageDescription: StorageDescription;

  /**
   * Gives a host the role `scratch` with these disks. Add `blockDevices` to its launch template.
   *
   * @param bundle the software of the host
   */
  configure(bundle: HostBundle): void;
}
