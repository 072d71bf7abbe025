import type { Duration, RemovalPolicy } from 'aws-cdk-lib';
import type * as ec2 from 'aws-cdk-lib/aws-ec2';
import type * as kms from 'aws-cdk-lib/aws-kms';
import type { IGridNetwork } from '../grid-network';

/** What all file systems that AWS runs have in common. */
export interface ManagedFileSystemProps {
  /** Where the file system is reached: the network's private subnet. */
  readonly network: IGridNetwork;

  /**
   * The security group of the file system. `mountOn` makes its rules where the hosts are, so one of your own belongs
   * into the stack of the network or of the hosts that mount the file system. For FSx it cannot change: a new, empty
   * file system would be made.
   *
   * @default - the network's group for storage
   */
  readonly securityGroup?: ec2.ISecurityGroup;

  /**
   * Encrypts the data at rest.
   *
   * A key that the app makes has to stay as the data does. Synthesis refuses it unless its removal policy is `RETAIN`,
   * the CDK's default for keys, or `removalPolicy` of the file system is `DESTROY`. Keep an imported key yourself:
   * without it nobody can ever read the data again.
   *
   * @default - a new key with yearly rotation, kept when the stack is deleted
   */
  readonly encryptionKey?: kms.IKey;

  /**
   * What happens to the file system when it leaves the stack. `DESTROY` destroys the data with it; `SNAPSHOT` is
   * refused.
   *
   * @default RemovalPolicy.RETAIN
   */
  readonly removalPolicy?: RemovalPolicy;
}

/** What all Amazon FSx file systems have in common. */
export interface FsxFileSystemProps extends ManagedFileSystemProps {
  /**
   * For how long daily backups are kept: whole days, up to 90; `Duration.days(0)` for none.
   *
   * @default Duration.days(30)
   */
  readonly backupRetention?: Duration;

  /**
   * When the daily backup is made: `HH:MM`, UTC.
   *
   * @default - Amazon FSx chooses
   */
  readonly dailyBackupStart?: string;

  /**
   * When the weekly maintenance may begin: `d:HH:MM`, UTC, with d from 1 (Monday) to 7 (Sunday). A file server can be
   * away for some minutes; hosts wait.
   *
   * @default - Amazon FSx chooses
   */
  readonly weeklyMaintenanceStart?: string;
}

/** A second Availability Zone for file systems that fail over to it. */
export interface StandbyZone {
  /** The subnet of the standby file server, in another Availability Zone of the same VPC. */
  readonly subnet: ec2.ISubnet;

  /**
   * The route tables of all subnets from which the file system is used. FSx keeps routes to the active file server in
   * them; tag those of your own with `AmazonFSx` = `ManagedByAmazonFSx`.
   */
  readonly routeTableIds: string[];
}
