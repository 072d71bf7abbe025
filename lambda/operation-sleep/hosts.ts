import type { SSMClient } from '@aws-sdk/client-ssm';
import { CommandedHosts } from '../shared/commanded-hosts';
import { type Answer, answerOf } from '../shared/operation/answer';
import type { HostsPort, Question } from './ports';

export { answerOf };

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
