import { createHash } from 'node:crypto';
import { CfnParameter, type Size, Stack, Token, Validations } from 'aws-cdk-lib';
import * as ec2 from 'aws-cdk-lib/aws-ec2';
import * as iam from 'aws-cdk-lib/aws-iam';
import * as imagebuilder from 'aws-cdk-lib/aws-imagebuilder';
import type { Asset } from 'aws-cdk-lib/aws-s3-assets';
import { Construct } from 'constructs';
import { BASE_IMAGES } from '../facts/lustre-builds';
import type { IHostImage, ImageSoftware } from '../host';
import { currentHostSoftware } from '../host/in-image';
import { systemsManagerAgentRole } from '../private/agent-role';
import { inlinePolicy } from '../private/inline-policy';
import { checkArguments } from '../private/inputs/check';
import { nagText, wildcardFinding } from '../private/nag-text';
import { ImageArchive, type ImageContents } from './archive';
import { ImageDocument, type ImageSteps } from './document';
import { buildRights, PackageMirror } from './package-mirror';
import type { BuiltImageProps } from './props';

/** What an image is of. */
export interface Recipe {
  /** Part of the names: `lustre-server`. */
  readonly kind: string;
  /** The release of the system: `9.7`. */
  readonly release: string;
  /** Whether it begins with Debian, not with EL. */
  readonly debian?: boolean;
  readonly contents: Omit<ImageContents, 'recorded'>;
  readonly steps: ImageSteps;
  /** The user's component by its address in S3. */
  readonly ownComponent?: string;
  /** The source tree that its packages are built from. */
  readonly source?: Asset;
}

/** The root disk of images for EC2. */
const ROOT_DEVICES = { el: '/dev/sda1', debian: '/dev/xvda' };
const DEFAULT_ROOT_GIB = 20;

/** Image Builder waits so long for the tests. */
const TEST_MINUTES = 120;

/**
 * An image that EC2 Image Builder makes in your account, and that hosts are launched from. Deploying it makes the
 * pipeline, not the image: start that, and name what it has built as `imageId`.
 */
export abstract class BuiltImage extends Construct implements IHostImage {
  /** The role of the build instance. Let it read what a component of your own needs. */
  readonly role: iam.IRole;

  /** Where its packages come from. */
  readonly mirror: PackageMirror;

  /** The host software that the next build gets; name it as `imageSoftware` with the image's id. */
  readonly software: ImageSoftware;

  /** What the image that hosts are launched from has. */
  readonly hostSoftware?: ImageSoftware;

  private readonly imageId?: string;
  private readonly buildRole: iam.Role;
  private pipeline?: imagebuilder.CfnImagePipeline;

  protected constructor(scope: Construct, id: string, props: BuiltImageProps) {
    super(scope, id);
    this.software = currentHostSoftware();
    this.imageId = props.imageId;
    this.hostSoftware = props.imageId ? props.imageSoftware : undefined;
    this.mirror = props.mirror ?? new PackageMirror(this, 'Mirror');
    this.buildRole = systemsManagerAgentRole(this, 'Role', `Builds the image ${this.node.path}`);
    this.role = this.buildRole;
  }

  /** The pipeline to start: `aws imagebuilder start-image-pipeline-execution --image-pipeline-arn`. */
  get pipelineArn(): string {
    return this.pipeline!.attrArn;
  }

