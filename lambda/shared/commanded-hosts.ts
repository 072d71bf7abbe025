import {
  type CommandInvocation,
  paginateDescribeInstanceInformation,
  paginateListCommandInvocations,
  SendCommandCommand,
  type SSMClient,
} from '@aws-sdk/client-ssm';
import { COMMAND_INSTANCES } from '../../constructs/facts/services';
import { NEWEST } from './document-version';
import { errorName } from './log';

/** Also the most entries of a page, for all of these calls. */
const BATCH = COMMAND_INSTANCES.value;

/** How long a command may wait for its delivery; the shortest that Systems Manager accepts. */
const DELIVERY_TIMEOUT_SECONDS = 30;

/** Hosts that are sent one document of Systems Manager. */
export class CommandedHosts {
  /** @param comment what people see beside the command */
  constructor(
    protected readonly client: SSMClient,
    protected readonly documentName: string,
    private readonly comment: string,
  ) {}

  /** Sends it to those that can be reached; the ids of the commands. */
  async ask(instanceIds: readonly string[], parameters?: Record<string, string[]>): Promise<string[]> {
    const commands: string[] = [];
    for (let start = 0; start < instanceIds.length; start += BATCH) {
      const online = await this.online(instanceIds.slice(start, start + BATCH));
      const id = online.length > 0 ? await this.send(online, parameters) : undefined;
      if (id !== undefined) commands.push(id);
    }
    return commands;
  }

  /** What became of the commands, for each instance that was sent one. */
  async invocations(commands: readonly string[]): Promise<CommandInvocation[]> {
    const found: CommandInvocation[] = [];
    for (const commandId of commands) {
      const pages = paginateListCommandInvocations(
        { client: this.client, pageSize: BATCH },
        { CommandId: commandId, Details: true },
      );
      for await (const page of pages)
        found.push(...(page.CommandInvocations ?? []).filter((one) => one.InstanceId));
    }
    return found;
  }

  /** Those with an agent that answers: one without makes SendCommand refuse them all. */
  private async online(instanceIds: string[]): Promise<string[]> {
    const found: string[] = [];
    const pages = paginateDescribeInstanceInformation(
      { client: this.client, pageSize: BATCH },
      { Filters: [{ Key: 'InstanceIds', Values: instanceIds }] },
    );
    for await (const page of pages) {
      for (const { InstanceId, PingStatus } of page.InstanceInformationList ?? []) {
        if (InstanceId && PingStatus === 'Online') found.push(InstanceId);
      }
    }
    return found;
  }

  private async send(
    instanceIds: string[],
    parameters?: Record<string, string[]>,
  ): Promise<string | undefined> {
    try {
      const command = new SendCommandCommand({
        DocumentName: this.documentName,
        DocumentVersion: NEWEST,
        InstanceIds: instanceIds,
        TimeoutSeconds: DELIVERY_TIMEOUT_SECONDS,
        ...(parameters && { Parameters: parameters }),
        Comment: this.comment,
      });
      return (await this.client.send(command)).Command?.CommandId;
    } catch (error) {
      // The agent of one of them went since: nothing is known of this batch in this round.
      if (errorName(error) === 'InvalidInstanceId') return undefined;
      throw error;
    }
  }
}

/** How an invocation stands, without the spaces of some answers: for example `Success` or `ExecutionTimedOut`. */
export function statusOf(invocation: CommandInvocation): string {
  return (invocation.StatusDetails ?? invocation.Status ?? '').replace(/ /g, '');
}
