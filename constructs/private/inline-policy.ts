import * as iam from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';

/**
 * A policy of its own, for what a role may do only after something else is there. In this order, so that the report of
 * precreated roles (`iam.Role.customizeRoles`) has its statements, and the template of such an app has no policy.
 */
export function inlinePolicy(
  scope: Construct,
  id: string,
  role: iam.IRole,
  statements: iam.PolicyStatement[],
): iam.Policy {
  const policy = new iam.Policy(scope, id, { statements });
  role.attachInlinePolicy(policy);
  return policy;
}
