import {
  type CommandInvocation,
  paginateDescribeInstanceInformation,
  paginateListCommandInvocations,
  SendCommandCommand,
  type SSMClient,
} from '@aws-sdk/client-ssm';
import { NEWEST } from '../shared/document-version';
import { errorName } from '../shared/log';
import type { Answer, ProbeHostsPort } from './ports';
import { DELIVERY_TIMEOUT_SECONDS, EXIT_FAILS } from './settings';

/** Most instances that SendCommand takes by their ids, and most entries of a page. */
const BATCH = 50;

const MAX_SAID = 300;

/** The tier's probe document in Systems Manager. */
export class SsmProbeHosts implements ProbeHostsPort {
  constructor(
    private readonly client: SSMClient,
    private readonly documentName: string,
  ) {}

  async ask(instanceIds: string[]): Promise<string[]> {
    const commands: string[] = [];
    for (let start = 0; start < instanceIds.length; start += BATCH) {
      const online = await this.online(instanceIds.slice(start, start + BATCH));
      const id = online.length > 0 ? await this.send(online) : undefined;
      if (id !== undefined) commands.push(id);
    }
    return commands;
  }

  async answers(commands: string[]): Promise<{ [instanceId: string]: Answer }> {
    const found: { [instanceId: string]: Answer } = {};
    for (const commandId of commands) {
      const pages = paginateListCommandInvocations(
        { client: this.client, pageSize: BATCH },
        { CommandId: commandId, Details: true },
      );
      for await (const page of pages) {
        for (const invocation of page.CommandInvocations ?? []) {
          if (invocation.InstanceId) found[invocation.InstanceId] = answerOf(invocation);
        }
      }
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

  private async send(instanceIds: string[]): Promise<string | undefined> {
    try {
      const command = new SendCommandCommand({
        DocumentName: this.documentName,
        DocumentVersion: NEWEST,
        InstanceIds: instanceIds,
        TimeoutSeconds: DELIVERY_TIMEOUT_SECONDS,
        Comment: 'Does it serve?',
      });
      return (await this.client.send(command)).Command?.CommandId;
    } catch (error) {
      // The agent of one of them went since: nothing is known of this batch in this round.
      if (errorName(error) === 'InvalidInstanceId') return undefined;
      throw error;
    }
  }
}

/** What an invocation says of the service. Whatever is in doubt says nothing. */
export function answerOf(invocation: CommandInvocation): Answer {
  const details = (invocation.StatusDetails ?? invocation.Status ?? '').replace(/ /g, '');
  if (details === 'ExecutionTimedOut') return { is: 'silent' };
  const plugin = invocation.CommandPlugins?.[0];
  if (!['Success', 'Failed'].includes(details))
    return { is: 'unknown', why: `its probe is ${details || 'lost'}` };
  const lines = (plugin?.Output ?? '').split('\n');
  const program = /^program ([0-9a-f]+)$/.exec(lines[0]!)?.[1];
  const line = lines[program === undefined ? 0 : 1] ?? '';
  const [, slot, epoch, verdict, said = ''] =
    /^(\S+) (\d+) (serves|fails|unsure) ?(.*)$/.exec(line.trim()) ?? [];
  if (slot === undefined) return { is: 'unknown', why: `its probe said '${line.slice(0, MAX_SAID)}'` };
  const about = { slot, epoch: Number(epoch) };
  // The word and the exit code have to agree: a program that ends early says the one without the other.
  if (verdict === 'serves' && details === 'Success')
    return { is: 'serves', ...about, ...(program ? { program } : {}) };
  if (verdict === 'fails' && plugin?.ResponseCode === EXIT_FAILS) {
    return { is: 'fails', ...about, said: said.slice(0, MAX_SAID) };
  }
  return { is: 'unknown', why: said.slice(0, MAX_SAID) };
}
