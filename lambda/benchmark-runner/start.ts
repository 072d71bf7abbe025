import type { HostOutcome } from '../shared/benchmark/plan';
import type { Ports } from './ports';
import { LockLost } from './refusal';
import { type Batch, batchesOf, commentOf, type Sent, UNSEEN_MS } from './sent';
import type { Step } from './steps';

/** Which step of which run. */
export interface StepCall {
  readonly runId: string;
  /** Its number, from 0. */
  readonly step: number;
}

/** What the workflow does next. */
export interface Progress {
  /** `over`: nothing but the clean-up is begun any more. */
  readonly outcome: 'started' | 'running' | 'ended' | 'wait' | 'over';
  readonly waitSeconds: number;
}

/**
 * Until the hosts begin. A command takes so long to reach all of them, and each looks for some seconds whether somebody
 * works there.
 */
const HEAD_START_SECONDS = 45;
const HEAD_START_HERE_SECONDS = 8;

/** How much longer than a step may take the lock is held: until the next one has begun. */
const LOCK_MORE_SECONDS = 900;

/** How long Systems Manager may refuse hosts that seem to be well. */
const REFUSED_MS = 60_000;

const AGAIN_SECONDS = 5;

export async function stepOf({ runId, step }: StepCall, ports: Ports): Promise<Step> {
  const found = (await ports.store.steps(runId))?.[step];
  if (!found) throw new Error(`run ${runId} has no step ${step}`);
  return found;
}

/**
 * Sends a step's document to its hosts. Called again, or after a crash on any of its lines, it sends nothing twice:
 * what is about to be sent is written down before, and what may have been sent is looked for by its comment.
 */
export async function start(call: StepCall, ports: Ports): Promise<Progress> {
  const { runId } = call;
  const step = await stepOf(call, ports);
  const now = ports.clock.now();
  const before = await ports.table.sent(runId, step.id);
  if (!before && isOver(step, now)) {
    if (step.kind !== 'clean-up') return { outcome: 'over', waitSeconds: 0 };
    await ports.store.saveOutcomes(runId, step.id, notBegun(step));
    return { outcome: 'ended', waitSeconds: 0 };
  }
  // Cleaning up harms nobody, whoever has the lock.
  if (step.kind !== 'clean-up') await holdLock(runId, step, now, ports);
  let sent = before ?? (await plan(runId, step, now, ports));
  if (!sent) return { outcome: 'wait', waitSeconds: AGAIN_SECONDS };
  for (;;) {
    const index = sent.batches.findIndex(({ hosts, commandId }) => hosts.length > 0 && !commandId);
    if (index < 0) break;
    const take = isOver(step, ports.clock.now()) ? leaveBatch : sendBatch;
    const next: Sent | undefined = await take(runId, step, sent, index, ports);
    if (!next) return { outcome: 'wait', waitSeconds: AGAIN_SECONDS };
    sent = next;
  }
  if (sent.sentAt === undefined) await change(runId, step, sent, { sentAt: ports.clock.now() }, ports);
  return { outcome: 'started', waitSeconds: 2 };
}

/** Whether its time was over before it began: for a clean-up, when nobody would wait for it. */
export function isOver({ kind, deadline, giveUpAt }: Step, now: number): boolean {
  const last = kind === 'clean-up' ? giveUpAt : deadline;
  return last !== undefined && now >= last;
}

const OVER = 'the time of the whole run was over';

export const notBegun = ({ hosts }: Step): HostOutcome[] =>
  hosts.map((instanceId) => ({
    instanceId,
    status: 'timed-out',
    reason: `it was not begun: ${OVER}`,
  }));

/** A batch that there is no time for any more: what may have been sent is looked for once. */
async function leaveBatch(
  runId: string,
  step: Step,
  sent: Sent,
  index: number,
  ports: Ports,
): Promise<Sent | undefined> {
  const { hosts, intendedAt } = sent.batches[index]!;
  const commandId =
    intendedAt === undefined
      ? undefined
      : await ports.commands.find(step.document, commentOf(runId, step.id, index), intendedAt);
  if (commandId) return changeBatch(runId, step, sent, index, { commandId }, ports);
  const reason =
    intendedAt === undefined ? `it was not begun: ${OVER}` : `it is not known whether it was begun: ${OVER}`;
  const batches = sent.batches.map((one, at) => (at === index ? { hosts: [] } : one));
  const absent = { ...sent.absent, ...Object.fromEntries(hosts.map((id) => [id, reason])) };
  return change(runId, step, sent, { batches, absent }, ports);
}

async function holdLock(runId: string, step: Step, now: number, ports: Ports): Promise<void> {
  const seconds = Math.floor(now / 1000);
  const other = await ports.table.lock(runId, seconds + step.timeoutSeconds + LOCK_MORE_SECONDS, seconds);
  if (other) throw new LockLost(`run ${other.runId} has taken the lock of this benchmark`);
}