  /** @internal */
  protected _build(props: BuiltImageProps, recipe: Recipe): void {
    const name = `${Stack.of(this).stackName}-${recipe.kind}`;
    const prefix = `${recipe.kind}/${recipe.release}`;
    const archive = new ImageArchive(this, {
      ...recipe.contents,
      recorded: (props.recordedPackages ?? []).map((each) => [
        each.file,
        each.sha256,
        each.address,
        ...(each.storedSha256 ? [each.storedSha256] : []),
      ]),
    });
    this.allow(name, [archive.asset, ...(recipe.source ? [recipe.source] : [])]);
    this.mirror._allow(this, this.buildRole, prefix);
    const components = this.components(name, prefix, archive, recipe);
    this.pipeline = new imagebuilder.CfnImagePipeline(this, 'Pipeline', {
      name,
      description: `Builds the image of a ${recipe.kind} of a SAS grid`,
      imageRecipeArn: this.recipe(name, components, props, recipe).attrArn,
      infrastructureConfigurationArn: this.infrastructure(name, props).attrArn,
      distributionConfigurationArn: this.distribution(name, recipe).attrArn,
      imageTestsConfiguration: { imageTestsEnabled: true, timeoutMinutes: TEST_MINUTES },
      schedule: props.rebuildSchedule
        ? {
            scheduleExpression: props.rebuildSchedule,
            pipelineExecutionStartCondition: 'EXPRESSION_MATCH_ONLY',
          }
        : undefined,
      status: 'ENABLED',
    });
    // Else the build instance could take an address that a storage server needs.
    this.pipeline.node.addDependency(props.network.addressesReserved, this.buildRole);
  }

  /** The image that hosts are launched from, by its id; where none is named, by a parameter of the host's stack. */
  getImage(scope: Construct): ec2.MachineImageConfig {
    ({ scope } = checkArguments('BuiltImage#getImage', { scope }, this));
    const what = `The image that the pipeline ${this.node.path} has built`;
    return linux(this.imageId ?? askForImage(Stack.of(scope), `ImageOf${this.node.id}`, what));
  }

  private components(
    name: string,
    prefix: string,
    archive: ImageArchive,
    { steps, ownComponent, source }: Recipe,
  ): imagebuilder.CfnComponent[] {
    const document = new ImageDocument(archive, {
      bucket: this.mirror.bucket.bucketName,
      prefix,
      secret: this.mirror.signingKey.secretArn,
      region: Stack.of(this).region,
      source: source && `s3://${source.s3BucketName}/${source.s3ObjectKey}`,
    });
    return [
      this.component(`${name}-install`, 'Install', { data: document.build(steps) }),
      ...(ownComponent ? [this.component(`${name}-own`, 'Own', { uri: ownComponent })] : []),
      this.component(`${name}-finish`, 'Finish', { data: document.finish() }),
    ];
  }

  private allow(name: string, assets: readonly Asset[]): void {
    const objects = assets.map(({ bucket, s3ObjectKey }) => bucket.arnForObjects(s3ObjectKey));
    const policy = inlinePolicy(this, 'Build', this.buildRole, [
      ...buildRights(this, name),
      new iam.PolicyStatement({ sid: 'FetchPrograms', actions: ['s3:GetObject'], resources: objects }),
    ]);
    for (const { bucket } of assets) bucket.encryptionKey?.grantDecrypt(this.buildRole);
    for (const statement of buildRights(this, name)) {
      for (const resource of statement.resources.filter((each) => each.includes('*'))) {
        Validations.of(policy).acknowledge({
          id: wildcardFinding(this, resource),
          reason:
            'Components and log streams get a version or a date at the end of their names; the executor is in a ' +
            'bucket of Image Builder whose name has the region.',
        });
      }
    }
  }

  /** Its name has a hash of what it is made of: a component cannot be changed, and exists once by name and version. */
  private component(
    name: string,
    id: string,
    content: { readonly data?: string; readonly uri?: string },
  ): imagebuilder.CfnComponent {
    return new imagebuilder.CfnComponent(this, id, {
      name: `${name}-${digest(nagText(this, content.data ?? content.uri!))}`,
      version: '1.0.0',
      platform: 'Linux',
      ...content,
    });
  }

