import type { CommandInvocation, SSMClient } from '@aws-sdk/client-ssm';
import { CommandedHosts, statusOf } from '../shared/commanded-hosts';
import type { Answer, ProbeHostsPort } from './ports';
import { EXIT_FAILS } from './settings';

const MAX_SAID = 300;

/** The tier's probe document in Systems Manager. */
export class SsmProbeHosts implements ProbeHostsPort {
  private readonly hosts: CommandedHosts;

  constructor(client: SSMClient, documentName: string) {
    this.hosts = new CommandedHosts(client, documentName, 'Does it serve?');
  }

  ask(instanceIds: string[]): Promise<string[]> {
    return this.hosts.ask(instanceIds);
  }

  async answers(commands: string[]): Promise<{ [instanceId: string]: Answer }> {
    const invocations = await this.hosts.invocations(commands);
    return Object.fromEntries(invocations.map((one) => [one.InstanceId!, answerOf(one)]));
  }
}

/** What an invocation says of the service. Whatever is in doubt says nothing. */
export function answerOf(invocation: CommandInvocation): Answer {
  const details = statusOf(invocation);
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
