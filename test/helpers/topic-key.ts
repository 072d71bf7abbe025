import { Match, type Template } from 'aws-cdk-lib/assertions';

/**
 * Expects a key with which Auto Scaling groups can tell an encrypted topic, as AWS has it: no aws:SourceArn and no
 * aws:SourceAccount.
 */
export function expectKeyForNotifications(template: Template): void {
  const path =
    ':iam::111122223333:role/aws-service-role/autoscaling.amazonaws.com/AWSServiceRoleForAutoScaling';
  template.hasResourceProperties('AWS::KMS::Key', {
    KeyPolicy: {
      Statement: Match.arrayWith([
        {
          Effect: 'Allow',
          Principal: { AWS: '*' },
          Action: ['kms:Decrypt', 'kms:GenerateDataKey*'],
          Resource: '*',
          Condition: {
            StringEquals: {
              'aws:PrincipalArn': { 'Fn::Join': ['', ['arn:', { Ref: 'AWS::Partition' }, path]] },
              'kms:CallerAccount': '111122223333',
            },
          },
        },
      ]),
    },
  });
}
