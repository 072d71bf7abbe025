import { DescribeInstanceInformationCommand, type SSMClient } from '@aws-sdk/client-ssm';
import { SSM_AGENT_MINIMUM } from '../../constructs/facts/hosts';
import { isOlder } from '../shared/version';

/** Systems Manager takes so many instances in one filter at least, and answers with so many on one page. */
const PAGE = 50;

/** What to say of agents that are too old to be told anything: they are shown as online all the same. */
export async function oldAgents(
  client: SSMClient,
  instanceIds: readonly string[],
): Promise<Map<string, string>> {
  const command = new DescribeInstanceInformationCommand({
    Filters: [{ Key: 'InstanceIds', Values: instanceIds.slice(0, PAGE) }],
    MaxResults: PAGE,
  });
  const { InstanceInformationList = [] } = await client.send(command);
  return new Map(
    InstanceInformationList.flatMap(({ InstanceId = '', AgentVersion }) =>
      AgentVersion !== undefined && isOlder(AgentVersion, SSM_AGENT_MINIMUM.value)
        ? [[InstanceId, saidOf(AgentVersion)] as const]
        : [],
    ),
  );
}

const saidOf = (version: string): string =>
  `its SSM Agent is ${version}, and Run Command may serve none before ` +
  `${SSM_AGENT_MINIMUM.value}: update it in the image`;
