import type { IConnectable } from 'aws-cdk-lib/aws-ec2';
import type { ISharedFileSystem } from '../shared-file-system';
import type { VolumeReattachment } from '../volume-reattachment';
import type { IIo2Host } from './host';
import type { Io2Volumes } from './props';

/** A file system on io2 Block Express volumes that its hosts have themselves. `Io2BlockExpressGfs2` is one. */
export interface IIo2BlockExpressGfs2 extends ISharedFileSystem, IConnectable {
  /** Where it is mounted on its hosts. */
  readonly mountPoint: string;

  /** The hosts, in order. */
  readonly hosts: IIo2Host[];

  /** What the volumes are. */
  readonly volumes: Io2Volumes;

  /**
   * What replaces the host with its volumes.
   *
   * @default - a cluster, whose nodes go on without the one that failed
   */
  readonly tier?: VolumeReattachment;
}
