import { Validations } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';

/**
 * Accepts warnings of the CDK's own validation about what users are told to do here, for a construct and all in it:
 * they would be one line for each volume and each server, and hide the warnings that are worth reading.
 */
export function acknowledgeNames(scope: IConstruct): void {
  Validations.of(scope).acknowledge(
    {
      id: 'CloudFormation-Validate::W3010',
      reason:
        'The zone is named: the first one of the account can change, and subnets and volumes cannot move.',
    },
    {
      id: 'CloudFormation-Validate::W9010',
      reason: 'The image is named: one that follows a parameter would replace servers at some deployment.',
    },
  );
}
