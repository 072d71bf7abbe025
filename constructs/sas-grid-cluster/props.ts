import type { Duration, Size } from 'aws-cdk-lib';
import type * as ec2 from 'aws-cdk-lib/aws-ec2';
import type * as kms from 'aws-cdk-lib/aws-kms';
import type * as route53 from 'aws-cdk-lib/aws-route53';
import type * as sns from 'aws-cdk-lib/aws-sns';
import type { InstanceStoreDisks, ScratchFileSystem, ScratchSplit } from '../ephemeral-scratch';
import type { CapacityReservation, IGridNetwork } from '../grid-network';
import type { ISharedFileSystem } from '../shared-file-system';
import type { ThroughputPerCore } from '../throughput';

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

/** Properties of `SasGridCluster`. */
export interface SasGridClusterProps {
  /** Where the grid stands: its placement group, its security group and, by default, its private subnet. */
  readonly network: IGridNetwork;

  /** The file system that all nodes share. It holds LSF, the SAS binaries and configuration, and SASDATA. */
  readonly sharedFileSystem: ISharedFileSystem;

  /**
   * The image of all servers. Install SAS once, make an image, and name it here by its id (paper 001).
   *
   * There is no default. A parameter that follows the newest image would replace every server with the first deployment
   * after the image has changed. And SAS supports few operating systems.
   */
  readonly machineImage: ec2.IMachineImage;

  /** How many grid nodes there are besides the control server, from 1 to 100. */
  readonly nodeCount: number;

  /**
   * The number of nodes that you may grow to, from `nodeCount` to 100. Their names and addresses are there from the
   * start, in every server's hosts file. So you can add nodes up to this number without touching the servers that run.
   * Beyond it CloudFormation stops and starts every server to change its user data.
   *
   * @default - `nodeCount`
   */
  readonly plannedNodeCount?: number;

  /**
   * The type of the grid nodes. With `ephemeralScratch` it must have instance store.
   *
   * @default i3en.12xlarge (24 cores, 4 disks of 7500 GB, 50 Gbit/s)
   */
  readonly nodeInstanceType?: ec2.InstanceType;

  /**
   * The type of the control server.
   *
   * @default - that of the nodes
   */
  readonly controlInstanceType?: ec2.InstanceType;

  /**
   * Declares that cluster placement groups accept the types above when this library does not know them yet.
   *
   * @default - a type that the library does not know is an error
   */
  readonly newInstanceTypes?: boolean;

  /**
   * Capacity that EC2 holds for the servers of the grid, so that a failed one can come back.
   *
   * A new reservation, or a resource group, is for all servers. One that exists is for the nodes, and for the control
   * server where that is of their type. Name one that exists, or take it away, only while the grid is not deployed:
   * CloudFormation replaces instances for it, and cannot while they refuse to be terminated.
   *
   * @default - none: a replacement is launched when EC2 has such a machine
   */
  readonly capacityReservation?: CapacityReservation;

  /**
   * Whether SASWORK and UTILLOC of the nodes lie on their instance store. Turned off, nodes have no scratch; the
   * papers' other configuration has it on the shared file system.
   *
   * @default true
   */
  readonly ephemeralScratch?: boolean;

  /**
   * Whether the control server has scratch on instance store, too.
   *
   * @default - as the nodes, if its type has instance store
   */
  readonly controlEphemeralScratch?: boolean;

  /**
   * How the scratch disks are used.
   *
   * @default - as the papers did
   */
  readonly scratch?: GridScratchOptions;

  /**
   * How long a directory that a session of SAS has left on the scratch of a server stays untouched before it is
   * removed: whole hours, 8760 at most. Zero removes none.
   *
   * Only work and utility directories are removed that SAS named for this server and for a process that has ended, and
   * that no process has open. Choose zero where you have a way of your own, such as SAS's cleanwork utility, or keep
   * work directories to restart jobs from.
   *
   * @default Duration.hours(72) - a job that failed on Friday evening can be restarted on Monday
   */
  readonly cleanUpScratchAfter?: Duration;

  /**
   * What the nodes want from the shared file system, per core: all of them at the same time, half of it read and half
   * written. The papers ask for 50 to 75 MB/s (paper 002).
   *
   * Synthesis compares what was chosen with it, by calculation, and warns with numbers when that is slower. The control
   * server's cores count where it is of the nodes' type. A `StorageBenchmark` of the grid judges by it, too.
   *
   * @default - nothing is compared, and a benchmark judges by what the papers want
   */
  readonly sharedThroughput?: ThroughputPerCore;

