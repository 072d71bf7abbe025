import { CfnResource, type aws_ec2 as ec2, Stack } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';
import { isGridNode, isSharedFileSystem, isTier } from '../private/kinds';
import { FSX_LUSTRE } from '../sizing';

/** What identifies something that is deployed: a change of any of these means another one. */
export type Identity = Readonly<Record<string, unknown>>;

type Properties = Readonly<Record<string, unknown>>;

/**
 * By type, from what the template will say: an app may have overridden what a construct was made with, and two copies
 * of the CDK in one tree have two classes of each.
 */
const OF_TYPE: Readonly<
  Record<string, (properties: Properties, resource: CfnResource) => Identity | undefined>
> = {
  'AWS::EC2::Volume': ofVolume,
  'AWS::EC2::NetworkInterface': ofInterface,
  'AWS::FSx::FileSystem': ofFileSystem,
  'AWS::FSx::Volume': ofFsxVolume,
  'AWS::EFS::FileSystem': ({ AvailabilityZoneName, Encrypted, KmsKeyId, PerformanceMode }) => ({
    availabilityZone: AvailabilityZoneName,
    encrypted: Encrypted,
    kmsKeyId: KmsKeyId,
    performanceMode: PerformanceMode,
  }),
  'AWS::EC2::VPC': ({ CidrBlock }) => ({ cidrBlock: CidrBlock }),
  'AWS::EC2::Subnet': ({ AvailabilityZone, CidrBlock }) => ({
    availabilityZone: AvailabilityZone,
    cidrBlock: CidrBlock,
  }),
  'AWS::EC2::PlacementGroup': (_, group) => ({ tags: (group as ec2.CfnPlacementGroup).tags?.tagValues() }),
  'AWS::EC2::Instance': (_, server) => ofGridServer(server as ec2.CfnInstance),
};

/** What identifies a part of an app; undefined of what may come, go and be replaced. */
export function identityOf(node: IConstruct): Identity | undefined {
  if (Stack.isStack(node)) return node.nestedStackResource ? undefined : {};
  if (!CfnResource.isCfnResource(node)) return isSharedFileSystem(node) ? node.neverChanges : undefined;
  const identify = OF_TYPE[node.cfnResourceType];
  return identify?.(propertiesOf(node), node);
}

function propertiesOf(resource: CfnResource): Properties {
  const { Resources } = Stack.of(resource).resolve(resource._toCloudFormation()) as {
    Resources: Record<string, { Properties?: Properties }>;
  };
  return Object.values(Resources)[0]?.Properties ?? {};
}

/**
 * AWS::EC2::Volume cannot change its zone, encryption, key or snapshot in place, and shrinks never
 * (https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-ec2-volume.html). Another
 * logical id is another, empty volume. Type, IOPS, throughput and growth are changed in place and not recorded.
 */
function ofVolume({ AvailabilityZone, Encrypted, KmsKeyId, SnapshotId, ...rest }: Properties): Identity {
  const { MultiAttachEnabled, Iops, Size } = rest;
  return {
    availabilityZone: AvailabilityZone,
    encrypted: Encrypted,
    kmsKeyId: KmsKeyId,
    snapshotId: SnapshotId,
    // CloudFormation cannot change these in place while several hosts may have the volume.
    ...(MultiAttachEnabled
      ? { multiAttachEnabled: true, iops: Iops, fixedSizeGiB: Size }
      : { sizeGiB: Size }),
  };
}

/**
 * Its address is written into Lustre's own configuration, and what clients mount. An interface of a grid node holds
 * nothing: nodes may come and go.
 */
function ofInterface(
  { SubnetId, PrivateIpAddress }: Properties,
  resource: CfnResource,
): Identity | undefined {
  if (!resource.node.scopes.some((scope) => isTier(scope) || isSharedFileSystem(scope))) return undefined;
  return { subnetId: SubnetId, privateIpAddress: PrivateIpAddress };
}

