import { type EC2Client, paginateDescribeInstances } from '@aws-sdk/client-ec2';
import {
  paginateDescribeInstanceInformation,
  paginateListCommandInvocations,
  SendCommandCommand,
  type SSMClient,
} from '@aws-sdk/client-ssm';
import { COMMAND_INSTANCES } from '../../constructs/facts/services';
import { statusOf } from '../shared/commanded-hosts';
import { NEWEST } from '../shared/document-version';
import type { CommandLook, Host, HostsPort } from './ports';

const BATCH = COMMAND_INSTANCES.value;

/** How long a command may wait for its delivery; the shortest that Systems Manager accepts. */
const DELIVERY_SECONDS = 30;

const GOING_ON = /^(Pending|InProgress|Delayed|Cancelling)$/;

/** The hosts of a deployment, by its tag. */
export class DeploymentHosts implements HostsPort {
  constructor(
    private readonly ec2: EC2Client,
    private readonly ssm: SSMClient,
    private readonly tag: { readonly key: string; readonly value: string },
    private readonly documentName: string,
  ) {}

  async find(): Promise<Host[]> {
    const found: Host[] = [];
    const Filters = [
      { Name: `tag:${this.tag.key}`, Values: [this.tag.value] },
      { Name: 'instance-state-name', Values: ['pending', 'running', 'stopping', 'stopped'] },
    ];
    for await (const { Reservations = [] } of paginateDescribeInstances({ client: this.ec2 }, { Filters }))
      for (const { InstanceId = '', State, Tags = [] } of Reservations.flatMap(
        ({ Instances = [] }) => Instances,
      ))
        found.push({
          instanceId: InstanceId,
          state: State?.Name ?? 'unknown',
          name: Tags.find(({ Key }) => Key === 'Name')?.Value,
        });
    return found;
  }

  async reachable(instanceIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const found = new Map<string, string>();
    for (let start = 0; start < instanceIds.length; start += BATCH) {
      const Filters = [{ Key: 'InstanceIds', Values: instanceIds.slice(start, start + BATCH) }];
      const pages = paginateDescribeInstanceInformation({ client: this.ssm, pageSize: BATCH }, { Filters });
      for await (const { InstanceInformationList = [] } of pages)
        for (const { InstanceId = '', PingStatus = '' } of InstanceInformationList)
          found.set(InstanceId, PingStatus);
    }
    return found;
  }

  async ask(instanceId: string, address: string, since: number): Promise<string> {
    const { Command } = await this.ssm.send(
      new SendCommandCommand({
        DocumentName: this.documentName,
        DocumentVersion: NEWEST,
        InstanceIds: [instanceId],
        TimeoutSeconds: DELIVERY_SECONDS,
        Comment: 'Support bundle',
        // In base 64: nothing of an address means anything to a shell then.
        Parameters: { Address: [Buffer.from(address).toString('base64')], Since: [String(since)] },
      }),
    );
    return Command!.CommandId!;
  }

  async look(commands: readonly string[]): Promise<ReadonlyMap<string, CommandLook>> {
    const found = new Map<string, CommandLook>();
    for (const CommandId of commands) {
      const pages = paginateListCommandInvocations(
        { client: this.ssm, pageSize: BATCH },
        { CommandId, Details: true },
      );
      for await (const { CommandInvocations = [] } of pages)
        for (const invocation of CommandInvocations) {
          const status = statusOf(invocation);
          const [plugin] = invocation.CommandPlugins ?? [];
          const said = (plugin?.Output ?? '').trim().split('\n').pop();
          if (GOING_ON.test(status)) found.set(CommandId, { ended: false });
          else if (status === 'Success') found.set(CommandId, { ended: true });
          else found.set(CommandId, { ended: true, why: said || `the command is ${status}` });
        }
    }
    return found;
  }
}
