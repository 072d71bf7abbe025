import { CommandedHosts } from '../commanded-hosts';
import { type Answer, answerOf } from './answer';

/** Hosts that are sent the document of an operation, and what each of them says. */
export class AnsweringHosts extends CommandedHosts {
  /** By the ids of the commands. */
  async answers(commands: readonly string[]): Promise<ReadonlyMap<string, Answer>> {
    const invocations = await this.invocations(commands);
    return new Map(invocations.map((one) => [one.InstanceId!, answerOf(one)]));
  }
}
