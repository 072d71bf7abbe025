import type { Duration, Size } from 'aws-cdk-lib';
import type * as acm from 'aws-cdk-lib/aws-certificatemanager';
import type * as ec2 from 'aws-cdk-lib/aws-ec2';
import type * as kms from 'aws-cdk-lib/aws-kms';
import type * as sns from 'aws-cdk-lib/aws-sns';
import type { CapacityReservation, IGridNetwork } from '../grid-network';
import type { HealthProbeProps, SlotVolume, StandbyServers } from '../volume-reattachment';
import type { LustreBackend } from './backend';
import type { LustrePreset } from './preset';
import type { LustreSoftware } from './software';
import type { LustreParameter } from './tuning';

/** What of the preset is different for one kind of server. */
export interface LustreServerOptions {
  /**
   * How many servers of this kind there are. Object storage servers only, from 1 to 128: throughput grows with them. A
   * file system has exactly one management and one metadata server.
   *
   * @default - the preset's
   */
  readonly serverCount?: number;

  /**
   * The type of the servers.
   *
   * @default - the preset's
   */
  readonly instanceType?: ec2.InstanceType;

  /**
   * How many volumes each server has. Each is one Lustre target. Object storage servers only. The numbers of the
   * targets follow from it, so it can grow only while the file system has no data.
   *
   * @default - the preset's
   */
  readonly volumesPerServer?: number;

  /**
   * What each of the volumes is. A larger size makes the volumes larger; the Lustre target on them keeps its size until
   * somebody grows it by hand (see the README).
   *
   * @default - the preset's
   */
  readonly volume?: SlotVolume;

  /**
   * Servers of this kind that wait for one that is lost.
   *
   * @default StandbyServers.none()
   */
  readonly standby?: StandbyServers;

  /**
   * Ids of volumes kept from a deleted stack, to be served instead of new ones: all of the first server in serving
   * order, then all of the second, and so on. Whole servers only; the servers after them get new volumes. They are
   * never formatted.
   *
   * @default - new volumes
   */
  readonly existingVolumes?: string[];

  /**
   * Fixed private addresses, one per server. For volumes kept from a deleted stack: the addresses that they were served
   * at, because targets and clients know the servers by them.
   *
   * @default - from the addresses that the network reserves for storage
   */
  readonly addresses?: string[];

  /**
   * What else a replacement may be when EC2 has no capacity for their type in the placement group: from 1 to 10 other
   * types, in order. They are launched outside of the placement group. Each launch tries their type in the group first.
   *
   * Each type has to attach what is attached, and to fit the image. The alarm `FallbackServer` tells that such a server
   * is there. Terminate it when there is capacity again.
   *
   * @default - none: the launch is tried again until there is capacity
   */
  readonly fallbackInstanceTypes?: ec2.InstanceType[];

  /**
   * Capacity that EC2 holds for the servers, spares too, so that a failed one can come back.
   *
   * @default - none: a replacement is launched when EC2 has such a machine
   */
  readonly capacityReservation?: CapacityReservation;
}

/** How new files are spread over the object storage targets. */
export interface LustreStriping {
  /**
   * Over how many targets a file is spread, from 1 to the number of targets, or -1 for all of them.
   *
   * @default -1
   */
  readonly stripeCount?: number;

  /**
   * How much of a file goes to one target before the next gets its turn: a multiple of 64 KiB, less than 4 GiB.
   *
   * @default Size.mebibytes(1)
   */
  readonly stripeSize?: Size;
}

/** What clients of the file system do differently from the papers' configuration. */
export interface LustreClientOptions {
  /**
   * How the client software gets onto the clients.
   *
   * @default - as on the servers
   */
  readonly software?: LustreSoftware;

  /**
   * Whether data is checked on its way between client and server. Without it a transfer error that TCP misses goes
   * unnoticed; it is faster (paper 000).
   *
   * @default true
   */
  readonly networkChecksums?: boolean;

  /**
   * How many locks a client keeps per target. Naming a number turns off sizing by the servers ("disable LRU size",
   * paper 000).
   *
   * @default - sized by the servers
   */
  readonly lockLruSize?: number;

  /**
   * All parameters, in the order in which they are set, instead of the papers'.
   *
   * @default - `LustreTuning.papersClient()`
   */
  readonly tuning?: LustreParameter[];
}

/** The monitoring page of the management server, and who may see it. */
export interface LustreMonitoring {
  /**
   * Whether there is a page, and the load balancer to reach it.
   *
   * @default true
   */
  readonly enabled?: boolean;

  /**
   * The address ranges (CIDR) that may open the page, in addition to those that the network names for its load
   * balancer.
   *
   * @default - none: nobody can reach the page until a range is named
   */
  readonly allowedRanges?: string[];

  /**
   * The certificate for HTTPS. With it the page is served on port 443 only, and nothing listens on port 80.
   *
   * @default - none: HTTP on port 80
   */
  readonly certificate?: acm.ICertificate;