  private recipe(
    name: string,
    components: imagebuilder.CfnComponent[],
    props: BuiltImageProps,
    { kind, release, debian }: Recipe,
  ): imagebuilder.CfnImageRecipe {
    const base = props.baseImage ?? (debian ? this.debian() : this.almaLinux(release));
    const { imageId } = base.getImage(this);
    const size: Size | undefined = props.rootVolumeSize;
    const content = {
      parentImage: imageId,
      components: components.map((each) => ({ componentArn: each.attrArn })),
      blockDeviceMappings: [
        {
          deviceName: debian ? ROOT_DEVICES.debian : ROOT_DEVICES.el,
          ebs: {
            encrypted: true,
            kmsKeyId: props.encryptionKey?.keyArn,
            volumeType: 'gp3',
            volumeSize: size?.toGibibytes() ?? DEFAULT_ROOT_GIB,
            deleteOnTermination: true,
          },
        },
      ],
    };
    const names = components.map((each) => each.name).join(' ');
    const key = nagText(this, `${imageId} ${content.blockDeviceMappings[0]!.ebs.volumeSize} ${names}`);
    return new imagebuilder.CfnImageRecipe(this, 'Recipe', {
      name: `${name}-${digest(key + (props.encryptionKey ? this.node.path : ''))}`,
      version: '1.0.0',
      ...content,
      // The agent is what hosts are told by.
      additionalInstanceConfiguration: { systemsManagerAgent: { uninstallAfterBuild: false } },
      amiTags: {
        'cdk-sas-grid:image': kind,
        'cdk-sas-grid:host-software': this.software.version,
      },
    });
  }

  private almaLinux(release: string): ec2.IMachineImage {
    const { owner, pattern } = BASE_IMAGES.value.almalinux!;
    const what = `A plain EL ${release} (AlmaLinux is of the account ${owner}), x86_64`;
    return this.published(owner, pattern.replace('RELEASE', release), 'x86_64', what);
  }

  private debian(): ec2.IMachineImage {
    const { owner, pattern } = BASE_IMAGES.value.debian!;
    return this.published(owner, pattern, 'amd64', `A plain Debian 12 (of the account ${owner}), x86_64`);
  }

  /** The newest one of a publisher; where neither account nor region is known, a parameter asks for it. */
  private published(owner: string, pattern: string, architecture: string, what: string): ec2.IMachineImage {
    const stack = Stack.of(this);
    if (!Token.isUnresolved(stack.region) && !Token.isUnresolved(stack.account)) {
      return ec2.MachineImage.lookup({
        name: pattern.replace('ARCHITECTURE', architecture),
        owners: [owner],
      });
    }
    return { getImage: () => linux(askForImage(stack, `BaseImageOf${this.node.id}`, what)) };
  }

  private infrastructure(
    name: string,
    { network, ...props }: BuiltImageProps,
  ): imagebuilder.CfnInfrastructureConfiguration {
    const profile = new iam.InstanceProfile(this, 'Profile', { role: this.buildRole });
    return new imagebuilder.CfnInfrastructureConfiguration(this, 'Infrastructure', {
      name,
      instanceProfileName: profile.instanceProfileName,
      instanceTypes: [(props.instanceType ?? new ec2.InstanceType('m6i.large')).toString()],
      subnetId: network.privateSubnets[0]!.subnetId,
      securityGroupIds: [(props.securityGroup ?? network.gridSecurityGroup).securityGroupId],
      instanceMetadataOptions: { httpTokens: 'required', httpPutResponseHopLimit: 1 },
      terminateInstanceOnFailure: true,
      snsTopicArn: props.alarmTopic?.topicArn,
    });
  }

  private distribution(name: string, { kind }: Recipe): imagebuilder.CfnDistributionConfiguration {
    return new imagebuilder.CfnDistributionConfiguration(this, 'Distribution', {
      name,
      distributions: [
        {
          region: Stack.of(this).region,
          amiDistributionConfiguration: {
            Name: `${name}-{{ imagebuilder:buildDate }}`,
            AmiTags: {
              Name: name,
              'cdk-sas-grid:image': kind,
              'cdk-sas-grid:host-software': this.software.version,
            },
          },
        },
      ],
    });
  }
}

/** A parameter that asks for an image; one for all that ask by the same name. */
function askForImage(stack: Stack, id: string, description: string): string {
  const known = stack.node.tryFindChild(id) as CfnParameter | undefined;
  return (known ?? new CfnParameter(stack, id, { type: 'AWS::EC2::Image::Id', description })).valueAsString;
}

const linux = (imageId: string): ec2.MachineImageConfig => ({
  imageId,
  osType: ec2.OperatingSystemType.LINUX,
  userData: ec2.UserData.forLinux(),
});

const digest = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 8);
