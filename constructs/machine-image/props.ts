import type { Size } from 'aws-cdk-lib';
import type * as ec2 from 'aws-cdk-lib/aws-ec2';
import type * as kms from 'aws-cdk-lib/aws-kms';
import type * as sns from 'aws-cdk-lib/aws-sns';
import type { IGridNetwork } from '../grid-network';
import type { ImageSoftware } from '../host';
import type { LustreBackend } from '../intel-lustre';
import type { PackageMirror } from './package-mirror';

/** A package that a mirror has, and what it has to be. */
export interface RecordedPackage {
  /** Its file: `lustre-2.17.0-1.el9.x86_64.rpm`. */
  readonly file: string;

  /** SHA-256 of the file as it was fetched, 64 hexadecimal digits. */
  readonly sha256: string;

  /** Where it was fetched. */
  readonly address: string;

  /**
   * SHA-256 of the file as the mirror has it, where the mirror has signed it.
   *
   * @default - that of the file as it was fetched
   */
  readonly storedSha256?: string;
}

/** What all images that are built have in common. */
export interface BuiltImageProps {
  /** Where the build instance lives: the private subnet. The first build needs a way to the internet from there. */
  readonly network: IGridNetwork;

  /**
   * The id of the image that hosts are launched from: what the pipeline has built, by `ami-` and hexadecimal digits. It
   * stays until you name another one, whatever is built meanwhile.
   *
   * @default - a parameter of the stack that launches from it, without a default: it asks for the id at deployment
   */
  readonly imageId?: string;

  /**
   * The host software that this image has, as `software` said when it was built.
   *
   * @default - none: hosts bring their software themselves
   */
  readonly imageSoftware?: ImageSoftware;

  /**
   * Where packages come from.
   *
   * @default - a new mirror
   */
  readonly mirror?: PackageMirror;

  /**
   * What mirrors recorded before, for example in an earlier build. A package with another checksum is refused.
   *
   * @default - none: what the mirror has recorded itself counts
   */
  readonly recordedPackages?: RecordedPackage[];

  /**
   * The image to begin with: a plain AlmaLinux, Rocky Linux or RHEL of the release that the build is for, x86_64; with
   * a source tree of Lustre, Debian 12.
   *
   * @default - the newest AlmaLinux of that release, or Debian's own; where the stack names no account and
   * region, a parameter of the stack that asks for it
   */
  readonly baseImage?: ec2.IMachineImage;

  /**
   * The type of the build instance and of the one that tests the image.
   *
   * @default m6i.large
   */
  readonly instanceType?: ec2.InstanceType;

  /**
   * Its security group. It needs no way in; out, HTTPS and HTTP.
   *
   * @default - the network's group of the grid
   */
  readonly securityGroup?: ec2.ISecurityGroup;

  /**
   * Size of the root disk, 16 GiB or more. Hosts can have a larger one, and no smaller one.
   *
   * @default Size.gibibytes(20)
   */
  readonly rootVolumeSize?: Size;

  /**
   * Encrypts the image.
   *
   * @default - the account's key for EBS
   */
  readonly encryptionKey?: kms.IKey;

  /**
   * When it is built again by itself, for patches: a schedule of Image Builder, such as `cron(0 3 1 * ? *)`, in UTC. No
   * host changes by that: each build waits until you name its id.
   *
   * @default - only when somebody starts the pipeline
   */
  readonly rebuildSchedule?: string;

  /**
   * Is told how builds end. Image Builder's own role publishes to it: a key of the topic has to let it.
   *
   * @default - nobody
   */
  readonly alarmTopic?: sns.ITopic;
}

/** A source tree of Lustre, from which an image is built. */
export interface LustreSourceTree {
  /**
   * The archive of the tree, a file on the machine that synthesizes: tar, compressed or not, with one folder. With git:
   * `git archive --format=tar.gz --prefix=lustre-2.17.0/ -o lustre-2.17.0.tar.gz 2.17.0`. Patches that the kernel needs
   * have to be in it.
   */
  readonly archive: string;

  /**
   * The kernel of Debian 12 that it is built for, as `uname -r` says: `6.1.0-56-cloud-amd64`. Debian has to have it,
   * with its headers, when the image is built first.
   */
  readonly kernel: string;
}

/** Properties of `LustreServerImage`. */
export interface LustreServerImageProps extends BuiltImageProps {
  /**
   * The release of Lustre. Which there are, for which system and kernel, says the README of this construct; of a source
   * tree any, which has to be the tree's.
   *
   * @default '2.17.0'
   */
  readonly lustreVersion?: string;

  /**
   * The file system underneath the targets, the same as of `IntelLustre`.
   *
   * @default LustreBackend.LDISKFS; of a source tree LustreBackend.ZFS, the only one that is built of it
   */
  readonly backend?: LustreBackend;

  /**
   * Has Lustre built from this source, with ZFS on Debian 12, instead of taking packages that were built for EL. Hosts
   * then need `rootDeviceName: '/dev/xvda'`.
   *
   * @default - packages of those who publish Lustre
   */
  readonly sourceTree?: LustreSourceTree;
}

/** Properties of `StorageServerImage`. */
export interface StorageServerImageProps extends BuiltImageProps {
  /**
   * The release of EL: `9.7`.
   *
   * @default '9.7'
   */
  readonly release?: string;
}

/** Properties of `GridNodeImage`. */
export interface GridNodeImageProps extends BuiltImageProps {
  /**
   * The release of EL: `9.7`.
   *
   * @default '9.7'
   */
  readonly release?: string;

  /**
   * The release of the Lustre client, for a grid on Lustre.
   *
   * @default - none: the nodes mount NFS
   */
  readonly lustreVersion?: string;

  /**
   * A component of your own that lays SAS down from your depot: the address of its YAML document in S3, beginning with
   * `s3://`. It runs after everything else is installed. The build's role (`role`) may read nothing of yours until you
   * let it.
   *
   * @default - none
   */
  readonly ownComponent?: string;
}
