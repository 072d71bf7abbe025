import type {
  DescribeInstanceInformationCommandInput,
  ListCommandInvocationsCommandInput,
  ListCommandsCommandInput,
  SendCommandCommandInput,
} from '@aws-sdk/client-ssm';
import type { Probed } from '../hosts/health';
import type { Host } from '../hosts/host';
import type { Hosts } from '../hosts/hosts';
import { type Context, Durations } from './context';
import type { ProbeDocument } from './deployment';
import { onlyKnows, ServiceError, SimulationError } from './errors';

/** A host that was asked how it is. */
export interface ProbeTruth {
  readonly instanceId: string;
  readonly sentAt: number;
  status: 'Pending' | 'InProgress' | 'Success' | 'Failed' | 'TimedOut';
  details: string;
  responseCode: number;
  said: string;
}

/** How often Systems Manager tries an agent that does not answer. */
const DELIVERY_RETRY_MS = 5_000;

/** Exit code of the probe of a host that does not serve (constructs/host/documents/probe.sh). */
const FAILS = 20;

/** Whether a host said that it does not serve, or did not come to an end. */
export const isMiss = (probe: ProbeTruth): boolean =>
  probe.responseCode === FAILS || probe.details === 'Execution Timed Out';

/** Whether nothing has been heard of the probe: it was not delivered, or has not come to an end. */
export const isUnanswered = (probe: ProbeTruth): boolean =>
  !isMiss(probe) && !['Success', 'Failed'].includes(probe.status);

/** Run Command with a document that asks hosts how they are: many hosts with one command. */
export class Probes {
  /** By the id of the command. */
  readonly all = new Map<string, readonly ProbeTruth[]>();
  private readonly durations: Durations;

  constructor(
    private readonly context: Context,
    private readonly hosts: Hosts,
    private readonly document: ProbeDocument,
    private readonly nextId: () => string,
    /** What the document's program says on a host. */
    private readonly ask: (host: Host) => Probed,
  ) {
    this.durations = new Durations(context, `probes ${document.name}`);
  }

  send(input: SendCommandCommandInput): object {
    onlyKnows('SendCommand', input, [
      'DocumentName',
      'DocumentVersion',
      'InstanceIds',
      'TimeoutSeconds',
      'Comment',
      'Parameters',
    ]);
    const instanceIds = input.InstanceIds ?? [];
    // One that is not registered makes the whole command fail (API reference, SendCommand, "InvalidInstanceId").
    if (!instanceIds.every((id) => this.hosts.all.get(id)?.registered))
      throw new ServiceError(
        'InvalidInstanceId',
        `Instances [${instanceIds}] not in a valid state for account`,
      );
    const sentAt = this.context.scheduler.now();
    const until = sentAt + (input.TimeoutSeconds ?? 3600) * 1000;
    const probes = instanceIds.map((instanceId): ProbeTruth => {
      const pending = { status: 'Pending', details: 'Pending', responseCode: -1, said: '' } as const;
      return { instanceId, sentAt, ...pending };
    });
    for (const probe of probes)
      this.later(
        probe,
        until,
        this.durations.of((timings) => timings.delivery),
      );
    const CommandId = this.nextId();
    this.all.set(CommandId, probes);
    return { Command: { CommandId, Status: 'Pending', InstanceIds: instanceIds } };
  }

  /** All invocations of one command (API reference, ListCommandInvocations). */
  invocations(input: ListCommandInvocationsCommandInput): object {
    onlyKnows('ListCommandInvocations', input, ['CommandId', 'Details', 'MaxResults', 'NextToken']);
    const CommandInvocations = (this.all.get(input.CommandId ?? '') ?? []).map((probe) => ({
      CommandId: input.CommandId,
      InstanceId: probe.instanceId,
      Status: probe.status,
      StatusDetails: probe.details,
      CommandPlugins: [{ ResponseCode: probe.responseCode, Output: probe.said }],
    }));
    return { CommandInvocations };
  }

  /** The commands, the last ones first, all on one page (API reference, ListCommands). */
  commands(input: ListCommandsCommandInput): object {
    onlyKnows('ListCommands', input, ['Filters', 'MaxResults', 'NextToken']);
    const after = input.Filters?.find(({ key }) => key === 'InvokedAfter')?.value ?? '';
    if (input.Filters?.some(({ key }) => key !== 'DocumentName' && key !== 'InvokedAfter'))
      throw new SimulationError('another filter of ListCommands is not simulated');
    const Commands = [...this.all]
      .map(([CommandId, [probe]]) => ({ CommandId, sentAt: probe?.sentAt ?? 0 }))
      .filter(({ sentAt }) => sentAt >= Date.parse(after))
      .map(({ CommandId, sentAt }) => ({ CommandId, RequestedDateTime: new Date(sentAt) }));
    return { Commands: Commands.reverse() };
  }

  /** An agent that is gone is shown as online for minutes (Systems Manager user guide, "Checking SSM Agent status"). */
  online(input: DescribeInstanceInformationCommandInput): object {
    onlyKnows('DescribeInstanceInformation', input, ['Filters', 'MaxResults', 'NextToken']);
    const wanted = input.Filters?.find(({ Key }) => Key === 'InstanceIds')?.Values ?? [];
    const InstanceInformationList = wanted
      .map((id) => [id, this.hosts.all.get(id)] as const)
      .filter(([, host]) => host?.registered)
      .map(([InstanceId, host]) => ({ InstanceId, PingStatus: host?.heardOf ? 'Online' : 'ConnectionLost' }));
    return { InstanceInformationList };
  }

  private later(probe: ProbeTruth, until: number, ms: number): void {
    this.context.scheduler.after(ms, () => this.deliver(probe, until), 'probe');
  }

  private deliver(probe: ProbeTruth, until: number): void {
    const host = this.hosts.all.get(probe.instanceId)!;
    if (!host.reachable) {
      if (this.context.scheduler.now() < until) this.later(probe, until, DELIVERY_RETRY_MS);
      else Object.assign(probe, { status: 'TimedOut', details: 'Delivery Timed Out' });
      return;
    }
    probe.status = 'InProgress';
    probe.details = 'InProgress';
    const { said, exitCode, ms } = this.ask(host);
    const limitMs = this.document.timeoutSeconds * 1000;
    this.context.scheduler.after(
      Math.min(ms, limitMs),
      () => this.end(probe, ms > limitMs, exitCode, [this.document.says ?? [], said].flat().join('\n')),
      'probe',
    );
  }

  private end(probe: ProbeTruth, late: boolean, exitCode: number, said: string): void {
    // A machine that went down takes the answer with it.
    if (!this.hosts.all.get(probe.instanceId)?.registered) return;
    if (late) Object.assign(probe, { status: 'TimedOut', details: 'Execution Timed Out' });
    else if (exitCode === 0)
      Object.assign(probe, { status: 'Success', details: 'Success', responseCode: 0, said });
    else Object.assign(probe, { status: 'Failed', details: 'Failed', responseCode: exitCode, said });
  }
}
