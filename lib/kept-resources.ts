import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { type CfnResource, aws_ec2 as ec2, aws_fsx as fsx, Stack } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';
import {
  HostRole,
  IntelLustre,
  Io2BlockExpressGfs2,
  NfsStorageServer,
  VolumeReattachment,
} from '../constructs';

/** What identifies a volume, or the address it is served at: a change of any of these means another resource. */
type Identity = Readonly<Record<string, unknown>>;

/** The identities of a deployment by '<stack>/<logical id>'. */
export type KeptResources = Readonly<Record<string, Identity>>;

/** A change that would leave a deployed volume, and the data on it, behind. */
export class KeptResourceError extends Error {
  public override readonly name = 'KeptResourceError';
}

/**
 * The volumes and managed file systems that hold data, and the interfaces whose addresses are written into Lustre's own configuration.
 *
 * AWS::EC2::Volume cannot change its zone, encryption, key or snapshot in place, and shrinks never
 * (https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-ec2-volume.html). Another
 * logical id is another, empty volume. Type, IOPS, throughput and growth are changed in place and not recorded. For AWS::FSx::FileSystem
 * the same page of the reference names what is replaced.
 */
export function keptResources(root: IConstruct): KeptResources {
  const found: Record<string, Identity> = {};
  for (const node of root.node.findAll()) {
    if (node instanceof ec2.CfnVolume) {
      found[nameOf(node)] = resolved(node, {
        availabilityZone: node.availabilityZone,
        encrypted: node.encrypted,
        kmsKeyId: node.kmsKeyId,
        snapshotId: node.snapshotId,
        // CloudFormation cannot change these in place while several hosts may have the volume.
        ...(node.multiAttachEnabled
          ? { multiAttachEnabled: true, iops: node.iops, fixedSizeGiB: node.size }
          : { sizeGiB: node.size }),
      });
    } else if (node instanceof ec2.CfnNetworkInterface && isOfStorage(node)) {
      found[nameOf(node)] = resolved(node, {
        subnetId: node.subnetId,
        privateIpAddress: node.privateIpAddress,
      });
    } else if (node instanceof fsx.CfnFileSystem) {
      const lustre = Stack.of(node).resolve(node.lustreConfiguration);
      found[nameOf(node)] = resolved(node, {
        fileSystemType: node.fileSystemType,
        fileSystemTypeVersion: node.fileSystemTypeVersion,
        securityGroupIds: node.securityGroupIds,
        deploymentType: lustre?.deploymentType,
        perUnitStorageThroughput: lustre?.perUnitStorageThroughput,
        // Written down also when it is not in the template, so that a record from before it was recorded is known as such.
        copyTagsToBackups: lustre && (lustre.copyTagsToBackups ?? false),
        storageType: node.storageType,
        subnetIds: node.subnetIds,
        kmsKeyId: node.kmsKeyId,
        sizeGiB: node.storageCapacity,
      });
    } else if (node instanceof NfsStorageServer) {
      found[`${placeOf(Stack.of(node))}/${node.node.path}`] = resolved(node, {
        exportPath: node.exportPath,
        // They are one pool.
        volumesPerServer: node.reattachment?.slots[0]?.volumeIds.length,
      });
    } else if (node instanceof Io2BlockExpressGfs2) {
      found[`${placeOf(Stack.of(node))}/${node.node.path}`] = resolved(node, {
        fileSystemType: node.fileSystemType,
        // They are one group, whose name is the cluster's. Kept volumes are not resources of the stack, and known by their ids only.
        volumes: node.volumeIds,
        clusterName: node.hosts[0]!.hostBundle.setting(HostRole.GFS2_NODE, 'CLUSTER'),
      });
    } else if (node instanceof IntelLustre) {
      found[`${placeOf(Stack.of(node))}/${node.node.path}`] = resolved(node, {
        fileSystemName: node.fileSystemName,
        backend: node.backend,
        // The numbers of the targets follow from it.
        volumesPerServer: node.oss.slots[0]?.volumeIds.length,
      });
    }
  }
  return found;
}

