import type { Duration, Size } from 'aws-cdk-lib';
import type * as ec2 from 'aws-cdk-lib/aws-ec2';
import type * as kms from 'aws-cdk-lib/aws-kms';
import type * as sns from 'aws-cdk-lib/aws-sns';
import type { CapacityReservation } from '../grid-network';
import type { HostBundle } from '../host';
import type { StandbyServers } from './standby-servers';
import type { VolumeMap } from './volume-map';

/** One volume of every slot of a tier. */
export interface SlotVolume {
  /** The kind of EBS volume, for example gp3 or io2. */
  readonly volumeType: ec2.EbsDeviceVolumeType;

  /**
   * Its size, in whole GiB. A volume of an existing tier can grow; it can never shrink. Only the volume grows: the file
   * system on it keeps its size until somebody grows it by hand (see the README).
   */
  readonly size: Size;

  /**
   * Provisioned input/output operations per second. Needed for io1 and io2, possible for gp3.
   *
   * @default - what the volume type has without provisioning
   */
  readonly iops?: number;

  /**
   * Provisioned throughput in MiB/s. gp3 only.
   *
   * @default - what the volume type has without provisioning
   */
  readonly throughputMiBps?: number;
}

/** A set of snapshots of one moment, as `cdk-sas-grid backup` makes it. */
export interface RestoredSet {
  /** The name of the set, as the snapshots' tag `cdk-sas-grid:backup-set` says it. */
  readonly set: string;

  /**
   * Ids of its snapshots of this tier: all of slot 00 in serving order, then those of slot 01, and so on. Their number
   * must be known at synthesis.
   */
  readonly snapshots: string[];
}

/** The stable identity that outlives the servers: a name, a fixed address, and volumes. */
export interface Slot {
  /** Name of the slot, for example `oss-00`. */
  readonly name: string;

  /**
   * The fixed private IPv4 address of its network interface. A token unless `addresses` names it.
   */
  readonly address: string;

  /** Id of the network interface that carries the address. */
  readonly networkInterfaceId: string;

  /** Ids of its volumes, in serving order. */
  readonly volumeIds: string[];
}

/**
 * How the servers of a tier are asked whether they serve. EC2's status checks see a dead machine, not a service that
 * hangs.
 *
 * A server that says several times in a row that it does not serve is replaced by its Auto Scaling group. One server of
 * a tier is replaced at a time.
 *
 * Nobody is replaced while the question itself may be at fault. That is so when servers cannot be asked, more than one
 * in ten fail at once, or a deployment, an instance refresh or another replacement is under way.
 */
export interface HealthProbeProps {
  /**
   * Whether the servers are asked.
   *
   * @default true
   */
  readonly enabled?: boolean;

  /**
   * How often the servers are asked, in whole minutes from 1 to 15.
   *
   * @default Duration.minutes(1)
   */
  readonly interval?: Duration;

  /**
   * How often in a row a server must fail until it is replaced, from 2 to 10. A service that hangs is seen after
   * `misses` to `misses + 1` intervals.
   *
   * @default 3
   */
  readonly misses?: number;
}

/** Properties of `VolumeReattachment`. */
export interface VolumeReattachmentProps {
  /**
   * Name of the tier, the first part of its slots' names: `oss` makes `oss-00`, `oss-01` and so on. A lower-case
   * letter, then at most 15 lower-case letters, digits or dashes.
   */
  readonly tier: string;

  /** How many servers the tier has at all times, from 1 to 128. It can grow; to shrink it would orphan data. */
  readonly slotCount: number;

  /**
   * Servers that wait for a slot. It can be changed at any time; see the README before taking one away.
   *
   * @default StandbyServers.none()
   */
  readonly standby?: StandbyServers;

  /**
   * The volumes of each slot, in serving order. Their number and order are fixed for the life of a tier; to grow, add
   * slots.
   */
  readonly volumes: SlotVolume[];

  /**
   * Ids of volumes kept from an earlier stack, to be served instead of new ones. They are never formatted.
   *
   * Name all volumes of slot 00 in serving order, then those of slot 01, and so on; whole slots only. The slots after
   * them get new volumes, so that a tier with kept volumes can grow. `volumes` still says what each of them is. The
   * length of the list must be known at synthesis.
   *
   * The volumes must lie in the subnet's Availability Zone. They must carry the tag `cdk-sas-grid:tier` with this
   * tier's value (see `tierTag`), since the permission to attach them rests on it. Those of one NFS server or io2 host
   * are one file system: the deployment is refused when they come from snapshots of different moments.
   *
   * @default - new, blank, encrypted volumes
   */
  readonly existingVolumes?: string[];

