import {
  AspectPriority,
  Aspects,
  CfnResource,
  type IAspect,
  RemovalPolicy,
  type TagProps,
  Tags,
} from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';

/** After the aspects of the app, which may change what ours see. */
export const AFTER_ALL = AspectPriority.READONLY;

/** Above what an app gives its own tags: the CDK's priorities end at 300. */
const OWN_PRIORITY = 1_000_000;

/** One for all: an aspect is known by its identity. */
const KEEP: IAspect = {
  visit: (node) => {
    if (CfnResource.isCfnResource(node)) node.applyRemovalPolicy(RemovalPolicy.RETAIN);
  },
};

/**
 * Keeps the resources of a construct when they leave their stack, whatever an aspect of the app does to removal policies.
 * `RemovalPolicies.of(app).destroy()` means what can be made again; this is data.
 */
export function keep(scope: IConstruct): void {
  Aspects.of(scope).add(KEEP, { priority: AFTER_ALL });
}

/** Sets the removal policy that a user wants of data. One that keeps it has the last word. */
export function setRemovalPolicy(resource: CfnResource, policy: RemovalPolicy): void {
  resource.applyRemovalPolicy(policy);
  if (policy === RemovalPolicy.RETAIN) keep(resource);
}

/**
 * Adds a tag on which permissions, backups or repairs rest. An app that takes tags away, as with `Tags.of(app).remove(...)`, or sets them
 * otherwise does not reach it.
 */
export function addOwnTag(scope: IConstruct, key: string, value: string, props: TagProps = {}): void {
  Tags.of(scope).add(key, value, { ...props, priority: OWN_PRIORITY });
}
