import type { SSMClient } from '@aws-sdk/client-ssm';
import { GetCommandInvocationCommand, SendCommandCommand } from '@aws-sdk/client-ssm';
import { errorName } from '../shared/log';
import { listedStatuses } from './aws-invocations';
import { statusOf } from './command-status';
import type { CommandStatus, HostPort, Order, SentCommand } from './ports';
import { COMMAND_TIMEOUT_SECONDS } from './settings';

/** How long Systems Manager may take to deliver; the shortest it accepts is 30 s. */
const DELIVERY_TIMEOUT_SECONDS = 60;

/** The agent is not registered yet, or is gone. */
const NOT_REACHABLE = ['InvalidInstanceId'];

/** So many hosts are asked one by one, which gives the newest answer; more of them by pages. */
const FEW = 8;

/** The tier's document in Systems Manager, which runs sas-grid-serve on a host. */
export class SsmHosts implements HostPort {
  constructor(
    private readonly client: SSMClient,
    private readonly documentName: string,
  ) {}

  async tell(instanceId: string, order: Order): Promise<{ id?: string; code?: string }> {
    const command = new SendCommandCommand({
      DocumentName: this.documentName,
      InstanceIds: [instanceId],
      TimeoutSeconds: DELIVERY_TIMEOUT_SECONDS,
      Comment: `${order.slot} epoch ${order.epoch}`,
      Parameters: {
        slot: [order.slot],
        epoch: [String(order.epoch)],
        address: [order.address],
        volumes: [order.volumeIds.join(',')],
        mayFormat: [String(order.mayFormat)],
        executionTimeout: [String(COMMAND_TIMEOUT_SECONDS)],
      },
    });
    try {
      const id = (await this.client.send(command)).Command?.CommandId;
      return id ? { id } : { code: 'Systems Manager gave no command id' };
    } catch (error) {
      if (NOT_REACHABLE.includes(errorName(error))) return { code: errorName(error) };
      throw error;
    }
  }

  async statuses(asked: readonly SentCommand[], now: number): Promise<{ [slot: string]: CommandStatus }> {
    const found = asked.length > FEW ? await listedStatuses(this.client, this.documentName, asked) : {};
    const missing = asked.filter(({ slot }) => found[slot] === undefined);
    // Others each second: those that no page showed all get their turn, whatever becomes of the first.
    const first = missing.length > FEW ? Math.floor(now / 1000) % missing.length : 0;
    const next = [...missing.slice(first), ...missing.slice(0, first)].slice(0, FEW);
    for (const { slot } of missing) found[slot] = { state: 'pending' };
    await Promise.all(
      next.map(async ({ slot, id, instanceId }) => {
        found[slot] = await this.status(id, instanceId);
      }),
    );
    return found;
  }

  private async status(commandId: string, instanceId: string): Promise<CommandStatus> {
    try {
      const command = new GetCommandInvocationCommand({ CommandId: commandId, InstanceId: instanceId });
      const answer = await this.client.send(command);
      return statusOf({ ...answer, said: answer.StandardErrorContent || answer.StandardOutputContent });
    } catch (error) {
      if (errorName(error) === 'InvocationDoesNotExist') return { state: 'unknown' };
      // The host is gone from Systems Manager; whether the instance lives is EC2's to say.
      if (NOT_REACHABLE.includes(errorName(error))) return { state: 'pending' };
      throw error;
    }
  }
}
