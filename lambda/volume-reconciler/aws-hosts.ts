import type { SSMClient } from '@aws-sdk/client-ssm';
import { GetCommandInvocationCommand, SendCommandCommand } from '@aws-sdk/client-ssm';
import { NEWEST } from '../shared/document-version';
import { describeError, errorName, type Log } from '../shared/log';
import { listedStatuses } from './aws-invocations';
import { statusOf } from './command-status';
import { oldAgents } from './old-agents';
import type { CommandStatus, HostPort, Order, SentCommand } from './ports';
import { COMMAND_TIMEOUT_SECONDS } from './settings';

/** How long Systems Manager may take to deliver; the shortest it accepts is 30 s. */
const DELIVERY_TIMEOUT_SECONDS = 60;

/** The agent is not registered yet, or is gone. */
const NOT_REACHABLE = ['InvalidInstanceId'];

/**
 * What SendCommand may answer of a host that is not registered, since the right to it rests on the host's tag, which
 * Systems Manager looks up.
 */
const NOT_TOLD = [...NOT_REACHABLE, 'AccessDeniedException'];

/** So many hosts are asked one by one, which gives the newest answer; more of them by pages. */
const FEW = 8;

/** What is not known yet is waited for: every other step of a pass can be taken without it. */
const PENDING: CommandStatus = { state: 'pending' };

/** The tier's document in Systems Manager, which runs sas-grid-serve on a host. */
export class SsmHosts implements HostPort {
  /** It has let a call of this pass time out, and is asked nothing more: each such call keeps other steps waiting. */
  private silent = false;

  constructor(
    private readonly client: SSMClient,
    private readonly documentName: string,
    private readonly log: Log,
  ) {}

  async tell(instanceId: string, order: Order): Promise<{ id?: string; code?: string }> {
    const command = new SendCommandCommand({
      DocumentName: this.documentName,
      DocumentVersion: NEWEST,
      InstanceIds: [instanceId],
      TimeoutSeconds: DELIVERY_TIMEOUT_SECONDS,
      Comment: `${order.slot} epoch ${order.epoch}`,
      Parameters: {
        slot: [order.slot],
        epoch: [String(order.epoch)],
        address: [order.address],
        volumes: [order.volumeIds.join(',')],
        mayFormat: [String(order.mayFormat)],
        // Only to a host whose document knows it: one before did not.
        ...(order.repair
          ? { finding: [order.repair.finding], snapshots: [order.repair.snapshotIds.join(',')] }
          : {}),
        executionTimeout: [String(COMMAND_TIMEOUT_SECONDS)],
      },
    });
    if (this.silent) throw new Error('Systems Manager does not answer; the next pass asks again');
    try {
      const id = (await this.client.send(command)).Command?.CommandId;
      return id ? { id } : { code: 'Systems Manager gave no command id' };
    } catch (error) {
      this.note(error);
      if (!NOT_TOLD.includes(errorName(error))) throw error;
      if (!NOT_REACHABLE.includes(errorName(error)))
        this.log.error('a host cannot be told', { instanceId, error: describeError(error) });
      return { code: errorName(error) };
    }
  }

  async statuses(asked: readonly SentCommand[], now: number): Promise<{ [slot: string]: CommandStatus }> {
    const listed = asked.length > FEW ? await this.listed(asked) : {};
    // Nobody is asked one by one of a Systems Manager that does not answer: launches wait for the heartbeat of this
    // pass.
    const found = listed ?? Object.fromEntries(asked.map(({ slot }) => [slot, PENDING]));
    const missing = asked.filter(({ slot }) => found[slot] === undefined);
    // Others each second: those that no page showed all get their turn, whatever becomes of the first.
    const first = missing.length > FEW ? Math.floor(now / 1000) % missing.length : 0;
    const next = [...missing.slice(first), ...missing.slice(0, first)].slice(0, FEW);
    for (const { slot } of missing) found[slot] = PENDING;
    await Promise.all(
      next.map(async ({ slot, id, instanceId }) => {
        found[slot] = await this.status(id, instanceId);
      }),
    );
    return this.withOldAgents(asked, found);
  }

  /** Why commands are not delivered to a host that Systems Manager shows as online. */
  private async withOldAgents(
    asked: readonly SentCommand[],
    found: { [slot: string]: CommandStatus },
  ): Promise<{ [slot: string]: CommandStatus }> {
    const unheard = asked.filter(({ slot }) => found[slot]?.state === 'undelivered');
    if (unheard.length === 0 || this.silent) return found;
    try {
      const old = await oldAgents(
        this.client,
        unheard.map(({ instanceId }) => instanceId),
      );
      for (const { slot, instanceId } of unheard) {
        const why = old.get(instanceId);
        if (why) found[slot] = { state: 'undelivered', detail: `${found[slot]!.detail}; ${why}` };
      }
    } catch (error) {
      this.note(error);
      this.log.error('versions of agents cannot be read', { error: describeError(error) });
    }
    return found;
  }

  /** Undefined when Systems Manager does not tell. */
  private async listed(
    asked: readonly SentCommand[],
  ): Promise<{ [slot: string]: CommandStatus } | undefined> {
    try {
      return await listedStatuses(this.client, this.documentName, asked);
    } catch (error) {
      this.note(error);
      this.log.error('what became of commands cannot be read', { error: describeError(error) });
      return undefined;
    }
  }

  private note(error: unknown): void {
    if (errorName(error) === 'TimeoutError') this.silent = true;
  }

  private async status(commandId: string, instanceId: string): Promise<CommandStatus> {
    if (this.silent) return PENDING;
    try {
      const command = new GetCommandInvocationCommand({ CommandId: commandId, InstanceId: instanceId });
      const answer = await this.client.send(command);
      return statusOf({ ...answer, said: answer.StandardErrorContent || answer.StandardOutputContent });
    } catch (error) {
      if (errorName(error) === 'InvocationDoesNotExist') return { state: 'unknown' };
      // The host is gone from Systems Manager; whether the instance lives is EC2's to say.
      if (NOT_REACHABLE.includes(errorName(error))) return PENDING;
      this.note(error);
      this.log.error('what became of a command cannot be read', {
        instanceId,
        commandId,
        error: describeError(error),
      });
      return PENDING;
    }
  }
}
