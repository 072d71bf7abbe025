import type { SSMClient } from '@aws-sdk/client-ssm';
import { AnsweringHosts } from '../shared/operation/hosts';
import type { HostsPort, Question } from './ports';

/** The document by which hosts are asked, and told to unmount. */
export class SsmSleepHosts extends AnsweringHosts implements HostsPort {
  constructor(client: SSMClient, documentName: string) {
    super(client, documentName, 'Sleep of the deployment');
  }

  tell(instanceIds: readonly string[], question: Question): Promise<string[]> {
    return this.ask(instanceIds, { what: [question] });
  }
}
