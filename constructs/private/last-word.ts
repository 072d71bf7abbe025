import {
  AspectPriority,
  Aspects,
  CfnResource,
  type IAspect,
  type ICfnResourceOptions,
  RemovalPolicy,
  type TagProps,
  Tags,
} from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';

/** After the aspects of the app, which may change what ours see. */
export const AFTER_ALL = AspectPriority.READONLY;

/** Above what an app gives its own tags: the CDK's priorities end at 300. */
const OWN_PRIORITY = 1_000_000;

/** Before the aspects of the app. */
const BEFORE_ALL = 1;

/** The policies of resources as code had set them, by the time that aspects begin. */
const WRITTEN = new WeakMap<
  CfnResource,
  Pick<ICfnResourceOptions, 'deletionPolicy' | 'updateReplacePolicy'>
>();

// One each for all: an aspect is known by its identity.
const REMEMBER: IAspect = {
  visit: (node) => {
    if (!CfnResource.isCfnResource(node)) return;
    const { deletionPolicy, updateReplacePolicy } = node.cfnOptions;
    WRITTEN.set(node, { deletionPolicy, updateReplacePolicy });
  },
};
const RESTORE: IAspect = {
  visit: (node) => {
    if (CfnResource.isCfnResource(node)) Object.assign(node.cfnOptions, WRITTEN.get(node));
  },
};

/**
 * Leaves the removal policies of a construct as code has set them for it, whatever an aspect of the app does to all
 * there are: `RemovalPolicies.of(app).destroy()` means what can be made again, and this is data.
 */
export function keepRemovalPolicies(scope: IConstruct): void {
  Aspects.of(scope).add(REMEMBER, { priority: BEFORE_ALL });
  Aspects.of(scope).add(RESTORE, { priority: AFTER_ALL });
}

/** Sets the removal policy that a user wants of data. One that keeps it has the last word. */
export function setRemovalPolicy(resource: CfnResource, policy: RemovalPolicy): void {
  resource.applyRemovalPolicy(policy);
  if (policy === RemovalPolicy.RETAIN) keepRemovalPolicies(resource);
}

/**
 * Adds a tag on which permissions, backups or repairs rest. An app that takes tags away, as with
 * `Tags.of(app).remove(...)`, or sets them otherwise does not reach it.
 */
export function addOwnTag(scope: IConstruct, key: string, value: string, props: TagProps = {}): void {
  Tags.of(scope).add(key, value, { ...props, priority: OWN_PRIORITY });
}
