import type { IConnectable, InstanceType } from 'aws-cdk-lib/aws-ec2';
import type { IRole } from 'aws-cdk-lib/aws-iam';
import type { INfsFileSystem } from '../shared-file-system';
import type { VolumeReattachment } from '../volume-reattachment';

/** An NFS server of one's own. `NfsStorageServer` is one. */
export interface INfsStorageServer extends INfsFileSystem, IConnectable {
  /** The type of the server. */
  readonly instanceType: InstanceType;

  /**
   * What replaces the server with its volumes.
   *
   * @default - its data is on instance store, and is lost with it
   */
  readonly reattachment?: VolumeReattachment;

  /** The name of the Auto Scaling group that the server is in. */
  readonly autoScalingGroupName: string;

  /** What the server may do in AWS. */
  readonly role: IRole;
}
