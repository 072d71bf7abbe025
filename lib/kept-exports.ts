import { type Stack, Token } from 'aws-cdk-lib';
import type { GridNetwork } from '../constructs';
import type { GridStack } from './grid-stack';
import type { NetworkStack } from './network-stack';
import type { StorageStack } from './storage-stack';

/** The stacks of a deployment whose values others import. */
interface ExportingStacks {
  readonly network?: NetworkStack;
  readonly storage: StorageStack;
  readonly grid?: GridStack;
}

/**
 * Exports what other stacks of the deployment import with some key of the configuration, whether or not they do now.
 * The CDK exports what is imported at the time. When a key goes, the stack that exports is deployed first, and
 * CloudFormation refuses to drop what the others still import ("Get exported outputs from a deployed CloudFormation
 * stack", read 2026-11-25).
 */
export function keepExports({ network, storage, grid }: ExportingStacks): void {
  if (network) exportEach(network, ofNetwork(network.network));
  exportEach(storage, [storage.alarmTopic.topicArn, ...storage.made.exports]);
  if (grid) exportEach(grid, [grid.cluster.role.roleName]);
}

function exportEach(stack: Stack, values: readonly string[]): void {
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
