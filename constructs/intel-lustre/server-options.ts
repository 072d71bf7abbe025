import type * as ec2 from 'aws-cdk-lib/aws-ec2';
import type { CapacityReservation } from '../grid-network';
import type { RestoredSet, SlotVolume, StandbyServers } from '../volume-reattachment';

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
   * A set of snapshots that the volumes are made of, as `cdk-sas-grid backup` makes it. All tiers are of one set, and
   * have the addresses that its servers had: targets know them. It stays for the life of the file system.
   *
   * @default - new volumes
   */
  readonly restoreFrom?: RestoredSet;

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
