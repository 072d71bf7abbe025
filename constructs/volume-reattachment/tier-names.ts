import { Stack } from 'aws-cdk-lib';
import type * as kms from 'aws-cdk-lib/aws-kms';
import type { Construct } from 'constructs';
import type { VolumeMap } from './volume-map';

/** What the functions of a tier need to know of it. */
export interface TierNames {
  readonly tier: string;
  readonly tierTag: string;
  readonly groupName: string;
  readonly documentName: string;
  readonly volumeMap: VolumeMap;
  readonly key: kms.IKey;
}

/** The group's ARN, with a wildcard for the id that Auto Scaling generates. */
export function groupArn(scope: Construct, names: TierNames): string {
  const { partition, region, account } = Stack.of(scope);
  return `arn:${partition}:autoscaling:${region}:${account}:autoScalingGroup:*:autoScalingGroupName/${names.groupName}`;
}

/** Resources of one kind in EC2. */
export function ec2Arn(scope: Construct, resource: string): string {
  const { partition, region, account } = Stack.of(scope);
  return `arn:${partition}:ec2:${region}:${account}:${resource}/*`;
}

/** Snapshots, whose ARN has no account. */
export function snapshotArn(scope: Construct): string {
  const { partition, region } = Stack.of(scope);
  return `arn:${partition}:ec2:${region}::snapshot/*`;
}
