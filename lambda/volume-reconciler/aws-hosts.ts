import type { GetCommandInvocationCommandOutput, SSMClient } from '@aws-sdk/client-ssm';
import { GetCommandInvocationCommand, SendCommandCommand } from '@aws-sdk/client-ssm';
import { errorName } from '../shared/log';
import type { CommandStatus, HostPort, Order } from './ports';
import { COMMAND_TIMEOUT_SECONDS } from './settings';

/** How long Systems Manager may take to deliver; the shortest it accepts is 30 s. */
const DELIVERY_TIMEOUT_SECONDS = 60;

/** The agent is not registered yet, or is gone. */
const NOT_REACHABLE = ['InvalidInstanceId'];

const MAX_DETAIL = 300;

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

  async status(commandId: string, instanceId: string): Promise<CommandStatus> {
    try {
      return statusOf(
        await this.client.send(
          new GetCommandInvocationCommand({ CommandId: commandId, InstanceId: instanceId }),
        ),
      );
    } catch (error) {
      if (errorName(error) === 'InvocationDoesNotExist') return { state: 'unknown' };
      // The host is gone from Systems Manager; whether the instance lives is EC2's to say.
      if (NOT_REACHABLE.includes(errorName(error))) return { state: 'pending' };
      throw error;
    }
  }
}

const UNDER_WAY: readonly string[] = ['Pending', 'InProgress', 'Delayed', 'Cancelling'];

function statusOf(answer: GetCommandInvocationCommandOutput): CommandStatus {
  const status = answer.Status ?? 'Pending';
  if (status === 'Success') return { state: 'success', exitCode: 0 };
  if (UNDER_WAY.includes(status)) return { state: 'pending' };
  const said = (answer.StandardErrorContent || answer.StandardOutputContent || '').trim();
  const detail = said === '' ? (answer.StatusDetails ?? status) : said.slice(-MAX_DETAIL);
  // Systems Manager gives -1 when the program did not run to its end.
  const exitCode = (answer.ResponseCode ?? -1) >= 0 ? answer.ResponseCode : undefined;
  return { state: 'failed', exitCode, detail };
}
