import { type Stack, Token } from 'aws-cdk-lib';
import { AutoScalingGroup } from 'aws-cdk-lib/aws-autoscaling';
import {
  type GridNetwork,
  IntelLustre,
  Io2BlockExpressGfs2,
  NfsStorageServer,
  type VolumeMap,
} from '../constructs';
import type { Deployment } from './deployment';
import type { StorageStack } from './storage-stack';

/**
 * Exports what other stacks of the deployment import with some key of the configuration, whether or not they do now.
 * The CDK exports what is imported at the time. When a key goes, the stack that exports is deployed first, and
 * CloudFormation refuses to drop what the others still import ("Get exported outputs from a deployed CloudFormation
 * stack", read 2026-11-25).
 */
export function keepExports({ network, storage, grid }: Deployment): void {
  if (network) keep(network, ofNetwork(network.network));
  keep(storage, ofStorage(storage));
  if (grid) keep(grid, [grid.cluster.role.roleName]);
}

function keep(stack: Stack, values: readonly string[]): void {
  // What a configuration names itself is no export.
  for (const value of new Set(values)) if (Token.isUnresolved(value)) stack.exportValue(value);
}

const ofNetwork = (network: GridNetwork): string[] => [
  network.vpc.vpcId,
  ...[...network.publicSubnets, ...network.privateSubnets].map(({ subnetId }) => subnetId),
  network.gridSecurityGroup.securityGroupId,
  network.storageSecurityGroup.securityGroupId,
  network.loadBalancerSecurityGroup.securityGroupId,
  network.placementGroup.placementGroupName,
];

/** What alarms, game days and benchmarks need of it. */
function ofStorage({ alarmTopic, sharedFileSystem: fileSystem }: StorageStack): string[] {
  const own = [alarmTopic.topicArn];
  if (fileSystem instanceof IntelLustre)
    return [...own, ...ofMap(fileSystem.volumeMap), fileSystem.oss.role.roleName];
  if (fileSystem instanceof NfsStorageServer) {
    const { volumeMap, role, reattachment, autoScalingGroupName } = fileSystem;
    return [...own, ...ofMap(volumeMap), role.roleName, ...(reattachment ? [] : [autoScalingGroupName])];
  }
  if (!(fileSystem instanceof Io2BlockExpressGfs2)) return own;
  if (fileSystem.tier) return [...own, fileSystem.tier.role.roleName];
  const groups = fileSystem.hosts.map(({ autoScalingGroup }) => autoScalingGroup);
  const roles = groups.flatMap((group) => (group instanceof AutoScalingGroup ? [group.role.roleName] : []));
  return [...own, ...roles, ...groups.map(({ autoScalingGroupName }) => autoScalingGroupName)];
}

const ofMap = (map?: VolumeMap): string[] =>
  map ? [map.table.tableArn, map.table.tableName, map.encryptionKey.keyArn] : [];