  /**
   * Whether the load balancer has a public address. The page is still limited to the ranges named.
   *
   * @default false
   */
  readonly internetFacing?: boolean;

  /**
   * Whether the load balancer refuses to be deleted. It holds nothing; protected, it makes every deletion of the stack
   * fail until the protection is taken off.
   *
   * @default false
   */
  readonly deletionProtection?: boolean;
}

/** Properties of `IntelLustre`. */
export interface IntelLustreProps {
  /** Where the servers live: the network's private subnet, in its placement group. */
  readonly network: IGridNetwork;

  /**
   * The image of the servers: your own or one from the Marketplace, by id or by parameter. It must be able to run
   * Lustre servers: a RHEL-like system whose kernel the Lustre packages were built for.
   */
  readonly machineImage: ec2.IMachineImage;

  /**
   * How the server software gets onto the servers.
   *
   * @default LustreSoftware.preinstalled()
   */
  readonly software?: LustreSoftware;

  /**
   * Where all numbers come from that are not named here.
   *
   * @default LustrePreset.current()
   */
  readonly preset?: LustrePreset;

  /**
   * The name of the file system: 1 to 8 letters, digits, `_` or `-` (the label of a target has 16 characters, of which
   * Lustre itself uses 8). It is written into every target and cannot change.
   *
   * @default 'sasdata'
   */
  readonly fileSystemName?: string;

  /**
   * The file system underneath the targets. Written to the volumes; cannot change.
   *
   * @default LustreBackend.LDISKFS
   */
  readonly backend?: LustreBackend;

  /**
   * What is different from the preset for the management server.
   *
   * @default - nothing
   */
  readonly mgs?: LustreServerOptions;

  /**
   * What is different from the preset for the metadata server.
   *
   * @default - nothing
   */
  readonly mds?: LustreServerOptions;

  /**
   * What is different from the preset for the object storage servers.
   *
   * @default - nothing
   */
  readonly oss?: LustreServerOptions;

  /**
   * What all clients together are to get all day, in MB/s (10^6 bytes), read and written in equal parts. For a grid:
   * `ThroughputPerCore.mbps(75).forNodes(4, new InstanceType('i4i.8xlarge'))`.
   *
   * It decides how many object storage servers there are: as many as it takes, by what AWS gives to their type and
   * volumes. If `oss.serverCount` is given, that counts, and synthesis warns when it is too small.
   *
   * Name `oss.serverCount` as well once there is data. Otherwise a smaller wish, or other volumes, would make fewer
   * servers of it, and a server that is left out takes its part of every file with it.
   *
   * @default - the preset's number of servers
   */
  readonly throughputMBps?: number;

  /**
   * Declares that cluster placement groups accept instance types that this library does not know yet.
   *
   * @default - a type that the library does not know is an error
   */
  readonly newInstanceTypes?: boolean;

  /**
   * How files are spread unless a directory says otherwise. Set when the file system is first up.
   *
   * @default - over all targets, 1 MiB at a time
   */
  readonly striping?: LustreStriping;

  /**
   * Parameters of the object storage servers, in the order in which they are set.
   *
   * @default - `LustreTuning.papersServer(backend)`
   */
  readonly serverTuning?: LustreParameter[];

  /**
   * What clients do differently.
   *
   * @default - the papers' client settings
   */
  readonly client?: LustreClientOptions;

  /**
   * The monitoring page.
   *
   * @default - an internal load balancer that nobody may reach
   */
  readonly monitoring?: LustreMonitoring;

  /**
   * Encrypts the volumes, the map, root disks, logs and queues.
   *
   * A key that the app makes has to stay as the data does: synthesis refuses it unless its removal policy is `RETAIN`,
   * the CDK's default for keys. Keep an imported key yourself: without it nobody can ever read the data again.
   *
   * @default - a new key with yearly rotation, kept when the stack is deleted
   */
  readonly encryptionKey?: kms.IKey;

  /**
   * Size of the servers' root disks (gp3, encrypted).
   *
   * @default Size.gibibytes(30)
   */
  readonly rootVolumeSize?: Size;

  /**
   * The name the image gives its root device: `/dev/sda1` on RHEL, `/dev/xvda` on Amazon Linux.
   *
   * @default '/dev/sda1'
   */
  readonly rootDeviceName?: string;

  /**
   * How long the repair of a server may take before its launch is abandoned and the next one is tried. One that repairs
   * the file system of a target (`e2fsck`) is waited for, a day at most.
   *
   * @default Duration.hours(1)
   */
  readonly recoveryTimeout?: Duration;

  /**
   * How often each tier is checked even if no event came.
   *
   * @default Duration.minutes(5)
   */
  readonly schedule?: Duration;

  /**
   * How the servers of all tiers are asked whether Lustre is healthy on them and all their targets are mounted.
   *
   * @default - once a minute; a server is replaced when it fails three times in a row
   */
  readonly healthProbe?: HealthProbeProps;

  /**
   * Where alarms go.
   *
   * @default - alarms change state and notify nobody
   */
  readonly alarmTopic?: sns.ITopic;
}
