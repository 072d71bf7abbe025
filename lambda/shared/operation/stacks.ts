import { type CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { errorName } from '../log';

/** Of stacks those that are being changed, with their states. One that is not there is not changed. */
export async function stacksUnderWay(
  client: CloudFormationClient,
  names: readonly string[],
): Promise<string[]> {
  const found: string[] = [];
  for (const name of names) {
    try {
      const { Stacks } = await client.send(new DescribeStacksCommand({ StackName: name }));
      const status = Stacks?.[0]?.StackStatus ?? '';
      if (status.endsWith('_IN_PROGRESS')) found.push(`${name} is ${status}`);
    } catch (error) {
      if (errorName(error) !== 'ValidationError') throw error;
    }
  }
  return found;
}
