import type { Duration, Size } from 'aws-cdk-lib';
import type * as ec2 from 'aws-cdk-lib/aws-ec2';
import type * as kms from 'aws-cdk-lib/aws-kms';
import type * as sns from 'aws-cdk-lib/aws-sns';
import type { IGridNetwork } from '../grid-network';
import type { HealthProbeProps } from '../volume-reattachment';
import type { LustreBackend } from './backend';
import type { LustreClientOptions } from './client-options';
import type { LustreMonitoring } from './monitoring';
import type { LustrePreset } from './preset';
import type { LustreServerOptions } from './server-options';
import type { LustreSoftware } from './software';
import type { LustreParameter } from './tuning';

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
