import { Size } from 'aws-cdk-lib';
import { EbsDeviceVolumeType, InstanceType } from 'aws-cdk-lib/aws-ec2';
import { checkArguments } from '../private/inputs/check';
import { invalid } from '../private/validation';
import { chooseNfsServer, NFS_SERVER_SIZES, nfsServerSize, sustainedVolumeMBps } from '../sizing';
import type { SlotVolume } from '../volume-reattachment';

/** The sizes of paper 003, by the names that it gives them. */
export enum NfsPresetName {
  /** 2000 GB. */
  SMALL_2TB = 'Small-2TB',
  /** 5000 GB. */
  MEDIUM_5TB = 'Medium-5TB',
  /** 10000 GB. */
  LARGE_10TB = 'Large-10TB',
  /** 15000 GB. */
  XLARGE_15TB = 'XLarge-15TB',
}

/** A complete set of numbers for an NFS server with EBS volumes. */
export class NfsPreset {
  /**
   * The paper's server, to the number: m4.xlarge, m4.2xlarge, m4.4xlarge or m4.10xlarge with one st1 volume. Measured
   * (003): about 90, 120, 260 to 570 and 500 MB/s.
   *
   * These types are older than Nitro: their volumes show no identity, so that they serve on the embedded AWS only.
   *
   * @param name the size
   * @default - `name` is Medium-5TB
   * @throws when there is no such size
   */
  static papers2016(name: NfsPresetName = NfsPresetName.MEDIUM_5TB): NfsPreset {
    ({ name } = checkArguments('NfsPreset.papers2016', { name }));
    const { volumeGiB, paperType } = sizeOf(name);
    return new NfsPreset(name, new InstanceType(paperType), st1(volumeGiB));
  }

  /**
   * The same size on a current type: the smallest that passes on all day what the volume delivers all day (m6in.large,
   * m6in.xlarge, m6in.2xlarge, m6in.2xlarge).
   *
   * @param name the size
   * @default - `name` is Medium-5TB
   * @throws when there is no such size
   */
  static current(name: NfsPresetName = NfsPresetName.MEDIUM_5TB): NfsPreset {
    ({ name } = checkArguments('NfsPreset.current', { name }));
    const { volumeGiB } = sizeOf(name);
    const throughputMBps = sustainedVolumeMBps({ type: 'st1', sizeGiB: volumeGiB })!;
    return new NfsPreset(name, new InstanceType(chooseNfsServer({ throughputMBps }).type!), st1(volumeGiB));
  }

  private constructor(
    /** The name of the size, for example `Medium-5TB`. */
    readonly name: string,
    /** The type of the server. */
    readonly instanceType: InstanceType,
    /** Its one volume. */
    readonly volume: SlotVolume,
  ) {}
}

const st1 = (gibibytes: number): SlotVolume => ({
  volumeType: EbsDeviceVolumeType.ST1,
  size: Size.gibibytes(gibibytes),
});

function sizeOf(name: string) {
  const size = nfsServerSize(name);
  if (size) return size;
  const known = NFS_SERVER_SIZES.map((one) => one.name).join(', ');
  throw invalid(
    undefined,
    'The name of an NFS preset',
    name,
    known,
    'Use one of these, or name the volumes.',
  );
}
