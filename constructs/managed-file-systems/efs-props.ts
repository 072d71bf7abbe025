import type { ISubnet } from 'aws-cdk-lib/aws-ec2';
import { checkArguments } from '../private/inputs/check';
import type { ManagedFileSystemProps } from './props';

/** How fast an EFS file system is, and what is paid for it. */
export class EfsThroughput {
  /** As fast as it is used, up to the quota of the region; paid for by what is read and written. */
  static elastic(): EfsThroughput {
    return new EfsThroughput('elastic');
  }

  /** A rate that is always there and paid for: 1 to 3414 MiB/s, in most regions 1024. */
  static provisioned(mibps: number): EfsThroughput {
    ({ mibps } = checkArguments('EfsThroughput.provisioned', { mibps }));
    return new EfsThroughput('provisioned', mibps);
  }

  /** A rate that grows with the data: 50 KiB/s for each GiB, more for a while. Small file systems are slow. */
  static bursting(): EfsThroughput {
    return new EfsThroughput('bursting');
  }

  private constructor(
    /** `elastic`, `provisioned` or `bursting`. */
    readonly mode: string,
    /** The rate in MiB/s; undefined unless provisioned. */
    readonly mibps?: number,
  ) {}
}

/** Properties of `EfsSharedFileSystem`. */
export interface EfsSharedFileSystemProps extends ManagedFileSystemProps {
  /**
   * How fast it is.
   *
   * @default EfsThroughput.elastic()
   */
  readonly throughput?: EfsThroughput;

  /**
   * Whether data is kept in the network's Availability Zone only: cheaper, and lost with the zone.
   *
   * @default false
   */
  readonly oneZone?: boolean;

  /**
   * Subnets in other Availability Zones from which it is mounted as well, one for each zone.
   *
   * @default - none: it is mounted in the network's zone
   */
  readonly otherSubnets?: ISubnet[];

  /**
   * Whether AWS Backup makes a daily backup, kept for 35 days.
   *
   * @default true
   */
  readonly backups?: boolean;
}

/** An EFS file system that exists already. */
export interface EfsAttributes {
  /** Its id, for example `fs-0123456789abcdef0`. */
  readonly fileSystemId: string;
}
