import type { Duration, Size } from 'aws-cdk-lib';
import type * as ec2 from 'aws-cdk-lib/aws-ec2';
import type { InstanceStoreDisks } from '../ephemeral-scratch';
import { checkArguments } from '../private/inputs/check';
import { invalid } from '../private/validation';
import type { HealthProbeProps, RestoredSet, SlotVolume, StandbyServers } from '../volume-reattachment';
import type { NfsPreset } from './presets';

/** Snapshots of the volumes on a schedule, by Amazon Data Lifecycle Manager. */
export interface NfsBackup {
  /**
   * Time between two snapshots: 1, 2, 3, 4, 6, 8, 12 or 24 hours (what Data Lifecycle Manager offers).
   *
   * @default Duration.hours(24)
   */
  readonly every?: Duration;

  /**
   * Time of day of the first snapshot, in UTC, as `hh:mm`. It starts within the hour that follows.
   *
   * @default '03:00'
   */
  readonly startTime?: string;

  /**
   * How long snapshots are kept, in whole days from 1 to 36500. The last one is never deleted.
   *
   * @default Duration.days(14)
   */
  readonly retention?: Duration;
}

/** A server whose data is on EBS volumes. */
export interface EbsNfsStorageProps {
  /**
   * Where all numbers come from that are not named here.
   *
   * @default NfsPreset.current(NfsPresetName.MEDIUM_5TB)
   */
  readonly preset?: NfsPreset;

  /**
   * What each volume is, for example st1, gp3 or io2. It can grow, and the file system follows when the server serves
   * it the next time (see the README); it can never shrink.
   *
   * @default - the preset's
   */
  readonly volume?: SlotVolume;

  /**
   * How many of them are pooled, striped. Fixed for the life of the data: they are one pool.
   *
   * @default 1
   */
  readonly volumeCount?: number;

  /**
   * What the clients together are to get all day, in MB/s (10^6 bytes). The smallest current type whose EBS and network
   * bandwidth hold that all day is chosen.
   *
   * @default - with `volume` or `volumeCount`: what the volumes deliver all day, up to 1 GB/s. Else the preset's type
   * is used
   */
  readonly throughputMBps?: number;

  /**
   * The type of the server. It wins over `throughputMBps`.
   *
   * @default - chosen by the throughput, or the preset's
   */
  readonly instanceType?: ec2.InstanceType;

  /**
   * What else a replacement may be, in order, when EC2 has no capacity for its type in the placement group: from 1 to
   * 10 other types, which are launched outside of it. Each launch tries its type in the group first. The alarm
   * `FallbackServer` tells that such a server is there; terminate it when there is capacity again. Each type has to
   * attach what is attached, and to fit the image.
   *
   * @default - none: the launch is tried again until there is capacity
   */
  readonly fallbackInstanceTypes?: ec2.InstanceType[];

  /**
   * A server that waits for the one that is lost. It is in the same placement group and costs what the server costs.
   *
   * @default StandbyServers.none()
   */
  readonly standby?: StandbyServers;

  /**
   * Ids of volumes kept from a deleted stack, all of them in serving order, to be served instead of new ones. They are
   * never formatted, and must carry the tag `cdk-sas-grid:tier` of this server (see the README). The server's
   * `encryptionKey` must be the one that they have.
   *
   * @default - new, blank, encrypted volumes
   */
  readonly existingVolumes?: string[];

  /**
   * A set of snapshots that the volumes are made of: that of another NFS server with as many volumes, as
   * `cdk-sas-grid backup` makes it. It stays for the life of the server.
   *
   * @default - new, blank, encrypted volumes
   */
  readonly restoreFrom?: RestoredSet;

  /**
   * Snapshots of the volumes on a schedule, all of them at the same instant.
   *
   * @default - none
   */
  readonly backup?: NfsBackup;

  /**
   * How long the repair of the server may take before its launch is abandoned and the next one is tried. From 5 minutes
   * to 12 hours. One that repairs the file system (`e2fsck`) is waited for, a day at most.
   *
   * @default Duration.hours(1)
   */
  readonly recoveryTimeout?: Duration;

