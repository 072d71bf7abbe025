import type {
  GetCommandInvocationCommandInput,
  ListCommandInvocationsCommandInput,
  ListCommandsCommandInput,
  SendCommandCommandInput,
} from '@aws-sdk/client-ssm';
import type { Random } from '../core/random';
import type { Probed } from '../hosts/health';
import type { Host } from '../hosts/host';
import type { Hosts } from '../hosts/hosts';
import type { ServeOrder } from '../hosts/program';
import { type Context, Durations, Ids } from './context';
import type { ProbeDocument, ServeDocument } from './deployment';
import { onlyKnows, ServiceError, SimulationError } from './errors';
import { Probes } from './probes';

/** One command on one instance. */
export interface CommandTruth {
  readonly id: string;
  readonly instanceId: string;
  readonly order: ServeOrder;
  readonly sentAt: number;
  readonly visibleAt: number;
  status: 'Pending' | 'InProgress' | 'Success' | 'Failed' | 'TimedOut';
  details: string;
  responseCode: number;
  said: string;
}

/** How often Systems Manager tries an agent that does not answer. */
const DELIVERY_RETRY_MS = 5_000;

/** Of constructs/operations/sleep.ts: servers are told by it to unmount, and asked nothing else here. */
export const SLEEP_DOCUMENT = { name: 'sleep', timeoutSeconds: 600 } as const satisfies ProbeDocument;

/**
 * Systems Manager's Run Command. Its traps: an instance whose agent is not registered is refused (InvalidInstanceId), a
 * command that was just accepted may not be known yet (InvocationDoesNotExist), and both delivery and execution have a
 * time-out, of which only the second is the program's (Systems Manager user guide, "Understanding command statuses" and
 * "Understanding command timeout values";
 * https://docs.aws.amazon.com/systems-manager/latest/userguide/monitor-commands.html).
 */
export class SimulatedSsm {
  readonly commands = new Map<string, CommandTruth>();
  /** By which servers are asked whether they serve. */
  readonly probes: Probes;
  /** By which servers of the grid are asked what they reach. */
  readonly nodes: Probes;
  /** By which servers are told to unmount. */
  readonly sleeps: Probes;
  private readonly asked: ReadonlyMap<string | undefined, Probes>;
  private readonly agents: Random;
  private readonly durations: Durations;
  private readonly ids = new Ids();

  constructor(
    private readonly context: Context,
    private readonly hosts: Hosts,
    private readonly documentName: string,
    private readonly document: ServeDocument,
    probe: ProbeDocument,
    node: ProbeDocument,
    askNode: (host: Host) => Probed,
  ) {
    const nextId = () => this.ids.uuid();
    this.probes = new Probes(context, hosts, probe, nextId, (host) => host.probe());
    this.nodes = new Probes(context, hosts, node, nextId, askNode);
    this.sleeps = new Probes(context, hosts, SLEEP_DOCUMENT, nextId, (host) => host.unmount());
    this.asked = new Map([
      [probe.name, this.probes],
      [node.name, this.nodes],
      [SLEEP_DOCUMENT.name, this.sleeps],
    ]);
    this.durations = new Durations(context, 'ssm');
    this.agents = context.random('agents');
  }

  handle(operation: string, input: object): object {
    if (operation === 'DescribeInstanceInformation') return this.probes.online(input);
    if (operation === 'ListCommandInvocations' && 'CommandId' in input) {
      const { CommandId } = input as ListCommandInvocationsCommandInput;
      const of = [...this.asked.values()].find(({ all }) => all.has(CommandId ?? '')) ?? this.probes;
      return of.invocations(input as ListCommandInvocationsCommandInput);
    }
    if (operation === 'ListCommands') return this.commandsOf(input as ListCommandsCommandInput);
    if (operation === 'SendCommand') {
      const sent = input as SendCommandCommandInput;
      return this.asked.get(sent.DocumentName)?.send(sent) ?? this.send(sent);
    }
    if (operation === 'GetCommandInvocation')
      return this.invocation(input as GetCommandInvocationCommandInput);
    if (operation === 'ListCommandInvocations')
      return this.invocations(input as ListCommandInvocationsCommandInput);
    throw new SimulationError(`Systems Manager's ${operation} is not simulated`);
  }

