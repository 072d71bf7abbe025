import {
  CreateChangeSetCommand,
  DeleteChangeSetCommand,
  DescribeStacksCommand,
} from '@aws-sdk/client-cloudformation';
import type { Clients } from '../kit/clients';
import type { Check } from '../kit/model';

const ChangeSetName = 'wrong-zone';

/**
 * Asks for a zone that is not the subnet's, in which volumes could never be attached. That has to be refused at once.
 */
export async function verifyZoneRefused(
  { cloudformation }: Clients,
  StackName: string,
  zone: string,
): Promise<Check> {
  const { Stacks = [] } = await cloudformation.send(new DescribeStacksCommand({ StackName }));
  const Parameters = (Stacks[0]?.Parameters ?? []).map(({ ParameterKey }) =>
    ParameterKey === 'AvailabilityZone'
      ? { ParameterKey, ParameterValue: zone }
      : { ParameterKey, UsePreviousValue: true },
  );
  const request = new CreateChangeSetCommand({
    StackName,
    ChangeSetName,
    UsePreviousTemplate: true,
    Capabilities: ['CAPABILITY_NAMED_IAM'],
    Parameters,
  });
  const answer = await cloudformation.send(request).then(
    () => undefined,
    (error: Error) => error.message,
  );
  if (answer === undefined)
    await cloudformation.send(new DeleteChangeSetCommand({ StackName, ChangeSetName }));
  const passed = answer?.includes('AvailabilityZone is not the zone of SubnetId') ?? false;
  return {
    id: 'wrong-zone-refused',
    title: 'A zone that is not that of the subnet is refused before anything is made',
    passed,
    detail: passed ? zone : (answer ?? `CloudFormation would change the stack to ${zone}`),
  };
}