async function plan(runId: string, step: Step, now: number, ports: Ports): Promise<Sent | undefined> {
  const absent = await absentOf(step.hosts, ports);
  const hosts = step.hosts.filter((id) => absent[id] === undefined);
  const sent: Sent = {
    version: 1,
    batches: batchesOf(hosts),
    absent,
    startAt: step.together && hosts.length > 1 ? startAtOf(now, ports) : 0,
  };
  return (await ports.table.saveSent(runId, step.id, sent, undefined)) ? sent : undefined;
}

function startAtOf(now: number, { notRepresentative }: Ports): number {
  return Math.ceil(now / 1000) + (notRepresentative ? HEAD_START_HERE_SECONDS : HEAD_START_SECONDS);
}

/** Hosts that nothing can be sent to, and why. */
async function absentOf(hosts: readonly string[], ports: Ports): Promise<Record<string, string>> {
  if (hosts.length === 0) return {};
  const [known, online] = await Promise.all([ports.instances.named(hosts), ports.commands.online(hosts)]);
  const absent: Record<string, string> = {};
  for (const id of hosts) {
    const state = known.find(({ instanceId }) => instanceId === id)?.state;
    if (state !== 'running') absent[id] = state ? `it is ${state}` : 'EC2 does not know it any more';
    else if (!online.includes(id)) absent[id] = 'Systems Manager does not hear from its agent';
  }
  return absent;
}

/** Sends one batch; undefined when it is not known yet whether it was sent, or when somebody else is at it. */
async function sendBatch(
  runId: string,
  step: Step,
  sent: Sent,
  index: number,
  ports: Ports,
): Promise<Sent | undefined> {
  const batch = sent.batches[index]!;
  const comment = commentOf(runId, step.id, index);
  if (batch.intendedAt !== undefined) {
    const commandId = await ports.commands.find(step.document, comment, batch.intendedAt);
    if (commandId) return changeBatch(runId, step, sent, index, { commandId }, ports);
    if (ports.clock.now() - batch.intendedAt < UNSEEN_MS) return undefined;
  }
  const intendedAt = ports.clock.now();
  // What was not sent by the time at which the hosts were to begin: as long as nobody was told, they can begin together
  // later.
  const nobody = sent.batches.every(({ commandId }) => commandId === undefined);
  const late = sent.startAt > 0 && nobody && batch.intendedAt !== undefined;
  const startAt = late ? startAtOf(intendedAt, ports) : sent.startAt;
  const batches = sent.batches.map((one, at) => (at === index ? { ...one, intendedAt } : one));
  const claimed = await change(runId, step, sent, { batches, startAt }, ports);
  if (!claimed) return undefined;
  const parameters =
    'StartAt' in step.parameters ? { ...step.parameters, StartAt: String(startAt) } : step.parameters;
  const commandId = await ports.commands.send({
    document: step.document,
    instanceIds: batch.hosts,
    parameters,
    outputPrefix: step.outputs,
    comment,
  });
  if (commandId) return changeBatch(runId, step, claimed, index, { commandId }, ports);
  return refusedBatch(runId, step, claimed, index, ports);
}

/** One host that Systems Manager does not take makes it refuse them all: the others are sent to without it. */
async function refusedBatch(
  runId: string,
  step: Step,
  sent: Sent,
  index: number,
  ports: Ports,
): Promise<Sent | undefined> {
  const { hosts, refusedAt } = sent.batches[index]!;
  const absent = await absentOf(hosts, ports);
  const now = ports.clock.now();
  const rest = hosts.filter((id) => absent[id] === undefined);
  const replace = (batches: Batch[], more: Record<string, string>): Promise<Sent | undefined> =>
    change(
      runId,
      step,
      sent,
      // Batches keep their numbers, which their comments have.
      {
        batches: [...sent.batches.map((one, at) => (at === index ? { hosts: [] } : one)), ...batches],
        absent: { ...sent.absent, ...more },
      },
      ports,
    );
  if (rest.length < hosts.length) return replace(rest.length > 0 ? [{ hosts: rest }] : [], absent);
  // All seem to be well: each is asked on its own, so that the one that is not is found.
  if (hosts.length > 1)
    return replace(
      hosts.map((id) => ({ hosts: [id] })),
      {},
    );
  if (refusedAt !== undefined && now - refusedAt >= REFUSED_MS) {
    return replace([], { [hosts[0]!]: 'Systems Manager does not take it' });
  }
  ports.log.info('a host is refused', { runId, step: step.id, host: hosts[0] });
  await changeBatch(runId, step, sent, index, { intendedAt: undefined, refusedAt: refusedAt ?? now }, ports);
  return undefined;
}

function changeBatch(
  runId: string,
  step: Step,
  sent: Sent,
  index: number,
  changes: Partial<Batch>,
  ports: Ports,
): Promise<Sent | undefined> {
  const batches = sent.batches.map((one, at) => (at === index ? { ...one, ...changes } : one));
  return change(runId, step, sent, { batches }, ports);
}

/** Writes what has changed; undefined when somebody else has written since it was read. */
export async function change(
  runId: string,
  step: Step,
  sent: Sent,
  changes: Partial<Sent>,
  ports: Ports,
): Promise<Sent | undefined> {
  const after = { ...sent, ...changes, version: sent.version + 1 };
  return (await ports.table.saveSent(runId, step.id, after, sent)) ? after : undefined;
}