  private commandsOf(input: ListCommandsCommandInput): object {
    const name = input.Filters?.find(({ key }) => key === 'DocumentName')?.value;
    const of = this.asked.get(name);
    if (of === undefined) throw new SimulationError(`the commands of the document ${name} are not simulated`);
    return of.commands(input);
  }

  private send(input: SendCommandCommandInput): object {
    const known = [
      'DocumentName',
      'DocumentVersion',
      'InstanceIds',
      'TimeoutSeconds',
      'Comment',
      'Parameters',
    ];
    onlyKnows('SendCommand', input, known);
    if (input.DocumentName !== this.documentName) {
      throw new ServiceError('InvalidDocument', `Document with name ${input.DocumentName} does not exist.`);
    }
    const parameters = this.parametersOf(input);
    const seconds = input.TimeoutSeconds ?? 3600;
    if (seconds < 30 || seconds > 2_592_000) throw new ServiceError('ValidationException', 'TimeoutSeconds');
    const [instanceId, ...others] = input.InstanceIds ?? [];
    if (instanceId === undefined || others.length > 0) throw new SimulationError('one instance per command');
    if (!this.hosts.all.get(instanceId)?.registered) {
      throw new ServiceError(
        'InvalidInstanceId',
        `Instances [[${instanceId}]] not in a valid state for account`,
      );
    }
    const now = this.context.scheduler.now();
    const command: CommandTruth = {
      id: this.ids.uuid(),
      instanceId,
      order: orderOf(parameters),
      sentAt: now,
      visibleAt: now + this.durations.of((timings) => timings.invocationVisible),
      status: 'Pending',
      details: 'Pending',
      responseCode: -1,
      said: '',
    };
    this.commands.set(command.id, command);
    const limitMs = Number(parameters.executionTimeout) * 1000;
    const delay = this.durations.of((timings) => timings.delivery);
    this.context.scheduler.after(
      delay,
      () => this.deliver(command, now + seconds * 1000, limitMs),
      'delivery',
    );
    return { Command: { CommandId: command.id, Status: 'Pending', InstanceIds: [instanceId] } };
  }

  private deliver(command: CommandTruth, until: number, limitMs: number): void {
    const host = this.hosts.all.get(command.instanceId)!;
    if (!host.reachable) {
      if (this.context.scheduler.now() >= until) this.end(command, 'TimedOut', 'DeliveryTimedOut', -1, '');
      else
        this.context.scheduler.after(
          DELIVERY_RETRY_MS,
          () => this.deliver(command, until, limitMs),
          'delivery',
        );
      return;
    }
    command.status = 'InProgress';
    command.details = 'InProgress';
    // An instance that goes down takes the answer with it: the command stays in progress until Systems Manager gives it
    // up.
    const givenUp = this.context.scheduler.after(
      limitMs + until - command.sentAt,
      () => this.end(command, 'TimedOut', 'ExecutionTimedOut', -1, ''),
      'command given up',
    );
    this.execute(command, host, limitMs, givenUp);
  }

  /**
   * A machine that starts again while a command runs may do it again: the agent goes on with what it had not ended, if
   * it had noted it in time (https://github.com/aws/amazon-ssm-agent/issues/169).
   */
  private execute(command: CommandTruth, host: Host, limitMs: number, givenUp: () => void): void {
    host.onReturn(() => {
      if (command.status !== 'InProgress' || !this.agents.chance(0.5)) return;
      const ms = Math.max(0, host.ready.registeredAt - this.context.scheduler.now());
      this.context.scheduler.after(
        ms,
        () => {
          if (command.status === 'InProgress' && host.reachable)
            this.execute(command, host, limitMs, givenUp);
        },
        'command again',
      );
    });
    void host.run(command.order, limitMs).then((served) => {
      givenUp();
      if (served === undefined) this.end(command, 'TimedOut', 'ExecutionTimedOut', -1, '');
      else if (served.exitCode === 0) this.end(command, 'Success', 'Success', 0, served.said);
      else this.end(command, 'Failed', 'Failed', served.exitCode, served.said);
    });
  }

