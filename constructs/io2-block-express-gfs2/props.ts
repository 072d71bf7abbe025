import type { Duration, Size } from 'aws-cdk-lib';
import type * as ec2 from 'aws-cdk-lib/aws-ec2';
import type * as kms from 'aws-cdk-lib/aws-kms';
import type * as sns from 'aws-cdk-lib/aws-sns';
import type { CapacityReservation, IGridNetwork } from '../grid-network';
import type { GridScratchOptions } from '../sas-grid-cluster';
import type { HealthProbeProps, RestoredSet } from '../volume-reattachment';

/** The operating system of an image, for what depends on it. */
export enum Gfs2OperatingSystem {
  /** Red Hat Enterprise Linux 8 and its relatives. */
  RHEL_8 = 'rhel-8',
  /** Red Hat Enterprise Linux 9 and its relatives. */
  RHEL_9 = 'rhel-9',
  /** Red Hat Enterprise Linux 10 and its relatives: without GFS2, refused for a cluster. */
  RHEL_10 = 'rhel-10',
  /** Any Amazon Linux: without GFS2, refused for a cluster. */
  AMAZON_LINUX = 'amazon-linux',
  /** Debian 12 or newer. */
  DEBIAN = 'debian',
  /** Ubuntu 22.04 or newer. */
  UBUNTU = 'ubuntu',
}

/** How a node that does not answer is kept from writing. */
export enum Gfs2Fencing {
  /** EC2 stops the instance. */
  EC2 = 'ec2',
  /**
   * As `EC2`; where EC2's API cannot be reached, the node's NVMe reservation is taken away on every volume. Volumes
   * created after 2023-09-18 only. Tested with stand-ins, not with volumes.
   */
  EC2_AND_NVME = 'ec2+nvme',
}

/** What the shared volumes of a cluster are, as they were deployed. See `Io2BlockExpressGfs2.volumes`. */
export interface Io2Volumes {
  /** How many there are. */
  readonly count: number;

  /** Size of each, in GiB. */
  readonly sizeGiB: number;

  /** Provisioned IOPS of each. */
  readonly iops: number;
}

/** Properties of `Io2BlockExpressGfs2`. */
export interface Io2BlockExpressGfs2Props {
  /** Where the hosts live: the network's private subnet, in its placement group. */
  readonly network: IGridNetwork;

  /** The image of the hosts. For a cluster RHEL 8 or 9, Debian or Ubuntu; name it by its id. */
  readonly machineImage: ec2.IMachineImage;

  /**
   * The operating system of the image. With it, a cluster of hosts that have no GFS2 fails at synthesis. Without it,
   * such a cluster may fail only at the first boot, where the image does not tell its system by its name.
   *
   * @default - not known
   */
  readonly operatingSystem?: Gfs2OperatingSystem;

  /** Capacity of the file system. Volumes get equal shares, in whole GiB. Up to 1,000 IOPS for each GiB. */
  readonly size: Size;

  /**
   * How many hosts have the file system: 1 for XFS on one host, 2 to 16 for GFS2 on a cluster of hosts that share the
   * volumes (Multi-Attach).
   *
   * @default 1
   */
  readonly nodeCount?: number;

  /**
   * The type of the hosts. A Nitro type; what EBS gives it decides the IOPS.
   *
   * @default r5b.12xlarge (24 cores, 3750 MB/s: the paper measured 152.9 MB/s for each core)
   */
  readonly instanceType?: ec2.InstanceType;

  /**
   * What the volumes are to deliver together, in MB/s (10^6 bytes a second). Up to 4000 MB/s one volume, above that as
   * few as it takes.
   *
   * @default - the EBS throughput of the instance type, times the number of hosts
   */
  readonly throughputMBps?: number;

  /**
   * By how many percent the IOPS differ from throughput / 256 KiB, from -10 to 10: for the re-test that paper 004
   * recommends. In a cluster it cannot change once the volumes are there.
   *
   * @default 0
   */
  readonly iopsAdjustment?: number;

  /**
   * How much goes to one volume before the next gets its turn: from 4 KiB to 4 GiB, a power of two. Written to the
   * volumes; it cannot change.
   *
   * @default Size.mebibytes(1)
   */
  readonly stripe?: Size;

  /**
   * Read-ahead on the device that the file system sits on. One host only: a cluster has the kernel's.
   *
   * @default Size.kibibytes(256)
   */
  readonly readAhead?: Size;

  /**
   * Where the file system is mounted, on all hosts.
   *
   * @default '/sasdata'
   */
  readonly mountPoint?: string;

  /**
   * Ids of volumes to use instead of new ones, in their order. They are never formatted.
   *
   * They must lie in the subnet's Availability Zone, and `encryptionKey` must be the key that they have. The permission
   * to attach them rests on a tag, which they must carry. For one host it is `cdk-sas-grid:tier` with the value of
   * `tier.tierTag`; for a cluster it is `cdk-sas-grid:cluster` with the value of `clusterTag`. A deployment is refused
   * when they come from snapshots of different moments.
   *
   * @default - new, blank, encrypted volumes that are kept when the stack is deleted
   */
  readonly existingVolumes?: string[];

