import { Validations } from 'aws-cdk-lib';
import * as iam from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';

/**
 * A role for servers that are reached by Systems Manager, for commands and for shells, and may do nothing else in AWS.
 * The managed policy AmazonSSMManagedInstanceCore also reads every parameter and document of the account.
 */
export function systemsManagerAgentRole(scope: Construct, id: string, description: string): iam.Role {
  const role = new iam.Role(scope, id, {
    description,
    assumedBy: new iam.ServicePrincipal('ec2.amazonaws.com'),
  });
  role.addToPolicy(
    new iam.PolicyStatement({
      actions: [
        'ssm:UpdateInstanceInformation',
        'ssmmessages:CreateControlChannel',
        'ssmmessages:CreateDataChannel',
        'ssmmessages:OpenControlChannel',
        'ssmmessages:OpenDataChannel',
        'ec2messages:AcknowledgeMessage',
        'ec2messages:DeleteMessage',
        'ec2messages:FailMessage',
        'ec2messages:GetEndpoint',
        'ec2messages:GetMessages',
        'ec2messages:SendReply',
      ],
      resources: ['*'],
    }),
  );
  Validations.of(role).acknowledge({
    id: 'AwsSolutions-IAM5[Resource::*]',
    reason:
      'ssmmessages and ec2messages know no resources (AWS Service Authorization Reference), and the ids of the ' +
      'instances for which the agent reports are not known at deployment.',
  });
  return role;
}
