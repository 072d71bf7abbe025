import { Stack } from 'aws-cdk-lib';
import * as iam from 'aws-cdk-lib/aws-iam';
import type * as sns from 'aws-cdk-lib/aws-sns';
import type * as ssm from 'aws-cdk-lib/aws-ssm';
import type { Construct } from 'constructs';
import { keyArnInPolicies } from '../private/imported';
import { wildcardFinding } from '../private/nag-text';
import { TIER_TAG } from '../private/tags';
import { viaService } from '../private/via-service';
import { acknowledge } from '../volume-reattachment/acknowledge';
import type { VolumeMap } from '../volume-reattachment/volume-map';
import type { DocumentClients, DocumentTier } from './document-parts';
import { LOCK_KEY } from './lock';
import { METRIC_NAMESPACE } from './metric';

/** What the role is about. */
export interface GameDayRights {
  readonly tiers: DocumentTier[];
  readonly volumeMap: VolumeMap;
  readonly topic: sns.ITopic;
  readonly hangDocument: ssm.CfnDocument;
  readonly clients?: DocumentClients;
}

/** The role that Systems Manager assumes: it terminates and commands servers of these tiers, and nothing else. */
export function gameDayRole(scope: Construct): iam.Role {
  const { partition, region, account } = Stack.of(scope);
  return new iam.Role(scope, 'Role', {
    description: 'Game day: Systems Manager makes one server of a tier fail',
    // Only for executions in this account and region (Systems Manager User Guide, "Prevent cross-service confused
    // deputy").
    assumedBy: new iam.ServicePrincipal('ssm.amazonaws.com', {
      conditions: {
        StringEquals: { 'aws:SourceAccount': account },
        ArnLike: { 'aws:SourceArn': `arn:${partition}:ssm:${region}:${account}:automation-execution/*` },
      },
    }),
  });
}

/** Gives the role its rights. */
export function allow(scope: Construct, role: iam.Role, rights: GameDayRights): void {
  const { partition, region, account } = Stack.of(scope);
  const instances = `arn:${partition}:ec2:${region}:${account}:instance/*`;
  const document = (name: string) => `arn:${partition}:ssm:${region}:${account}:document/${name}`;
  const tags = rights.tiers.map((tier) => tier.tag);
  const add = (sid: string, actions: string[], resources: string[], conditions?: Conditions) =>
    role.addToPolicy(new iam.PolicyStatement({ sid, actions, resources, conditions }));

  add(
    'Look',
    [
      'autoscaling:DescribeAutoScalingGroups',
      'ec2:DescribeInstances',
      'ec2:DescribeInstanceStatus',
      'ec2:DescribeTags',
      'ec2:DescribeVolumes',
      'ssm:DescribeInstanceInformation',
      'ssm:GetCommandInvocation',
      'ssm:ListCommandInvocations',
      'ssm:ListCommands',
    ],
    ['*'],
  );
  add('Terminate', ['ec2:TerminateInstances'], [instances], {
    StringEquals: { [`aws:ResourceTag/${TIER_TAG}`]: tags },
  });
  const documents = [rights.hangDocument.ref, ...(rights.clients ? [rights.clients.checkDocument] : [])];
  add('CommandWhat', ['ssm:SendCommand'], documents.map(document));
  add('CommandServers', ['ssm:SendCommand'], [instances], {
    StringEquals: { [`ssm:resourceTag/${TIER_TAG}`]: tags },
  });
  if (rights.clients) {
    add('CommandClients', ['ssm:SendCommand'], [instances], {
      StringEquals: { [`ssm:resourceTag/${rights.clients.tagKey}`]: [rights.clients.tagValue] },
    });
  }
  const { table, encryptionKey } = rights.volumeMap;
  add('ReadTheMap', ['dynamodb:GetItem', 'dynamodb:Query'], [table.tableArn], {
    'ForAllValues:StringEquals': { 'dynamodb:LeadingKeys': rights.tiers.map((tier) => tier.name) },
  });
  add('Lock', ['dynamodb:UpdateItem', 'dynamodb:DeleteItem'], [table.tableArn], {
    'ForAllValues:StringEquals': { 'dynamodb:LeadingKeys': [LOCK_KEY] },
  });
  add(
    'UseTheKeyForTheMap',
    KEY_ACTIONS,
    [keyArnInPolicies(scope, encryptionKey)],
    viaService(scope, 'dynamodb'),
  );
  add('Publish', ['cloudwatch:PutMetricData'], ['*'], {
    StringEquals: { 'cloudwatch:namespace': METRIC_NAMESPACE },
  });
  add('Tell', ['sns:Publish'], [rights.topic.topicArn]);
  acknowledgeWildcards(scope, role, instances);
}

/** What DynamoDB asks of who reads and writes a table with a customer-managed key. */
const KEY_ACTIONS = [
  'kms:Decrypt',
  'kms:DescribeKey',
  'kms:Encrypt',
  'kms:GenerateDataKey',
  'kms:GenerateDataKeyWithoutPlaintext',
  'kms:ReEncryptFrom',
  'kms:ReEncryptTo',
];

type Conditions = { readonly [operator: string]: { readonly [key: string]: string | string[] } };

function acknowledgeWildcards(scope: Construct, role: iam.Role, instances: string): void {
  acknowledge(
    role,
    'AwsSolutions-IAM5[Resource::*]',
    'Describes of EC2 and Auto Scaling, lists of Systems Manager and cloudwatch:PutMetricData know no resources ' +
      '(AWS Service Authorization Reference); the metric is limited to its namespace.',
  );
  acknowledge(
    role,
    wildcardFinding(scope, instances),
    'Limited by tag to the servers of the tiers and to the named clients, whose ids change with every repair.',
  );
}