  /**
   * A set of snapshots that the volumes are made of: that of another file system with as many volumes, as
   * `cdk-sas-grid backup` makes it. It stays for the life of the file system. A cluster takes that of a cluster with
   * the same `clusterName`, which is on the volumes.
   *
   * @default - new, blank, encrypted volumes
   */
  readonly restoreFrom?: RestoredSet;

  /**
   * What the cluster's volumes are since they were deployed. Cluster only.
   *
   * CloudFormation cannot change size or IOPS of Multi-Attach volumes. A change of size, throughput, adjustment, type
   * or number of hosts may need that. With this property such a change fails at synthesis, not in the middle of an
   * update.
   *
   * @default - not compared
   */
  readonly deployedVolumes?: Io2Volumes;

  /**
   * Name of the cluster: a lower-case letter, then at most 31 lower-case letters, digits or `_`. Written to the
   * volumes; it cannot change. Cluster only.
   *
   * @default 'sasgfs2'
   */
  readonly clusterName?: string;

  /**
   * What the names of the cluster's nodes begin with; a number from 1 follows.
   *
   * @default 'node'
   */
  readonly nodeNamePrefix?: string;

  /**
   * How a node that does not answer is kept from writing. Cluster only.
   *
   * @default Gfs2Fencing.EC2
   */
  readonly fencing?: Gfs2Fencing;

  /**
   * How long a new stack waits until all nodes of the cluster have mounted the file system, from 5 minutes to 12 hours.
   * With zero it does not wait, and `served` only means that the nodes are launched. Cluster only.
   *
   * @default Duration.hours(1)
   */
  readonly mountTimeout?: Duration;

  /**
   * Fixed private addresses, one per host.
   *
   * @default - from the addresses that the network reserves for storage
   */
  readonly addresses?: string[];

  /**
   * Encrypts the volumes, the root disks and logs; for one host also its map and queues, for a cluster also the key
   * that its members authenticate with. It cannot change.
   *
   * The policy of an imported key must let the Auto Scaling service-linked role of the account use it and create grants
   * for AWS resources. It must let CloudWatch Logs use it, too.
   *
   * A key that the app makes has to stay as the data does: synthesis refuses it unless its removal policy is `RETAIN`,
   * the CDK's default for keys. Keep an imported key yourself: without it nobody can ever read the data again.
   *
   * @default - a new key with yearly rotation, kept when the stack is deleted
   */
  readonly encryptionKey?: kms.IKey;

  /**
   * Capacity that EC2 holds for the hosts, so that a failed one can come back.
   *
   * @default - none: a replacement is launched when EC2 has such a machine
   */
  readonly capacityReservation?: CapacityReservation;

  /**
   * Declares that cluster placement groups accept instance types that this library does not know yet.
   *
   * @default - a type that the library does not know is an error
   */
  readonly newInstanceTypes?: boolean;

  /**
   * Size of the root disks (gp3, encrypted), at least 8 GiB.
   *
   * @default Size.gibibytes(100)
   */
  readonly rootVolumeSize?: Size;

  /**
   * The name the image gives its root device: `/dev/sda1` on RHEL, `/dev/xvda` on Amazon Linux.
   *
   * @default '/dev/sda1'
   */
  readonly rootDeviceName?: string;

  /**
   * How long the repair of the one host may take before its launch is abandoned and the next one is tried. One host
   * only.
   *
   * @default Duration.hours(1)
   */
  readonly recoveryTimeout?: Duration;

  /**
   * How often the one host is checked even if no event came. One host only.
   *
   * @default Duration.minutes(5)
   */
  readonly schedule?: Duration;

  /**
   * How the one host is asked whether its file system is mounted and answers. One host only.
   *
   * @default - once a minute; the host is replaced when it fails three times in a row
   */
  readonly healthProbe?: HealthProbeProps;

  /**
   * Where alarms and scaling events go.
   *
   * @default - alarms change state and notify nobody
   */
  readonly alarmTopic?: sns.ITopic;
}

/** What the hosts are as nodes of a grid. */
export interface Io2GridOptions {
  /**
   * TCP ports that the hosts reach each other on besides those of SAS Grid Manager, which a cluster has open: SAS
   * servers, for example.
   *
   * @default - none
   */
  readonly additionalPorts?: number[];

  /**
   * Open the port of EGO's own DNS service, for its high availability.
   *
   * @default false
   */
  readonly egoDns?: boolean;

  /**
   * Number of the account `sas`, from 1000 to 60000. All hosts have the same.
   *
   * @default 5000
   */
  readonly sasUid?: number;

  /**
   * Number of the group `sas`, from 1000 to 60000.
   *
   * @default 5000
   */
  readonly sasGid?: number;

  /**
   * SASWORK and UTILLOC on the hosts' own disks.
   *
   * @default - where the instance type has disks, as far as the library knows it
   */
  readonly ephemeralScratch?: boolean;

  /**
   * How that scratch is laid out.
   *
   * @default - as `EphemeralScratch` does it
   */
  readonly scratch?: GridScratchOptions;

  /**
   * How long a directory that a session of SAS has left on the scratch of a host stays untouched before it is removed,
   * as in `SasGridClusterProps`: whole hours, 8760 at most. Zero removes none.
   *
   * @default Duration.hours(72)
   */
  readonly cleanUpScratchAfter?: Duration;
}
