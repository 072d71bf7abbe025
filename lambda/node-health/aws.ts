import { type EC2Client, paginateDescribeInstances } from '@aws-sdk/client-ec2';
import type { CommandInvocation, SSMClient } from '@aws-sdk/client-ssm';
import { EC2_FILTER_VALUES } from '../../constructs/facts/services';
import { statusOf } from '../shared/commanded-hosts';
import type { Answer, CleanUp, CleanUpPort, HealthPort, Reason, ServersPort } from './ports';
import { RememberedHosts } from './remembered-hosts';
import { EXIT_UNHEALTHY, type Settings } from './settings';

const MAX_SAID = 1000;

/** The servers in EC2. */
export class Ec2Servers implements ServersPort {
  constructor(private readonly client: EC2Client) {}

  async running({ filter, values }: Settings['servers']): Promise<ReadonlyMap<string, number>> {
    const found = new Map<string, number>();
    for (let start = 0; start < values.length; start += EC2_FILTER_VALUES.value) {
      // By a filter: an id that EC2 does not know any more is an error otherwise.
      const Filters = [
        { Name: filter, Values: values.slice(start, start + EC2_FILTER_VALUES.value) },
        { Name: 'instance-state-name', Values: ['running'] },
      ];
      for await (const { Reservations } of paginateDescribeInstances({ client: this.client }, { Filters }))
        for (const { InstanceId = '', LaunchTime } of (Reservations ?? []).flatMap(
          ({ Instances }) => Instances ?? [],
        ))
          found.set(InstanceId, LaunchTime?.getTime() ?? 0);
    }
    return found;
  }
}

/** The document by which servers are asked. */
export class SsmHealth extends RememberedHosts implements HealthPort {
  constructor(client: SSMClient, documentName: string) {
    super(client, documentName, 'Is it healthy?');
  }

  async answers(commands: readonly string[]): Promise<ReadonlyMap<string, Answer>> {
    const invocations = await this.invocations(commands);
    return new Map(invocations.map((one) => [one.InstanceId!, answerOf(one)]));
  }
}

/** The document by which the scratch is cleaned up. */
export class SsmCleanUp extends RememberedHosts implements CleanUpPort {
  constructor(client: SSMClient, documentName: string) {
    super(client, documentName, 'Clean-up of the scratch');
  }

  async results(commands: readonly string[]): Promise<CleanUp[]> {
    return (await this.invocations(commands)).map((one) => ({
      instanceId: one.InstanceId!,
      done: statusOf(one) === 'Success',
      said: (one.CommandPlugins?.[0]?.Output || statusOf(one)).slice(0, MAX_SAID).trimEnd(),
    }));
  }
}

/** What an invocation says of its host. */
export function answerOf(invocation: CommandInvocation): Answer {
  const status = statusOf(invocation);
  if (!['Success', 'Failed'].includes(status))
    return { is: 'silent', why: `the question is ${status || 'lost'}` };
  const plugin = invocation.CommandPlugins?.[0];
  const [line = ''] = (plugin?.Output ?? '').split('\n');
  const [, name, word, used, reasons = ''] =
    /^(\S+) (healthy|unhealthy|unsure) (\d+|-) ?(.*)$/.exec(line.trim()) ?? [];
  if (name === undefined) {
    const text = `the program said '${line.slice(0, MAX_SAID)}'`;
    return { is: 'unsure', name: '', reasons: [{ code: 'program', text }] };
  }
  const about = {
    name,
    ...(used === '-' ? {} : { usedPercent: Number(used) }),
    reasons: reasonsOf(reasons.slice(0, MAX_SAID)),
  };
  // The word and the exit code have to agree: a program that ends early says the one without the other.
  if (word === 'healthy' && status === 'Success') return { is: 'healthy', ...about };
  if (word === 'unhealthy' && plugin?.ResponseCode === EXIT_UNHEALTHY) return { is: 'unhealthy', ...about };
  return { is: 'unsure', ...about };
}

function reasonsOf(text: string): Reason[] {
  return text
    .split('; ')
    .filter((each) => each !== '')
    .map((each) => {
      const [, code = 'note', said = each] = /^([a-z-]+): (.*)$/.exec(each) ?? [];
      return { code, text: said };
    });
}
