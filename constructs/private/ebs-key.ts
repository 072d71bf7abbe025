import * as iam from 'aws-cdk-lib/aws-iam';
import type * as kms from 'aws-cdk-lib/aws-kms';
import type { Construct } from 'constructs';
import { keyArnInPolicies } from './imported';
import { viaService } from './via-service';

/**
 * What a role needs of the key of encrypted volumes, which EC2 uses in its name: to attach them (EBS User Guide,
 * "Requirements for Amazon EBS encryption") and to have snapshots made of them (the same, "Control access to Amazon
 * Data Lifecycle Manager using IAM", "Permissions for encryption").
 */
export function useOfEbsKey(scope: Construct, key: kms.IKey): iam.PolicyStatement[] {
  const resources = [keyArnInPolicies(scope, key)];
  const viaEc2 = viaService(scope, 'ec2');
  return [
    new iam.PolicyStatement({
      sid: 'LetEbsUseTheKey',
      actions: ['kms:CreateGrant'],
      resources,
      conditions: { Bool: { 'kms:GrantIsForAWSResource': 'true' }, ...viaEc2 },
    }),
    new iam.PolicyStatement({
      sid: 'UseTheKeyForEbs',
      actions: [
        'kms:Decrypt',
        'kms:DescribeKey',
        'kms:GenerateDataKeyWithoutPlaintext',
        'kms:ReEncryptFrom',
        'kms:ReEncryptTo',
      ],
      resources,
      conditions: viaEc2,
    }),
  ];
}