  /**
   * What the nodes want from temporary space: SASWORK and UTILLOC together. Without `ephemeralScratch` it lies on the
   * shared file system, which then needs this besides `sharedThroughput`. The papers ask for 100 MB/s (paper 002).
   *
   * @default - nothing is compared, and a benchmark judges by what the papers want
   */
  readonly temporaryThroughput?: ThroughputPerCore;

  /**
   * Whether a storage that is slower than what is wanted of it is an error and not a warning.
   *
   * @default false
   */
  readonly failOnShortfall?: boolean;

  /**
   * Where the shared file system is mounted, on every server.
   *
   * @default '/sasdata'
   */
  readonly mountPoint?: string;

  /**
   * The directory of LSF, on the shared file system. LSF must be on a persistent file system that all nodes see (paper
   * 001).
   *
   * @default - `lsf` below the mount point
   */
  readonly lsfDirectory?: string;

  /**
   * The directory of the SAS binaries and configuration, on the shared file system: one copy for all nodes (paper 001).
   *
   * @default - `sas` below the mount point
   */
  readonly sasDirectory?: string;

  /**
   * Name of the control server.
   *
   * @default 'control'
   */
  readonly controlName?: string;

  /**
   * What the names of the nodes begin with; a number from 1 follows. LSF is configured with these names.
   *
   * @default 'node'
   */
  readonly nodeNamePrefix?: string;

  /**
   * The domain of the names. Two grids of one network need two domains, or one hosted zone and different names.
   *
   * @default - 'sas-grid.internal', or the domain of the hosted zone
   */
  readonly domainName?: string;

  /**
   * The zone in which the names are published: one for several grids, or the company's. It has to be of this account
   * and visible in the network's VPC.
   *
   * @default - a new private zone of `domainName`, visible in the network's VPC
   */
  readonly hostedZone?: route53.IHostedZone;

  /**
   * The subnet of the servers, in the network's Availability Zone.
   *
   * @default - the network's private subnet
   */
  readonly subnet?: ec2.ISubnet;

  /**
   * The security group of the servers. The network's lets the servers of the grid reach each other on every port, as in
   * the papers. In a group of your own the grid's ports and `additionalPorts` are all that is opened between them.
   *
   * @default - the network's group for the grid
   */
  readonly securityGroup?: ec2.ISecurityGroup;

  /**
   * Fixed private addresses: the control server's, then those of all planned nodes in order.
   *
   * @default - EC2 picks one per server once; a server keeps its address while it is stopped, and when it is replaced
   */
  readonly addresses?: string[];

  /**
   * Ports that SAS servers use besides the grid's own, such as those of the metadata server and of the object spawner:
   * opened between the servers of the grid, TCP, never to anyone else.
   *
   * @default - none
   */
  readonly additionalPorts?: number[];

  /**
   * Whether EGO serves names itself for its high availability, on port 53.
   *
   * @default false
   */
  readonly egoDns?: boolean;

  /**
   * User id of the account `sas`, the same on every server, from 1000 to 60000.
   *
   * @default 5000
   */
  readonly sasUid?: number;

  /**
   * Group id of the account `sas`, the same on every server, from 1000 to 60000.
   *
   * @default 5000
   */
  readonly sasGid?: number;

  /**
   * Whether the servers refuse to be terminated. While they do, so does the deletion of the stack.
   *
   * @default true
   */
  readonly terminationProtection?: boolean;

  /**
   * How long CloudFormation waits for a new server to say that it is set up: its software installed, its scratch made,
   * the shared file system mounted. From 5 minutes to 12 hours; with zero it does not wait.
   *
   * A server that cannot be set up says why, in the stack's events. That, or silence, fails the deployment. Servers
   * that are there already are not waited for. A server needs a way to CloudFormation: NAT, or the service's interface
   * endpoint.
   *
   * @default Duration.hours(1)
   */
  readonly installTimeout?: Duration;

  /**
   * Size of the root disk (gp3, encrypted).
   *
   * @default Size.gibibytes(100)
   */
  readonly rootVolumeSize?: Size;

  /**
   * The name the image gives its root device: `/dev/sda1` on RHEL, `/dev/xvda` on Amazon Linux. With the wrong one the
   * server gets a second disk and keeps a small root disk with the account's default encryption.
   *
   * @default '/dev/sda1'
   */
  readonly rootDeviceName?: string;

  /**
   * Encrypts the root disks.
   *
   * @default - the account's key for EBS that AWS manages
   */
  readonly encryptionKey?: kms.IKey;

  /**
   * Where alarms go: about failed status checks, and about servers that cannot do their work.
   *
   * @default - alarms change state and notify nobody
   */
  readonly alarmTopic?: sns.ITopic;
}
