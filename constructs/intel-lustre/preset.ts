import { Size } from 'aws-cdk-lib';
import { EbsDeviceVolumeType, InstanceType } from 'aws-cdk-lib/aws-ec2';
import {
  LUSTRE_CURRENT,
  LUSTRE_PAPERS_2015,
  type LustreNumbers,
  type LustreTierNumbers,
} from '../sizing/data/lustre-presets';
import type { SlotVolume } from '../volume-reattachment';

/** The servers of one kind. */
export interface LustreServers {
  /** How many there are. */
  readonly serverCount: number;

  /** Their type. */
  readonly instanceType: InstanceType;

  /** How many volumes each has. */
  readonly volumesPerServer: number;

  /** What each volume is. */
  readonly volume: SlotVolume;
}

/** A complete set of numbers for a Lustre file system. */
export class LustrePreset {
  /**
   * The papers' file system, to the number: management server c3.xlarge, metadata server c3.4xlarge, three object
   * storage servers c3.8xlarge with eight gp2 volumes of 750 GB each (papers 000 and 001). 18 TB; about 500 MB/s a
   * server, because one 10 Gb/s interface carries the volumes' and the clients' traffic.
   *
   * The papers do not say what the management and metadata targets lie on; gp2 of 100 and 500 GiB here.
   */
  static papers2015(): LustrePreset {
    return LustrePreset.of(LUSTRE_PAPERS_2015);
  }

  /**
   * The same capacity on current machines: three m6in.8xlarge object storage servers with eight gp3 volumes of 750 GiB.
   *
   * Volumes have their own 25 Gbit/s (3125 MB/s) on an m6in.8xlarge, apart from its 50 Gbit/s network. Eight volumes at
   * 375 MiB/s are 3146 MB/s, so that neither side waits for the other. 375 MiB/s are 1500 operations of 256 KiB a
   * second, half of what gp3 has without paying for more. Metadata is many small operations: its volume has 6000 IOPS.
   */
  static current(): LustrePreset {
    return LustrePreset.of(LUSTRE_CURRENT);
  }

  private static of({ mgs, mds, oss }: LustreNumbers): LustrePreset {
    return new LustrePreset(serversOf(mgs), serversOf(mds), serversOf(oss));
  }

  private constructor(
    /** The management server (MGS). */
    readonly mgs: LustreServers,
    /** The metadata server (MDS). */
    readonly mds: LustreServers,
    /** The object storage servers (OSS). */
    readonly oss: LustreServers,
  ) {}
}

function serversOf({ servers, serverType, volumesPerServer, volume }: LustreTierNumbers): LustreServers {
  const { type, sizeGiB, iops, throughputMiBps } = volume;
  return {
    serverCount: servers,
    instanceType: new InstanceType(serverType),
    volumesPerServer,
    volume: { volumeType: VOLUME_TYPES[type], size: Size.gibibytes(sizeGiB), iops, throughputMiBps },
  };
}

const VOLUME_TYPES = { gp2: EbsDeviceVolumeType.GP2, gp3: EbsDeviceVolumeType.GP3 } as const;
