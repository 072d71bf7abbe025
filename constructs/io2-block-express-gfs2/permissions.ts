import { Stack, Validations } from 'aws-cdk-lib';
import * as iam from 'aws-cdk-lib/aws-iam';
import type * as kms from 'aws-cdk-lib/aws-kms';
import type { Construct } from 'constructs';
import { useOfEbsKey } from '../private/ebs-key';
import { inlinePolicy } from '../private/inline-policy';
import { wildcardFinding } from '../private/nag-text';
import { FORMATTED_TAG } from '../private/tags';
import { CLUSTER_TAG } from './cluster-tag';

/** Who may do what to what. */
export interface ClusterRights {
  readonly role: iam.IRole;
  readonly tag: string;
  readonly key: kms.IKey;
  readonly volumeIds: string[];
  /** Whether the volumes are new: a node that has formatted them says so by a tag. */
  readonly mayFormat: boolean;
  readonly interfaceIds: string[];
}

/**
 * What a node of a cluster may do in AWS: look, stop another node of this cluster, attach what belongs to this cluster,
 * and say that its volumes are formatted.
 */
export function allowCluster(scope: Construct, rights: ClusterRights): iam.Policy {
  const { partition, region, account } = Stack.of(scope);
  const arn = (resource: string) => `arn:${partition}:ec2:${region}:${account}:${resource}`;
  const instances = arn('instance/*');
  const ofCluster = { StringEquals: { [`aws:ResourceTag/${CLUSTER_TAG}`]: rights.tag } };
  const policy = inlinePolicy(scope, 'Rights', rights.role, [
    new iam.PolicyStatement({
      sid: 'Look',
      actions: ['ec2:DescribeInstances', 'ec2:DescribeNetworkInterfaces', 'ec2:DescribeVolumes'],
      resources: ['*'],
    }),
    new iam.PolicyStatement({
      sid: 'Fence',
      actions: ['ec2:StopInstances'],
      resources: [instances],
      conditions: ofCluster,
    }),
    new iam.PolicyStatement({
      sid: 'AttachVolumes',
      actions: ['ec2:AttachVolume'],
      resources: [...rights.volumeIds.map((id) => arn(`volume/${id}`)), instances],
      conditions: ofCluster,
    }),
    new iam.PolicyStatement({
      sid: 'AttachAddress',
      actions: ['ec2:AttachNetworkInterface'],
      resources: [...rights.interfaceIds.map((id) => arn(`network-interface/${id}`)), instances],
      conditions: ofCluster,
    }),
    ...(rights.mayFormat
      ? [
          new iam.PolicyStatement({
            sid: 'SayFormatted',
            actions: ['ec2:CreateTags'],
            resources: rights.volumeIds.map((id) => arn(`volume/${id}`)),
            conditions: { ...ofCluster, 'ForAllValues:StringEquals': { 'aws:TagKeys': [FORMATTED_TAG] } },
          }),
        ]
      : []),
    ...useOfEbsKey(scope, rights.key),
  ]);
  Validations.of(policy).acknowledge({
    id: 'AwsSolutions-IAM5[Resource::*]',
    reason: 'Describe actions of EC2 know no resources (AWS Service Authorization Reference).',
  });
  Validations.of(policy).acknowledge({
    id: wildcardFinding(scope, instances),
    reason: 'Limited by tag to the instances of this cluster, whose ids change with every replacement.',
  });
  return policy;
}