  private end(
    command: CommandTruth,
    status: CommandTruth['status'],
    details: string,
    code: number,
    said: string,
  ): void {
    command.status = status;
    command.details = details;
    command.responseCode = code;
    command.said = said;
  }

  private invocation(input: GetCommandInvocationCommandInput): object {
    onlyKnows('GetCommandInvocation', input, ['CommandId', 'InstanceId']);
    const command = this.commands.get(input.CommandId ?? '');
    const visible = command !== undefined && this.context.scheduler.now() >= command.visibleAt;
    if (!visible || command.instanceId !== input.InstanceId) {
      throw new ServiceError('InvocationDoesNotExist', `Invocation not found for ${input.CommandId}`);
    }
    return {
      CommandId: command.id,
      InstanceId: command.instanceId,
      Status: command.status,
      StatusDetails: command.details,
      ResponseCode: command.responseCode,
      StandardOutputContent: '',
      StandardErrorContent: command.said,
    };
  }

  /** All invocations on one page, the last ones first (Systems Manager API Reference, "ListCommandInvocations"). */
  private invocations(input: ListCommandInvocationsCommandInput): object {
    onlyKnows('ListCommandInvocations', input, ['Filters', 'Details', 'MaxResults', 'NextToken']);
    const now = this.context.scheduler.now();
    const wanted = (command: CommandTruth): boolean =>
      (input.Filters ?? []).every(({ key, value }) => {
        if (key === 'DocumentName') return value === this.documentName;
        if (key === 'InvokedAfter') return command.sentAt >= Date.parse(value ?? '');
        throw new SimulationError(`the filter ${key} of ListCommandInvocations is not simulated`);
      });
    const most = input.MaxResults ?? 50;
    const start = Number(input.NextToken ?? 0);
    const found = [...this.commands.values()]
      .filter((each) => now >= each.visibleAt && wanted(each))
      .reverse();
    return {
      CommandInvocations: found.slice(start, start + most).map((command) => ({
        CommandId: command.id,
        InstanceId: command.instanceId,
        Status: command.status,
        StatusDetails: command.details,
        CommandPlugins: [{ ResponseCode: command.responseCode, Output: command.said }],
      })),
      ...(start + most < found.length ? { NextToken: String(start + most) } : {}),
    };
  }

  /** Checks the parameters as the document declares them. */
  private parametersOf(input: SendCommandCommandInput): { [name: string]: string } {
    const given = input.Parameters ?? {};
    for (const name of Object.keys(given)) {
      if (this.document.parameters[name] === undefined) {
        throw new ServiceError('InvalidParameters', `Parameter ${name} is not in the document`);
      }
    }
    const values: { [name: string]: string } = {};
    for (const [name, { allowedPattern, default: otherwise }] of Object.entries(this.document.parameters)) {
      const value = given[name]?.[0] ?? otherwise;
      if (value === undefined) throw new ServiceError('InvalidParameters', `Parameter ${name} is missing`);
      if (!new RegExp(allowedPattern).test(value)) {
        throw new ServiceError('InvalidParameters', `Parameter ${name} is '${value}', not ${allowedPattern}`);
      }
      values[name] = value;
    }
    return values;
  }
}

function orderOf(parameters: { [name: string]: string }): ServeOrder {
  return {
    slot: parameters.slot!,
    epoch: Number(parameters.epoch),
    address: parameters.address!,
    volumes: parameters.volumes!.split(','),
    mayFormat: parameters.mayFormat === 'true',
    ...(parameters.finding
      ? { repair: { finding: parameters.finding, snapshotIds: parameters.snapshots!.split(',') } }
      : {}),
  };
}
