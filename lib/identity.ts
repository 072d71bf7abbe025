import { type CfnResource, aws_ec2 as ec2, aws_fsx as fsx, Stack } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';
import {
  GridNode,
  HostRole,
  IntelLustre,
  Io2BlockExpressGfs2,
  NfsStorageServer,
  VolumeReattachment,
} from '../constructs';
import { FSX_LUSTRE } from '../constructs/sizing';

/** What identifies something that is deployed: a change of any of these means another one. */
export type Identity = Readonly<Record<string, unknown>>;

/** What identifies a part of a deployment; undefined of what may come, go and be replaced. */
export function identityOf(node: IConstruct): Identity | undefined {
  if (node instanceof Stack) return node.nestedStackResource ? undefined : {};
  if (node instanceof ec2.CfnVolume) return ofVolume(node);
  if (node instanceof ec2.CfnNetworkInterface) return isOfStorage(node) ? ofInterface(node) : undefined;
  if (node instanceof fsx.CfnFileSystem) return ofFileSystem(node);
  if (node instanceof ec2.CfnVPC) return { cidrBlock: node.cidrBlock };
  if (node instanceof ec2.CfnSubnet) {
    const { availabilityZone, cidrBlock } = node;
    return { availabilityZone, cidrBlock };
  }
  if (node instanceof ec2.CfnPlacementGroup) return { tags: node.tags.tagValues() };
  if (node instanceof ec2.CfnInstance) return ofGridServer(node);
  if (node instanceof NfsStorageServer) {
    return {
      exportPath: node.exportPath,
      // They are one pool.
      volumesPerServer: node.reattachment?.slots[0]?.volumeIds.length,
      existingVolumes: existing(node.reattachment),
    };
  }
  if (node instanceof Io2BlockExpressGfs2) {
    return {
      fileSystemType: node.fileSystemType,
      // They are one group, whose name is the cluster's. Kept volumes are not resources of the stack, and known by
      // their ids only.
      volumes: node.volumeIds,
      clusterName: node.hosts[0]!.hostBundle.setting(HostRole.GFS2_NODE, 'CLUSTER'),
      // Where nodes share volumes: what CloudFormation would refuse in the middle of the deployment.
      stripeKiB: node.hosts[0]!.hostBundle.setting(HostRole.GFS2_NODE, 'STRIPE_KIB'),
    };
  }
  if (!(node instanceof IntelLustre)) return undefined;
  return {
    fileSystemName: node.fileSystemName,
    backend: node.backend,
    // The numbers of the targets follow from it.
    volumesPerServer: node.oss.slots[0]?.volumeIds.length,
    existingVolumes: existing(node.mgs, node.mds, node.oss),
  };
}

/**
 * AWS::EC2::Volume cannot change its zone, encryption, key or snapshot in place, and shrinks never
 * (https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-ec2-volume.html). Another
 * logical id is another, empty volume. Type, IOPS, throughput and growth are changed in place and not recorded.
 */
const ofVolume = (volume: ec2.CfnVolume): Identity => ({
  availabilityZone: volume.availabilityZone,
  encrypted: volume.encrypted,
  kmsKeyId: volume.kmsKeyId,
  snapshotId: volume.snapshotId,
  // CloudFormation cannot change these in place while several hosts may have the volume.
  ...(volume.multiAttachEnabled
    ? { multiAttachEnabled: true, iops: volume.iops, fixedSizeGiB: volume.size }
    : { sizeGiB: volume.size }),
});

/** Its address is written into Lustre's own configuration, and what clients mount. */
const ofInterface = ({ subnetId, privateIpAddress }: ec2.CfnNetworkInterface): Identity => ({
  subnetId,
  privateIpAddress,
});

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
  if (!(node instanceof GridNode)) return undefined;
  const interfaces = node.node.children.filter((child) => child instanceof ec2.CfnNetworkInterface);
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
function reservedFor({ launchTemplate }: ec2.CfnInstance, node: GridNode): unknown {
  const reserved = launchTemplate && node.node.scope?.node.tryFindChild('ReservedCapacity');
  return reserved instanceof ec2.CfnLaunchTemplate ? reserved.launchTemplateData : undefined;
}

/** Disks of instance store that the launch names, as earlier types need it; undefined where there are none. */
function disksOf({ blockDeviceMappings }: ec2.CfnInstance): string[] | undefined {
  const mappings = Array.isArray(blockDeviceMappings) ? blockDeviceMappings : [];
  const names = mappings.flatMap((each) =>
    'virtualName' in each && each.virtualName ? [each.virtualName] : [],
  );
  return names.length > 0 ? names : undefined;
}

/**
 * Ids of volumes that were kept from an earlier deployment: no resources of the stack. Undefined when there are none.
 */
function existing(...tiers: (VolumeReattachment | undefined)[]): string[] | undefined {
  const ids = tiers.flatMap((tier) => tier?.slots.flatMap(({ volumeIds }) => volumeIds) ?? []);
  const named = ids.filter((id) => id.startsWith('vol-'));
  return named.length > 0 ? named : undefined;
}

/** An interface of a grid node holds nothing: nodes may come and go. */
const isOfStorage = (node: IConstruct): boolean =>
  node.node.scopes.some(
    (scope) =>
      scope instanceof VolumeReattachment ||
      scope instanceof NfsStorageServer ||
      scope instanceof Io2BlockExpressGfs2,
  );

/** How a part is called in the record. */
export function nameOf(node: IConstruct): string {
  const stack = Stack.of(node);
  if (node === stack) return stack.stackName;
  if (!isResource(node)) return `${placeOf(stack)}/${node.node.path}`;
  return `${placeOf(stack)}/${stack.resolve(node.logicalId)}`;
}

const isResource = (node: IConstruct): node is CfnResource => 'logicalId' in node;

/**
 * The name of a stack; of a nested one, whose name is known after its deployment, the logical id in the stack that it
 * is part of.
 */
const placeOf = (stack: Stack): string =>
  stack.nestedStackResource ? nameOf(stack.nestedStackResource) : stack.stackName;
