import type { HostOutcome } from '../shared/benchmark/plan';
import { describeError } from '../shared/log';
import { look, type Seen } from './look';
import { pauseOf } from './pace';
import type { Invocation, Ports } from './ports';
import type { Sent } from './sent';
import { change, type Progress, type StepCall, stepOf } from './start';
import type { Step } from './steps';

/** Looks what became of a step. When all its hosts have ended it writes their outcomes, once. */
export async function check(call: StepCall, ports: Ports): Promise<Progress> {
  const { runId } = call;
  const step = await stepOf(call, ports);
  const ended = { outcome: 'ended', waitSeconds: 0 } as const;
  if (await ports.store.outcomes(runId, step.id)) return ended;
  const sent = await ports.table.sent(runId, step.id);
  if (!sent) throw new Error(`nothing was sent for step ${step.id} of run ${runId}`);
  const seen = await seeHosts(step, sent, ports);
  const { outcomes, running, overdue } = look(step, sent, seen);
  if (overdue.length > 0) {
    // First written, since it says what the end means. Asked for again with each look: that does no harm.
    if (sent.cancelledAt === undefined) await change(runId, step, sent, { cancelledAt: seen.now }, ports);
    await cancel(step, sent, overdue, ports);
  }
  if (running.length > 0) {
    return {
      outcome: 'running',
      waitSeconds: untilNext(
        step,
        seen.now,
        pauseOf((seen.now - (sent.sentAt ?? seen.now)) / 1000, step.pace),
      ),
    };
  }
  await ports.store.saveOutcomes(runId, step.id, await withOutputs(outcomes, sent, ports));
  ports.log.info('step ended', { runId, step: step.id, outcomes: counted(outcomes) });
  return ended;
}

/** A pause ends when something has to be done: what runs too long is cancelled on time, and given up on time. */
function untilNext({ deadline, giveUpAt }: Step, now: number, pause: number): number {
  const times = [deadline, giveUpAt].filter((time) => time !== undefined && time >= now) as number[];
  return Math.min(pause, ...times.map((time) => Math.floor((time - now) / 1000) + 1));
}

async function seeHosts(step: Step, sent: Sent, ports: Ports): Promise<Seen> {
  const commands = sent.batches.map(({ commandId }) => commandId).filter((id) => id !== undefined);
  const [instances, invocations, outputs] = await Promise.all([
    ports.instances.named(step.hosts),
    Promise.all(commands.map((id) => ports.commands.invocations(id))),
    Promise.all(commands.map((id) => ports.store.outputs(step.outputs, id))),
  ]);
  const byInstance = invocations.flat().map((one): [string, Invocation] => [one.instanceId, one]);
  return {
    now: ports.clock.now(),
    instances,
    invocations: Object.fromEntries(byInstance),
    outputs: Object.assign({}, ...outputs),
  };
}

async function cancel(step: Step, sent: Sent, overdue: readonly string[], ports: Ports): Promise<void> {
  for (const { commandId, hosts } of sent.batches) {
    const late = hosts.filter((id) => overdue.includes(id));
    if (!commandId || late.length === 0) continue;
    try {
      await ports.commands.cancel(commandId, late);
    } catch (error) {
      // The hosts' own time-outs end it, too; what is waited for is bounded.
      ports.log.error('a command cannot be cancelled', {
        step: step.id,
        commandId,
        error: describeError(error),
      });
    }
  }
}

/** What has no output in the bucket gets what Systems Manager itself has kept of it. */
async function withOutputs(outcomes: HostOutcome[], sent: Sent, ports: Ports): Promise<HostOutcome[]> {
  return Promise.all(
    outcomes.map(async (outcome) => {
      const { instanceId, outputKey } = outcome;
      const batch = sent.batches.find(({ hosts }) => hosts.includes(instanceId));
      if (outputKey || !batch?.commandId) return outcome;
      try {
        const output = await ports.commands.output(batch.commandId, instanceId);
        return output ? { ...outcome, output } : outcome;
      } catch (error) {
        ports.log.error('an output cannot be read', { instanceId, error: describeError(error) });
        return outcome;
      }
    }),
  );
}

function counted(outcomes: readonly HostOutcome[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status } of outcomes) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}
