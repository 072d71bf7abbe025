import {
  CancelCommandCommand,
  type CommandInvocation,
  GetCommandInvocationCommand,
  paginateDescribeInstanceInformation,
  paginateListCommandInvocations,
  paginateListCommands,
  SendCommandCommand,
  type SSMClient,
} from '@aws-sdk/client-ssm';
import { errorName } from '../shared/log';
import type { CommandsPort, Invocation, Order } from './ports';

/** Most instances of a filter, and most entries of a page. */
const PAGE = 50;

/** How long a command may take to a host. */
const DELIVERY_TIMEOUT_SECONDS = 60;

/** The clocks of a function and of Systems Manager may differ by so much. */
const CLOCKS_MS = 60_000;

/** Run Command of Systems Manager. */
export class SsmCommands implements CommandsPort {
  /**
   * @param sender a client that calls once: one that calls again after a lost answer sends a command twice, and knows
   * of the second only
   */
  constructor(
    private readonly client: SSMClient,
    private readonly sender: SSMClient,
    private readonly bucket: string,
  ) {}

  async online(instanceIds: readonly string[]): Promise<string[]> {
    const found: string[] = [];
    for (let start = 0; start < instanceIds.length; start += PAGE) {
      const Values = instanceIds.slice(start, start + PAGE);
      const pages = paginateDescribeInstanceInformation(
        { client: this.client, pageSize: PAGE },
        { Filters: [{ Key: 'InstanceIds', Values }] },
      );
      for await (const { InstanceInformationList } of pages) {
        for (const { InstanceId, PingStatus } of InstanceInformationList ?? []) {
          if (InstanceId && PingStatus === 'Online') found.push(InstanceId);
        }
      }
    }
    return found;
  }

  async send({
    document,
    instanceIds,
    parameters,
    outputPrefix,
    comment,
  }: Order): Promise<string | undefined> {
    const command = new SendCommandCommand({
      DocumentName: document,
      InstanceIds: instanceIds,
      Parameters: Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, [value]])),
      TimeoutSeconds: DELIVERY_TIMEOUT_SECONDS,
      Comment: comment,
      // Every host is asked, also after one has failed.
      MaxConcurrency: '100%',
      MaxErrors: '100%',
      OutputS3BucketName: this.bucket,
      OutputS3KeyPrefix: outputPrefix,
    });
    try {
      return (await this.sender.send(command)).Command?.CommandId;
    } catch (error) {
      if (errorName(error) === 'InvalidInstanceId') return undefined;
      throw error;
    }
  }

  async find(document: string, comment: string, sinceMs: number): Promise<string | undefined> {
    // Systems Manager takes a time to the second.
    const since = `${new Date(sinceMs - CLOCKS_MS).toISOString().slice(0, 19)}Z`;
    const pages = paginateListCommands(
      { client: this.client, pageSize: PAGE },
      {
        Filters: [
          { key: 'InvokedAfter', value: since },
          { key: 'DocumentName', value: document },
        ],
      },
    );
    for await (const { Commands } of pages) {
      const found = Commands?.find(({ Comment }) => Comment === comment);
      if (found?.CommandId) return found.CommandId;
    }
    return undefined;
  }

  async invocations(commandId: string): Promise<Invocation[]> {
    const found: Invocation[] = [];
    const pages = paginateListCommandInvocations(
      { client: this.client, pageSize: PAGE },
      { CommandId: commandId, Details: true },
    );
    for await (const { CommandInvocations } of pages) {
      found.push(...(CommandInvocations ?? []).map(invocationOf).filter((one) => one !== undefined));
    }
    return found;
  }

  async output(commandId: string, instanceId: string): Promise<string | undefined> {
    const command = new GetCommandInvocationCommand({ CommandId: commandId, InstanceId: instanceId });
    try {
      return (await this.client.send(command)).StandardOutputContent || undefined;
    } catch (error) {
      if (['InvocationDoesNotExist', 'InvalidInstanceId'].includes(errorName(error))) return undefined;
      throw error;
    }
  }

  async cancel(commandId: string, instanceIds: readonly string[]): Promise<void> {
    await this.client.send(new CancelCommandCommand({ CommandId: commandId, InstanceIds: [...instanceIds] }));
  }
}

function invocationOf(one: CommandInvocation): Invocation | undefined {
  if (!one.InstanceId) return undefined;
  // The documents have one step; its exit code and what it said are in the plugin.
  const plugin = one.CommandPlugins?.[0];
  return {
    instanceId: one.InstanceId,
    status: one.Status ?? 'Pending',
    statusDetails: one.StatusDetails ?? one.Status ?? 'Pending',
    responseCode: plugin?.ResponseCode,
    endedAt: plugin?.ResponseFinishDateTime?.getTime(),
    said: plugin?.Output ?? '',
  };
}
