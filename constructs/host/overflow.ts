import type * as iam from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';

/** Where host software goes that does not fit into user data. */
export interface HostBundleOverflow {
  /** The construct that the object of S3 belongs to: the one that starts the hosts. */
  readonly scope: Construct;

  /**
   * The role of the hosts. It is allowed to read that one object, if there is one. A role that the app cannot change
   * needs `s3:GetObject` on it from you.
   */
  readonly grantee: iam.IGrantable;
}
