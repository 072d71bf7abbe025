import { Stack } from 'aws-cdk-lib';
import * as ec2 from 'aws-cdk-lib/aws-ec2';
import type * as kms from 'aws-cdk-lib/aws-kms';
import type { Construct, IConstruct } from 'constructs';
import { requireUsableKey } from '../private/imported';
import { tellOtherVpc } from '../private/in-network';
import { keptKey } from '../private/retained-key';
import { isConcrete } from '../private/validation';
import type { StorageDescription } from '../shared-file-system';
import type { ManagedFileSystemProps } from './props';

/** The key of a file system: the user's, or a new one that is kept like the data. */
export function keyOf(scope: Construct, props: ManagedFileSystemProps): kms.IKey {
  requireUsableKey(scope, props.encryptionKey);
  return props.encryptionKey ?? keptKey(scope, 'Key', `Data of ${scope.node.path}`);
}

/** The security group of a file system, and the default port of what connects to it. */
export function connectionsOf(
  scope: IConstruct,
  props: ManagedFileSystemProps,
  defaultPort: ec2.Port,
): ec2.Connections {
  tellOtherVpc(scope, 'securityGroup', props.securityGroup, props.network.vpc);
  return new ec2.Connections({
    securityGroups: [props.securityGroup ?? props.network.storageSecurityGroup],
    defaultPort,
  });
}

/**
 * Amazon FSx refuses to make a Lustre file system whose group does not let its members reach each other: that rule is a
 * resource of its own, and has to be there first. Rules for hosts come later and are not waited for.
 */
export function waitForOwnRules(resource: IConstruct, group: ec2.ISecurityGroup): void {
  for (const rule of group.node.children) {
    if (!(rule instanceof ec2.CfnSecurityGroupIngress || rule instanceof ec2.CfnSecurityGroupEgress))
      continue;
    const other =
      rule instanceof ec2.CfnSecurityGroupIngress
        ? rule.sourceSecurityGroupId
        : rule.destinationSecurityGroupId;
    const resolve = (value: unknown) => JSON.stringify(Stack.of(rule).resolve(value));
    if (resolve(other) === resolve(rule.groupId)) resource.node.addDependency(rule);
  }
}

/** What a file system is made of that AWS runs: what it was bought with, as far as that is known at synthesis. */
export const describe = (kind: string, each: number | undefined, count = 1): StorageDescription => ({
  kind,
  ...(isConcrete(each) && { provisionedMBps: each! * count }),
});
