import { Annotations, CfnOutput, Stack, type StackProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import {
  type BuiltImageProps,
  type GridNetwork,
  GridNodeImage,
  type IHostImage,
  LustreBackend,
  LustreServerImage,
  PackageMirror,
  StorageServerImage,
} from '../constructs';
import type { DeploymentConfig, ImageBuildConfig, NodeImageBuildConfig } from './config-types';
import { fixedImage } from './from-config';
import type { ImageRecord, ImageUse } from './image-record';

export interface ImageStackProps extends StackProps {
  readonly config: DeploymentConfig;
  readonly network: GridNetwork;
  readonly record: ImageRecord;
}

/** What the configuration has built, by the hosts that are launched from it. */
interface Builds {
  readonly storage?: ImageBuildConfig;
  readonly grid?: NodeImageBuildConfig;
}

/** Which images a configuration has built. */
export function buildsOf({ storage, nfs, io2, grid }: DeploymentConfig): Builds {
  const ofServers = (storage?.image ?? nfs?.image ?? io2?.image)?.build;
  const ofNodes = grid?.image?.build;
  return { ...(ofServers && { storage: ofServers }), ...(ofNodes && { grid: ofNodes }) };
}

/**
 * The same configuration, with what was built and recorded in the place of what is to be built: no build is part of a
 * product, but its image can be.
 */
export function withBuiltImages(config: DeploymentConfig, images: ImageRecord['images']): DeploymentConfig {
  const builds = buildsOf(config);
  const named = <Part extends object | undefined>(part: Part, use: ImageUse): Part =>
    part && images[use] ? { ...part, image: { amiId: images[use].imageId } } : part;
  const { storage, nfs, io2, grid } = config;
  return {
    ...config,
    ...(builds.storage && {
      ...(storage && { storage: named(storage, 'storage') }),
      ...(nfs && { nfs: named(nfs, 'storage') }),
      ...(io2 && { io2: named(io2, 'storage') }),
    }),
    ...(builds.grid && grid && { grid: named(grid, 'grid') }),
  };
}

/** The pipelines that build the images of a deployment. A build that fails rolls nothing else back. */
export class ImageStack extends Stack {
  public readonly storage?: IHostImage;
  public readonly grid?: IHostImage;

  public constructor(scope: Construct, id: string, { config, network, record, ...props }: ImageStackProps) {
    super(scope, id, props);
    const builds = buildsOf(config);
    const mirror = new PackageMirror(this, 'Mirror');
    const common = (use: ImageUse): BuiltImageProps => {
      const { imageId, software } = record.images[use] ?? {};
      const { baseAmiId, rebuildSchedule } = builds[use]!;
      return {
        network,
        mirror,
        imageId,
        imageSoftware: software,
        recordedPackages: Object.values(record.packages ?? {}).flat(),
        baseImage: baseAmiId ? fixedImage(baseAmiId) : undefined,
        rebuildSchedule,
      };
    };
    if (builds.storage)
      this.storage = this.add('storage', storageImage(this, config, common('storage')), record);
    if (builds.grid) this.grid = this.add('grid', gridImage(this, builds.grid, common('grid')), record);
    new CfnOutput(this, 'MirrorBucket', {
      value: mirror.bucket.bucketName,
      description: 'The packages that images are built from, and their checksums',
    });
  }

  private add<Image extends IHostImage & { readonly pipelineArn: string }>(
    use: ImageUse,
    image: Image,
    { images }: ImageRecord,
  ): Image {
    new CfnOutput(this, `${use === 'storage' ? 'Storage' : 'Grid'}ImagePipeline`, {
      value: image.pipelineArn,
    });
    const { newer, imageId } = images[use] ?? {};
    if (newer) {
      Annotations.of(this).addInfo(
        `The image ${newer.imageId} of ${newer.built} is newer than ${imageId}, from which hosts of ${use} are ` +
          `launched. To take it: make images DEPLOYMENT=<name> ADOPT=${use}`,
      );
    }
    return image;
  }
}

function storageImage(stack: Stack, { storage }: DeploymentConfig, props: BuiltImageProps) {
  if (!storage) return new StorageServerImage(stack, 'StorageImage', props);
  return new LustreServerImage(stack, 'StorageImage', {
    ...props,
    lustreVersion: storage.image?.build?.lustreVersion,
    backend: storage.backend === 'zfs' ? LustreBackend.ZFS : LustreBackend.LDISKFS,
  });
}

function gridImage(stack: Stack, build: NodeImageBuildConfig, props: BuiltImageProps) {
  const { lustreVersion, ownComponent } = build;
  return new GridNodeImage(stack, 'GridImage', { ...props, lustreVersion, ownComponent });
}
