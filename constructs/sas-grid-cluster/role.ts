import { Validations } from 'aws-cdk-lib';
import * as iam from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';

/**
 * What a server may do in AWS: be reached by Session Manager, nothing else. The managed policy
 * AmazonSSMManagedInstanceCore also reads every parameter and document of the account.
 */
export function serverRole(scope: Construct, id: string): iam.Role {
  const role = new iam.Role(scope, id, {
    description: 'Servers of a SAS grid: Session Manager only',
    assumedBy: new iam.ServicePrincipal('ec2.amazonaws.com'),
    inlinePolicies: {
      SessionManager: new iam.PolicyDocument({
        statements: [
          new iam.PolicyStatement({
            actions: [
              'ssm:UpdateInstanceInformation',
              'ssmmessages:CreateControlChannel',
              'ssmmessages:CreateDataChannel',
              'ssmmessages:OpenControlChannel',
              'ssmmessages:OpenDataChannel',
            ],
            resources: ['*'],
          }),
        ],
      }),
    },
  });
  Validations.of(role).acknowledge({
    id: 'AwsSolutions-IAM5[Resource::*]',
    reason:
      'The message channels of Session Manager have no resources to name, and the agent registers itself under an id ' +
      'that does not exist yet when the role is made (Service Authorization Reference, ssmmessages and ssm).',
  });
  return role;
}