/** Writes down what is deployed now, so that a later synthesis can refuse to leave it behind. */
export function recordKeptResources(file: string, resources: KeptResources): void {
  const sorted = Object.fromEntries(Object.entries(resources).sort(([a], [b]) => a.localeCompare(b)));
  writeFileSync(file, `${JSON.stringify(sorted, null, 2)}\n`);
}

/**
 * Refuses a synthesis that would leave a recorded volume or address behind. Without a record it does nothing.
 *
 * @throws KeptResourceError naming each resource, what changes, and what to do instead
 */
export function checkKeptResources(file: string, resources: KeptResources): void {
  if (!existsSync(file)) return;
  const recorded = JSON.parse(readFileSync(file, 'utf8')) as KeptResources;
  const problems = Object.entries(recorded).flatMap(([name, before]) =>
    differences(name, before, resources[name]),
  );
  if (!problems.length) return;
  throw new KeptResourceError(
    [
      'This change would leave deployed volumes or addresses behind, and with them the data of the file system:',
      ...problems.map((problem) => `  - ${problem}`),
      'To keep the data, undo the change. To move it, deploy a second deployment under another name and copy the data.',
      'To serve kept volumes again after their stacks were deleted, follow docs/operations.md.',
      `If nothing of this is deployed (any more), delete ${relative(process.cwd(), file)} and synthesize again.`,
    ].join('\n'),
  );
}

function differences(name: string, before: Identity, after: Identity | undefined): string[] {
  if (!after) return [`${name} is no longer in the deployment; CloudFormation would let go of it`];
  return Object.keys({ ...before, ...after })
    .filter((key) => JSON.stringify(before[key]) !== JSON.stringify(after[key]))
    .filter((key) => key !== 'sizeGiB' || !(Number(after[key]) > Number(before[key])))
    .map(
      (key) => `${name}: ${key} changes from ${show(before[key])} to ${show(after[key])}${why(key, before)}`,
    );
}

/** What FSx or the configuration offers instead, of the properties that look as if they could be changed at any time. */
const WAYS_OUT: Readonly<Record<string, string>> = {
  perUnitStorageThroughput:
    'keep the value of throughputPerTiB here, and have FSx change it in place: ' +
    'aws fsx update-file-system --file-system-id fs-... --lustre-configuration PerUnitStorageThroughput=...',
  copyTagsToBackups: 'name copyTagsToBackups as it is deployed, whatever the retention of the backups is',
};

function why(key: string, before: Identity): string {
  if (key === 'sizeGiB') return '; storage only grows';
  const wayOut = WAYS_OUT[key];
  if (!wayOut) return '; it cannot be changed in place';
  return before[key] === undefined
    ? `: the record is from before this was recorded. Write into it, as ${key}, what is deployed, which aws fsx describe-file-systems shows`
    : `; CloudFormation would make a new, empty file system. Instead, ${wayOut}`;
}

const show = (value: unknown): string => JSON.stringify(value) ?? 'nothing';

/** An interface of a grid node holds nothing: nodes may come and go. */
const isOfStorage = (node: IConstruct): boolean =>
  node.node.scopes.some(
    (scope) =>
      scope instanceof VolumeReattachment ||
      scope instanceof NfsStorageServer ||
      scope instanceof Io2BlockExpressGfs2,
  );

const nameOf = (resource: CfnResource): string => {
  const stack = Stack.of(resource);
  return `${placeOf(stack)}/${stack.resolve(resource.logicalId)}`;
};

/** The name of a stack; of a nested one, whose name is known after its deployment, the logical id in the stack that it is part of. */
const placeOf = (stack: Stack): string =>
  stack.nestedStackResource ? nameOf(stack.nestedStackResource) : stack.stackName;

/** The properties as they will stand in the template; those without a value are left out. */
function resolved(scope: IConstruct, properties: Record<string, unknown>): Identity {
  const plain = Stack.of(scope).resolve(properties) as Record<string, unknown>;
  return JSON.parse(JSON.stringify(plain)) as Identity;
}
