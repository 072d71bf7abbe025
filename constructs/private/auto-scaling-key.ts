import { Stack } from 'aws-cdk-lib';
import * as iam from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type * as sns from 'aws-cdk-lib/aws-sns';
import type { IConstruct } from 'constructs';
import { addKeyStatement } from './imported';

/**
 * Lets Auto Scaling start servers whose disks the key encrypts (EC2 Auto Scaling User Guide, "Required AWS KMS key
 * policy for use with encrypted volumes").
 */
export function allowAutoScaling(scope: IConstruct, key: IKey): void {
  const conditions = isAutoScaling(scope);
  addKeyStatement(
    scope,
    key,
    new iam.PolicyStatement({
      principals: [new iam.AnyPrincipal()],
      actions: ['kms:Encrypt', 'kms:Decrypt', 'kms:ReEncrypt*', 'kms:GenerateDataKey*', 'kms:DescribeKey'],
      resources: ['*'],
      conditions,
    }),
    'disks of servers that Auto Scaling starts',
  );
  addKeyStatement(
    scope,
    key,
    new iam.PolicyStatement({
      principals: [new iam.AnyPrincipal()],
      actions: ['kms:CreateGrant'],
      resources: ['*'],
      conditions: { ...conditions, Bool: { 'kms:GrantIsForAWSResource': 'true' } },
    }),
    'grants on disks of servers that Auto Scaling starts',
  );
}

/**
 * Lets Auto Scaling groups tell a topic that has a key of its own of launches and terminations. To the topic itself
 * Auto Scaling's role may publish without a statement (EC2 Auto Scaling User Guide, "Key policy for an encrypted Amazon
 * SNS topic", which rules out aws:SourceArn and aws:SourceAccount, read 2026-11). To the owner of an imported key
 * synthesis says it.
 */
export function allowNotifications(scope: IConstruct, topic: sns.ITopic | undefined): void {
  if (!topic?.masterKey) return;
  addKeyStatement(
    scope,
    topic.masterKey,
    new iam.PolicyStatement({
      principals: [new iam.AnyPrincipal()],
      actions: ['kms:Decrypt', 'kms:GenerateDataKey*'],
      resources: ['*'],
      conditions: isAutoScaling(scope),
    }),
    'what Auto Scaling tells the topic that it encrypts',
  );
}

/** The role is named in a condition: as a principal it would have to exist, and a new account has none. */
function isAutoScaling(scope: IConstruct): { StringEquals: { [key: string]: string } } {
  const { partition, account } = Stack.of(scope);
  const path = 'role/aws-service-role/autoscaling.amazonaws.com/AWSServiceRoleForAutoScaling';
  return {
    StringEquals: {
      'aws:PrincipalArn': `arn:${partition}:iam::${account}:${path}`,
      'kms:CallerAccount': account,
    },
  };
}
