import { Stack } from 'aws-cdk-lib';
import * as iam from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { IConstruct } from 'constructs';

/**
 * Lets Auto Scaling start servers whose disks the key encrypts (EC2 Auto Scaling User Guide, "Required AWS KMS key policy for use with
 * encrypted volumes"). The role is named in a condition: as a principal it would have to exist, and a new account has none.
 */
export function allowAutoScaling(scope: IConstruct, key: IKey): void {
  const { partition, account } = Stack.of(scope);
  const path = 'role/aws-service-role/autoscaling.amazonaws.com/AWSServiceRoleForAutoScaling';
  const isAutoScaling = {
    'aws:PrincipalArn': `arn:${partition}:iam::${account}:${path}`,
    'kms:CallerAccount': account,
  };
  const principals = [new iam.AnyPrincipal()];
  key.addToResourcePolicy(
    new iam.PolicyStatement({
      principals,
      actions: ['kms:Encrypt', 'kms:Decrypt', 'kms:ReEncrypt*', 'kms:GenerateDataKey*', 'kms:DescribeKey'],
      resources: ['*'],
      conditions: { StringEquals: isAutoScaling },
    }),
  );
  key.addToResourcePolicy(
    new iam.PolicyStatement({
      principals,
      actions: ['kms:CreateGrant'],
      resources: ['*'],
      conditions: { StringEquals: isAutoScaling, Bool: { 'kms:GrantIsForAWSResource': 'true' } },
    }),
  );
}
