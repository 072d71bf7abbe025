import type { CommandInvocation, SSMClient } from '@aws-sdk/client-ssm';
import { CommandedHosts, statusOf } from '../shared/commanded-hosts';
import type { Answer, HostsPort, Question } from './ports';

const MAX_SAID = 300;

/** How an invocation stands that is not over. */
const UNDER_WAY: readonly string[] = ['Pending', 'InProgress', 'Delayed', 'Cancelling'];

/** The document by which hosts are asked, and told to unmount. */
export class SsmSleepHosts extends CommandedHosts implements HostsPort {
  constructor(client: SSMClient, documentName: string) {
    super(client, documentName, 'Sleep of the deployment');
  }

  tell(instanceIds: readonly string[], question: Question): Promise<string[]> {
    return this.ask(instanceIds, { what: [question] });
  }

  async answers(commands: readonly string[]): Promise<ReadonlyMap<string, Answer>> {
    const invocations = await this.invocations(commands);
    return new Map(invocations.map((one) => [one.InstanceId!, answerOf(one)]));
  }
}

/** What an invocation says of its host. */
export function answerOf(invocation: CommandInvocation): Answer {
  const status = statusOf(invocation);
  if (UNDER_WAY.includes(status)) return { state: 'pending', said: '' };
  if (!['Success', 'Failed'].includes(status))
    return { state: 'silent', said: `the command is ${status || 'lost'}` };
  const plugin = invocation.CommandPlugins?.[0];
  const said = (plugin?.Output ?? '').trim().split('\n').slice(-3).join(' ').slice(0, MAX_SAID);
  return { state: 'ended', exitCode: plugin?.ResponseCode, said };
}
