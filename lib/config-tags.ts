import { type App, aws_ec2 as ec2, Stack, Tags } from 'aws-cdk-lib';
import { nameOf } from '../constructs/deployed-data/identity';
import { readRecord } from '../constructs/deployed-data/kept-resources';
import type { DeploymentConfig } from './config-types';

const GROUP = 'AWS::EC2::PlacementGroup';

/** What the CDK calls a stack where it asks what to tag. */
const STACK = 'aws:cdk:stack';

/**
 * Tags everything with what the configuration says. A placement group keeps the tags that are recorded of it:
 * CloudFormation replaces one whose tags change (Tags is among createOnlyProperties of its schema, read 2026-11-25),
 * which it refuses while hosts are in it. Nor may it get them from its stack: CloudFormation gives tags of a stack to
 * what is in it, in ways that vary by type ("CloudFormation resource tagging" in its template reference, read
 * 2026-11-25). How it does with placement groups is unverified, so that their stacks get no tag which they lack.
 */
export function addTags(app: App, tags: DeploymentConfig['tags'] = {}, record: string): void {
  for (const [key, value] of Object.entries(tags))
    Tags.of(app).add(key, value, { excludeResourceTypes: [GROUP, STACK] });
  const recorded = readRecord(record);
  const nodes = app.node.findAll();
  const kept = new Map<Stack, Record<string, string>[]>();
  for (const group of nodes.filter((node) => node instanceof ec2.CfnPlacementGroup)) {
    const its = (recorded[nameOf(group)]?.tags ?? tags) as Record<string, string>;
    for (const [key, value] of Object.entries(its)) group.tags.setTag(key, value);
    kept.set(group.stack, [...(kept.get(group.stack) ?? []), its]);
  }
  // Another value is left to what a group itself says, which is taken to come first (unverified); a tag that goes stays
  // among its own.
  for (const stack of nodes.filter((node) => node instanceof Stack))
    for (const [key, value] of Object.entries(tags))
      if (kept.get(stack)?.every((its) => key in its) ?? true) stack.tags.setTag(key, value);
}
