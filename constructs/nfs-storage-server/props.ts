import type { Duration, Size } from 'aws-cdk-lib';
import type * as ec2 from 'aws-cdk-lib/aws-ec2';
import type * as kms from 'aws-cdk-lib/aws-kms';
import type * as route53 from 'aws-cdk-lib/aws-route53';
import type * as s3 from 'aws-cdk-lib/aws-s3';
import type * as sns from 'aws-cdk-lib/aws-sns';
import type { CapacityReservation, IGridNetwork } from '../grid-network';
import type { NfsStorage } from './storage';

/** Copies of the export in S3, made on a schedule. */
export interface NfsArchive {
  /**
   * Time between two copies: whole hours, at least 1, or whole days. Only files that are new or have changed are
   * copied. Up to 84 hours an alarm rings when copies fail to come.
   *
   * @default Duration.days(1)
   */
  readonly every?: Duration;

  /**
   * The bucket. A bucket of your own should have versioning, since the archive writes over a file that was changed. It
   * is not changed here. If it has a key of its own, that has to let the server's role use it. If it is of another
   * account, synthesis says what its policy needs.
   *
   * @default - a new bucket with versioning, encrypted with the server's key, kept when the stack is deleted
   */
  readonly bucket?: s3.IBucket;

  /**
   * Where in the bucket: names of letters, digits, `_`, `.` and `-`, joined by `/`. Two servers that share a bucket
   * need two.
   *
   * @default - the host name
   */
  readonly prefix?: string;

  /**
   * How long former versions of changed files are kept in the new bucket, in whole days.
   *
   * @default Duration.days(90)
   */
  readonly keepFormerVersions?: Duration;
}

/** Properties of `NfsStorageServer`. */
export interface NfsStorageServerProps {
  /** Where the server lives: the network's private subnet. */
  readonly network: IGridNetwork;

  /** The image of the server: RHEL 8 or 9 and relatives, Debian 12, Ubuntu 22.04 or newer. */
  readonly machineImage: ec2.IMachineImage;

  /**
   * Where the data is, and which type serves it.
   *
   * @default NfsStorage.ebs() - the current Medium-5TB preset
   */
  readonly storage?: NfsStorage;

  /**
   * The server's security group.
   *
   * @default - the network's group of storage servers
   */
  readonly securityGroup?: ec2.ISecurityGroup;

  /**
   * Whether the server stands in the network's placement group, near to its clients. Turn it off for clients in several
   * networks; then the server can also be of a type that placement groups do not accept.
   *
   * @default true
   */
  readonly usePlacementGroup?: boolean;

  /**
   * Capacity that EC2 holds for the server, a spare too, so that a failed one can come back.
   *
   * @default - none: a replacement is launched when EC2 has such a machine
   */
  readonly capacityReservation?: CapacityReservation;

  /**
   * Declares that cluster placement groups accept an instance type that this library does not know yet.
   *
   * @default - a type that the library does not know is an error
   */
  readonly newInstanceTypes?: boolean;

  /**
   * The fixed private address, inside the private subnet. For volumes kept from a deleted stack: the one they were
   * served at.
   *
   * @default - from the addresses that the network reserves for storage
   */
  readonly address?: string;

  /**
   * The name of the server in DNS, a plain label. Each server of a network needs its own.
   *
   * @default 'storage1'
   */
  readonly hostName?: string;

  /**
   * The domain of the name.
   *
   * @default - 'sas-grid.internal', or the domain of the hosted zone
   */
  readonly domainName?: string;

  /**
   * The zone in which the name is published. It has to be of this account and visible in the network's VPC.
   *
   * @default - a new private zone for this one name, visible in the network's VPC
   */
  readonly hostedZone?: route53.IHostedZone;

  /**
   * The name of the export: the server exports `/export/<exportName>`. Letters, digits, `_`, `-` and `.`; 1 to 64
   * characters.
   *
   * @default 'sasdata'
   */
  readonly exportName?: string;

  /**
   * The IPv4 ranges (CIDR) whose hosts may mount the export; never the whole internet. Named ranges are also let
   * through the security group, for clients outside of the app, such as short-lived clusters. Clients of `mountOn` have
   * to be inside of them.
   *
   * @default - the network's VPC, and through the security group only the hosts of `mountOn`
   */
  readonly clientRanges?: string[];

  /**
   * Options of exports(5) besides those that are always there (sec=sys, rw, sync, root_squash, no_subtree_check): any
   * of `ro`, `no_root_squash`, `all_squash`, `wdelay`, `no_wdelay`, `anonuid=<number>`, `anongid=<number>`,
   * `security_label`.
   *
   * @default - none
   */
  readonly exportOptions?: string[];

  /**
   * Number of nfsd threads (the paper's RPCNFSDCOUNT), from 1 to 8192.
   *
   * @default - 16 for each processor, as memory allows
   */
  readonly nfsdThreads?: number;

  /**
   * How many clients there will be, for the advice whether one NFS server is enough. Nothing else depends on it.
   *
   * @default - the hosts of `mountOn`
   */
  readonly expectedClients?: number;

  /**
   * TCP connections of each client to the server, from 1 to 16. One connection is one flow, which EC2 limits to 5
   * Gbit/s outside and 10 Gbit/s inside a cluster placement group.
   *
   * @default 16
   */
  readonly clientConnections?: number;

  /**
   * Copies of the export in S3.
   *
   * @default - none
   */
  readonly archive?: NfsArchive;

  /**
   * Encrypts the volumes, root disks, the archive, the map, logs and queues.
   *
   * A key that the app makes has to stay as the data does: synthesis refuses it unless its removal policy is `RETAIN`,
   * the CDK's default for keys. Keep an imported key yourself: without it nobody can ever read the data again.
   *
   * @default - a new key with yearly rotation, kept when the stack is deleted
   */
  readonly encryptionKey?: kms.IKey;

  /**
   * Size of the root disk (gp3, encrypted).
   *
   * @default Size.gibibytes(100) - paper 003
   */
  readonly rootVolumeSize?: Size;

  /**
   * The name the image gives its root device: `/dev/sda1` on RHEL, `/dev/xvda` on Amazon Linux and Debian.
   *
   * @default '/dev/sda1'
   */
  readonly rootDeviceName?: string;

  /**
   * Where alarms go.
   *
   * @default - alarms change state and notify nobody
   */
  readonly alarmTopic?: sns.ITopic;
}

/** A client of an NFS server that is known by its address only. */
export interface NfsClientBundleProps {
  /** The address of the server, or its name. */
  readonly server: string;

  /**
   * The name of the export: `/export/<exportName>` is mounted.
   *
   * @default 'sasdata'
   */
  readonly exportName?: string;

  /** Where it is mounted: an absolute path, for example `/sasdata`. */
  readonly mountPoint: string;

  /**
   * Whether the host only reads.
   *
   * @default false
   */
  readonly readOnly?: boolean;

  /**
   * TCP connections to the server, from 1 to 16.
   *
   * @default 16
   */
  readonly connections?: number;
}