  /**
   * A set of snapshots that the volumes of the first slots are made of: those of a deployment, or of one that is gone.
   * They are never formatted. The deployment is refused unless the snapshots are all that the set has of this tier,
   * each in its place, and the set was judged complete. It stays for the life of the tier; the snapshots can go once it
   * is served.
   *
   * @default - new, blank, encrypted volumes
   */
  readonly restoreFrom?: RestoredSet;

  /**
   * What must never change while the tier holds data, such as the name of its file system: by names of letters and
   * digits, as users know them. CloudFormation refuses an update with another value before it touches a server.
   *
   * @default - nothing but the slots and their volumes
   */
  readonly neverChanges?: { [name: string]: string };

  /**
   * The fixed private IPv4 addresses, one per slot, inside the subnet.
   *
   * @default - EC2 picks one per slot when the interface is created; it never changes afterwards
   */
  readonly addresses?: string[];

  /**
   * How many interfaces and volumes of the tier its stack takes, from 0 to 500. CloudFormation's limit is 500
   * resources, so leave room for all else in the stack. Whole slots beyond it go into nested stacks.
   *
   * The number decides in which stack a slot is. It is fixed for the life of a tier that has more slots than that: with
   * another number some slots would get new, empty volumes, which the deployment then refuses.
   *
   * @default 400
   */
  readonly resourcesInStack?: number;

  /** The network of the tier. */
  readonly vpc: ec2.IVpc;

  /** The one subnet of the tier. Volumes live in one Availability Zone, and so does whatever serves them. */
  readonly subnet: ec2.ISubnet;

  /** The security group of the servers and of the slots' interfaces. */
  readonly securityGroup: ec2.ISecurityGroup;

  /** The type of the servers. It must be able to attach all volumes of a slot at once. */
  readonly instanceType: ec2.InstanceType;

  /** The image of the servers. */
  readonly machineImage: ec2.IMachineImage;

  /**
   * The host software of the servers. It must hold a role that brings `sas-grid-serve`. You can add to it until
   * synthesis.
   */
  readonly hostBundle: HostBundle;

  /**
   * The placement group of the servers.
   *
   * @default - none
   */
  readonly placementGroup?: ec2.IPlacementGroup;

  /**
   * What else a replacement may be when EC2 has no capacity for `instanceType` in the placement group: from 1 to 10
   * other types, in order. They are launched outside of the placement group. Each launch tries `instanceType` in the
   * group first.
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

  /** The table that holds which server owns which slot. The tiers of one file system share one. */
  readonly volumeMap: VolumeMap;

  /**
   * The key that encrypts the volumes, the servers' root disks and the logs. On a key of the same app the construct
   * allows what is needed.
   *
   * The policy of an imported key must let the Auto Scaling service-linked role of the account use it and create grants
   * for AWS resources. It must let CloudWatch Logs use it, too.
   *
   * A key that the app makes has to stay as the volumes do: synthesis refuses it unless its removal policy is `RETAIN`,
   * the CDK's default for keys. Keep an imported key yourself: without it nobody can ever read the volumes again.
   *
   * @default - the key of the volume map
   */
  readonly encryptionKey?: kms.IKey;

  /**
   * How long one repair may take, from 5 minutes to 12 hours. It begins with the loss of a server or the start of a
   * deployment. At its end the launch of a server that does not serve is abandoned, and the next one is tried. A server
   * that says that it repairs a file system is waited for, a day at most.
   *
   * @default Duration.hours(1)
   */
  readonly recoveryTimeout?: Duration;

  /**
   * How often the tier is checked even if no event came. From 1 minute to 1 hour.
   *
   * @default Duration.minutes(5)
   */
  readonly schedule?: Duration;

  /**
   * How the servers are asked whether they serve.
   *
   * @default - once a minute; a server is replaced when it fails three times in a row
   */
  readonly healthProbe?: HealthProbeProps;

  /**
   * Where the alarms go, and what the group tells of launches and terminations. A topic of the app lets CloudWatch
   * publish there, and its key lets CloudWatch and Auto Scaling use it. If the topic or the key is imported, its owner
   * has to allow that.
   *
   * @default - alarms change state and notify nobody
   */
  readonly alarmTopic?: sns.ITopic;

  /**
   * Name of the root device in the image: `/dev/xvda` for Amazon Linux and Debian, `/dev/sda1` for Red Hat Enterprise
   * Linux, its relatives and Ubuntu. With a wrong name the server gets a second, useless disk, and its root disk is
   * encrypted only if the account encrypts by default.
   *
   * @default '/dev/xvda'
   */
  readonly rootDeviceName?: string;

  /**
   * Size of the servers' root disk (gp3), at least 8 GiB.
   *
   * @default Size.gibibytes(30)
   */
  readonly rootVolumeSize?: Size;
}