  /**
   * How often the server is checked even if no event came. From 1 minute to 1 hour.
   *
   * @default Duration.minutes(5)
   */
  readonly schedule?: Duration;

  /**
   * How the server is asked whether its export is mounted and nfsd answers.
   *
   * @default - once a minute; the server is replaced when it fails three times in a row
   */
  readonly healthProbe?: HealthProbeProps;
}

/** A user's word that the data may be lost. */
export class DataLossOnFailure {
  /**
   * All data is lost when the server fails, is stopped, or is taken away as Spot capacity, and that is acceptable.
   *
   * @param reason why, for whoever reads the template later; it stands there as metadata
   * @throws when no reason is given
   */
  static acceptable(reason: string): DataLossOnFailure {
    ({ reason } = checkArguments('DataLossOnFailure.acceptable', { reason }));
    if (typeof reason !== 'string' || reason.trim() === '') {
      throw invalid(
        undefined,
        'The reason why the loss of all data is acceptable',
        reason,
        'a sentence',
        "Say why, for example 'copies of data in S3', or use NfsStorage.ebs(), which loses nothing.",
      );
    }
    return new DataLossOnFailure(reason.trim());
  }

  private constructor(
    /** Why it is acceptable. */
    readonly reason: string,
  ) {}
}

/** Spot capacity for the server. */
export interface NfsSpotOptions {
  /**
   * The most to pay for an hour, in USD. AWS advises to leave it out: the server is then interrupted for capacity only,
   * never for its price.
   *
   * @default - the On-Demand price
   */
  readonly maxPriceUsd?: number;
}

/** A server whose data is on the disks inside the host. A replacement starts empty. */
export interface InstanceStoreNfsStorageProps {
  /** That the loss of all data is acceptable, and why: `DataLossOnFailure.acceptable('...')`. */
  readonly dataLossOnFailure: DataLossOnFailure;

  /**
   * The type of the server. It wins over `capacity` and `throughputMBps`.
   *
   * @default - the smallest i3en with the capacity and the throughput
   */
  readonly instanceType?: ec2.InstanceType;

  /**
   * The disks of a type that is newer than the table of this library. It wins over the table.
   *
   * @default - from the table
   */
  readonly instanceStore?: InstanceStoreDisks;

  /**
   * How much the disks are to hold together.
   *
   * @default - 5 TB (5 * 10^12 bytes), unless the type is named
   */
  readonly capacity?: Size;

  /**
   * What the clients together are to get all day, in MB/s (10^6 bytes).
   *
   * @default - whatever the type with the capacity has
   */
  readonly throughputMBps?: number;

  /**
   * Use Spot capacity. When AWS takes it away, the data is lost.
   *
   * @default - On-Demand
   */
  readonly spot?: NfsSpotOptions;
}

/** Where an NFS server has its data. */
export class NfsStorage {
  /**
   * On EBS volumes: a failed server is replaced with its volumes and its address, and clients go on.
   */
  static ebs(props: EbsNfsStorageProps = {}): NfsStorage {
    ({ props } = checkArguments('NfsStorage.ebs', { props }));
    return new NfsStorage('ebs', props, undefined);
  }

  /**
   * On the disks inside the host: fast and cheap, and all data is lost when the host fails. A replacement has the same
   * address and starts empty.
   *
   * @throws when it is not said that the loss is acceptable
   */
  static instanceStore(props: InstanceStoreNfsStorageProps): NfsStorage {
    ({ props } = checkArguments('NfsStorage.instanceStore', { props }));
    return new NfsStorage('instance-store', undefined, props);
  }

  /** @internal */
  readonly _ebs?: EbsNfsStorageProps;

  /** @internal */
  readonly _instanceStore?: InstanceStoreNfsStorageProps;

  private constructor(
    /** `ebs` or `instance-store`. */
    readonly kind: string,
    ebs: EbsNfsStorageProps | undefined,
    instanceStore: InstanceStoreNfsStorageProps | undefined,
  ) {
    this._ebs = ebs;
    this._instanceStore = instanceStore;
  }
}