/** The template reference of AWS::FSx::FileSystem names what is replaced. */
function ofFileSystem(properties: Properties): Identity {
  const lustre = properties.LustreConfiguration as Properties | undefined;
  const other = (properties.OpenZFSConfiguration ?? properties.OntapConfiguration) as Properties | undefined;
  return {
    // One that is made of a backup, or of another one, is another file system.
    backupId: properties.BackupId,
    fileSystemType: properties.FileSystemType,
    fileSystemTypeVersion: properties.FileSystemTypeVersion,
    securityGroupIds: properties.SecurityGroupIds,
    deploymentType: (lustre ?? other)?.DeploymentType,
    perUnitStorageThroughput: lustre?.PerUnitStorageThroughput,
    // Written down also when it is not in the template, so that a record from before it was recorded is known as such.
    copyTagsToBackups: lustre && (lustre.CopyTagsToBackups ?? false),
    metadataIops: metadataIops(
      lustre?.MetadataConfiguration as Properties | undefined,
      properties.StorageCapacity,
    ),
    throughputMBps: lustre?.ThroughputCapacity,
    storageType: properties.StorageType,
    subnetIds: properties.SubnetIds,
    kmsKeyId: properties.KmsKeyId,
    sizeGiB: properties.StorageCapacity,
  };
}

/** What CloudFormation makes another volume for: the template reference of AWS::FSx::Volume names it. */
function ofFsxVolume({ BackupId, OntapConfiguration, OpenZFSConfiguration }: Properties): Identity {
  const ontap = OntapConfiguration as Properties | undefined;
  const openZfs = OpenZFSConfiguration as Properties | undefined;
  return {
    backupId: BackupId,
    storageVirtualMachineId: ontap?.StorageVirtualMachineId,
    volumeStyle: ontap?.VolumeStyle,
    parentVolumeId: openZfs?.ParentVolumeId,
  };
}

/**
 * Metadata operations per second of FSx for Lustre: those that are named, or what FSx provisions by itself for the
 * capacity.
 */
function metadataIops(configured: Properties | undefined, capacityGiB: unknown): unknown {
  if (configured?.Mode !== 'AUTOMATIC' || typeof capacityGiB !== 'number') return configured?.Iops;
  const { upToGiB, stepGiB, perStep } = FSX_LUSTRE.automaticMetadataIops;
  const found = upToGiB.find(([most]) => capacityGiB <= most);
  return found?.[1] ?? Math.ceil(capacityGiB / stepGiB) * perStep;
}

/** A server of a grid holds no data. But what replaces it needs its interface, which EC2 refuses while it runs. */
function ofGridServer(server: ec2.CfnInstance): Identity | undefined {
  const node = server.node.scope;
  if (!node || !isGridNode(node)) return undefined;
  const interfaces = resourcesIn(node, 'AWS::EC2::NetworkInterface') as ec2.CfnNetworkInterface[];
  return {
    imageId: server.imageId,
    subnetId: interfaces[0]?.subnetId,
    privateIpAddress: interfaces[0]?.privateIpAddress,
    placementGroup: server.placementGroupName,
    capacityReservation: reservedFor(server, node),
    instanceStore: disksOf(server),
    terminationProtection: server.disableApiTermination,
  };
}

/** Where the server starts: its launch template has nothing else, and a change of it is another server. */
function reservedFor({ launchTemplate }: ec2.CfnInstance, node: IConstruct): unknown {
  if (!launchTemplate || !node.node.scope) return undefined;
  const templates = resourcesIn(node.node.scope, 'AWS::EC2::LaunchTemplate') as ec2.CfnLaunchTemplate[];
  return templates.find(({ node: { id } }) => id === 'ReservedCapacity')?.launchTemplateData;
}

const resourcesIn = (scope: IConstruct, type: string): CfnResource[] =>
  scope.node.children.filter(
    (child): child is CfnResource => CfnResource.isCfnResource(child) && child.cfnResourceType === type,
  );

/** Disks of instance store that the launch names, as earlier types need it; undefined where there are none. */
function disksOf({ blockDeviceMappings }: ec2.CfnInstance): string[] | undefined {
  const mappings = Array.isArray(blockDeviceMappings) ? blockDeviceMappings : [];
  const names = mappings.flatMap((each) =>
    'virtualName' in each && each.virtualName ? [each.virtualName] : [],
  );
  return names.length > 0 ? names : undefined;
}

/** How a part is called in the record. */
export function nameOf(node: IConstruct): string {
  const stack = Stack.of(node);
  if (node === stack) return stack.stackName;
  if (!CfnResource.isCfnResource(node)) return `${placeOf(stack)}/${node.node.path}`;
  return `${placeOf(stack)}/${stack.resolve(node.logicalId)}`;
}

/**
 * The name of a stack; of a nested one, whose name is known after its deployment, the logical id in the stack that it
 * is part of.
 */
const placeOf = (stack: Stack): string =>
  stack.nestedStackResource ? nameOf(stack.nestedStackResource) : stack.stackName;
