import { CfnResource, type aws_ec2 as ec2, type aws_fsx as fsx, Stack } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';
import { isGridNode, isSharedFileSystem, isTier } from '../private/kinds';
import { FSX_LUSTRE } from '../sizing';

/** What identifies something that is deployed: a change of any of these means another one. */
export type Identity = Readonly<Record<string, unknown>>;

type OfResource = (resource: never) => Identity | undefined;

/** By type: two copies of the CDK in one tree have two classes of each. */
const OF_TYPE: Readonly<Record<string, OfResource>> = {
  'AWS::EC2::Volume': ofVolume,
  'AWS::EC2::NetworkInterface': ofInterface,
  'AWS::FSx::FileSystem': ofFileSystem,
  'AWS::EC2::VPC': ({ cidrBlock }: ec2.CfnVPC) => ({ cidrBlock }),
  'AWS::EC2::Subnet': ({ availabilityZone, cidrBlock }: ec2.CfnSubnet) => ({ availabilityZone, cidrBlock }),
  'AWS::EC2::PlacementGroup': ({ tags }: ec2.CfnPlacementGroup) => ({ tags: tags.tagValues() }),
  'AWS::EC2::Instance': ofGridServer,
};

/** What identifies a part of an app; undefined of what may come, go and be replaced. */
export function identityOf(node: IConstruct): Identity | undefined {
  if (Stack.isStack(node)) return node.nestedStackResource ? undefined : {};
  if (CfnResource.isCfnResource(node)) return OF_TYPE[node.cfnResourceType]?.(node as never);
  return isSharedFileSystem(node) ? node.neverChanges : undefined;
}

/**
 * AWS::EC2::Volume cannot change its zone, encryption, key or snapshot in place, and shrinks never
 * (https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-ec2-volume.html). Another
 * logical id is another, empty volume. Type, IOPS, throughput and growth are changed in place and not recorded.
 */
function ofVolume(volume: ec2.CfnVolume): Identity {
  const { availabilityZone, encrypted, kmsKeyId, snapshotId } = volume;
  // CloudFormation cannot change these in place while several hosts may have the volume.
  const fixed = volume.multiAttachEnabled
    ? { multiAttachEnabled: true, iops: volume.iops, fixedSizeGiB: volume.size }
    : { sizeGiB: volume.size };
  return { availabilityZone, encrypted, kmsKeyId, snapshotId, ...fixed };
}

/**
 * Its address is written into Lustre's own configuration, and what clients mount. An interface of a grid node holds
 * nothing: nodes may come and go.
 */
function ofInterface(resource: ec2.CfnNetworkInterface): Identity | undefined {
  if (!resource.node.scopes.some((scope) => isTier(scope) || isSharedFileSystem(scope))) return undefined;
  const { subnetId, privateIpAddress } = resource;
  return { subnetId, privateIpAddress };
}

/** The template reference of AWS::FSx::FileSystem names what is replaced. */
function ofFileSystem(node: fsx.CfnFileSystem): Identity {
  const lustre = Stack.of(node).resolve(node.lustreConfiguration);
  return {
    fileSystemType: node.fileSystemType,
    fileSystemTypeVersion: node.fileSystemTypeVersion,
    securityGroupIds: node.securityGroupIds,
    deploymentType: lustre?.deploymentType,
    perUnitStorageThroughput: lustre?.perUnitStorageThroughput,
    // Written down also when it is not in the template, so that a record from before it was recorded is known as such.
    copyTagsToBackups: lustre && (lustre.copyTagsToBackups ?? false),
    metadataIops: metadataIops(lustre?.metadataConfiguration, node.storageCapacity),
    throughputMBps: lustre?.throughputCapacity,
    storageType: node.storageType,
    subnetIds: node.subnetIds,
    kmsKeyId: node.kmsKeyId,
    sizeGiB: node.storageCapacity,
  };
}

/**
 * Metadata operations per second of FSx for Lustre: those that are named, or what FSx provisions by itself for the
 * capacity.
 */
function metadataIops(
  configured: fsx.CfnFileSystem.MetadataConfigurationProperty | undefined,
  capacityGiB: number | undefined,
): number | undefined {
  if (configured?.mode !== 'AUTOMATIC' || capacityGiB === undefined) return configured?.iops;
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
