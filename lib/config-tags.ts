import { type App, aws_ec2 as ec2, Tags } from 'aws-cdk-lib';
import type { DeploymentConfig } from './config-types';
import { nameOf } from './identity';
import { readRecord } from './kept-resources';

const GROUP = 'AWS::EC2::PlacementGroup';

/**
 * Tags everything with what the configuration says. A placement group keeps the tags that are recorded of it: CloudFormation replaces one
 * whose tags change (Tags is among createOnlyProperties of its schema, read 2026-11-25), which it refuses while hosts are in it.
 */
export function addTags(app: App, tags: DeploymentConfig['tags'] = {}, record: string): void {
  for (const [key, value] of Object.entries(tags))
    Tags.of(app).add(key, value, { excludeResourceTypes: [GROUP] });
  const recorded = readRecord(record);
  for (const node of app.node.findAll()) {
    if (!(node instanceof ec2.CfnPlacementGroup)) continue;
    const kept = (recorded[nameOf(node)]?.tags ?? tags) as Record<string, string>;
    for (const [key, value] of Object.entries(kept)) node.tags.setTag(key, value);
  }
}
