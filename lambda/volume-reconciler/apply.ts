import { describeError, errorName } from '../shared/log';
import type { Action } from './actions';
import type { Outcome, Ports } from './ports';

/** How many steps are taken at once. */
const PARALLEL = 8;

/**
 * A pass tells no host, keeps nothing and begins no attach or detach after this long: EC2 lets an account do five a
 * second, and a pass that did a thousand would outlive the function. The next pass goes on where this one stopped, and
 * first tells the hosts whose slots are complete by then.
 */
export const WORK_MS = 20_000;

/** What became of one step. */
export interface Applied {
  readonly action: Action;
  /** For people: what was done, or why not. */
  readonly text: string;
  readonly done: boolean;
  /** The map changed, so that more may be possible at once. */
  readonly advanced: boolean;
  /** What AWS answered, when it refused. */
  readonly refusal?: Refusal;
}

/** An error of AWS. */
export interface Refusal {
  readonly code: string;
  readonly message: string;
}

/**
 * What there can be too much of for one pass, last. What is quick goes first: without its heartbeat a launch that waits
 * is given up.
 */
const TURNS: { readonly [kind in Action['kind']]?: number } = {
  'keep-interface': 1,
  'keep-volumes': 1,
  tell: 1,
  snapshot: 1,
  'attach-interface': 2,
  'attach-volume': 2,
  'detach-interface': 2,
  'detach-volume': 2,
};

const turnOf = ({ kind }: Action): number => TURNS[kind] ?? 0;

/**
 * Takes all steps that there is time for, some at a time. A step that fails stops no other: the next pass sees what is
 * so.
 */
export async function applyAll(actions: Action[], holder: string, ports: Ports): Promise<Applied[]> {
  const applied: Applied[] = [];
  const queue = [...actions].sort((a, b) => turnOf(a) - turnOf(b));
  const end = ports.clock.now() + WORK_MS;
  const applyFromQueue = async (): Promise<void> => {
    for (let action = queue.shift(); action !== undefined; action = queue.shift()) {
      const late = turnOf(action) > 0 && ports.clock.now() >= end;
      const step = late ? leftForNextPass(action) : await applyOne(action, holder, ports);
      applied.push(step);
      const next = action.kind === 'mark-served' && step.done ? action.afterwards : undefined;
      if (next !== undefined) applied.push(await applyOne(next, holder, ports));
    }
  };
  await Promise.all(Array.from({ length: Math.min(PARALLEL, actions.length) }, applyFromQueue));
  return applied;
}

const leftForNextPass = (action: Action): Applied => ({
  action,
  text: `${describe(action)}: left for the next pass`,
  done: false,
  advanced: false,
});

async function applyOne(action: Action, holder: string, ports: Ports): Promise<Applied> {
  try {
    const { done, said, refusal } = await applyAction(action, holder, ports);
    const text = done ? describe(action) : `${describe(action)}: not done, ${said}`;
    return { action, text, done, advanced: done && ADVANCING.includes(action.kind), refusal };
  } catch (error) {
    ports.log.error('a step failed', { step: describe(action), error: describeError(error) });
    return {
      action,
      text: `${describe(action)}: failed, ${describeError(error)}`,
      done: false,
      advanced: false,
      refusal: { code: errorName(error), message: error instanceof Error ? error.message : String(error) },
    };
  }
}

/** Steps whose effect is in the map at once; what EC2, Auto Scaling or a host do takes its time. */
const ADVANCING: readonly Action['kind'][] = ['claim', 'release', 'mark-served', 'unserve'];

interface StepOutcome {
  readonly done: boolean;
  readonly said: string;
  readonly refusal?: Refusal;
}

async function applyAction(action: Action, holder: string, ports: Ports): Promise<StepOutcome> {
  const { map, compute, group } = ports;
  const at = new Date(ports.clock.now()).toISOString();
  switch (action.kind) {
    case 'claim': {
      const timeline = { ...action.timeline, claimed: at };
      return written(await map.claim(action.claim, at, timeline, action.serverType));
    }
    case 'release': {
      const { claim, timeline, failed, keepsOwnerRow } = action;
      return written(await map.release(claim, { vacated: at, ...timeline }, failed, keepsOwnerRow));
    }
    case 'attach-volume':
      return answered(await compute.attachVolume(action.volumeId, action.instanceId, action.device));
    case 'detach-volume':
      return answered(await compute.detachVolume(action.volumeId, action.instanceId));
    case 'attach-interface':
      return answered(await compute.attachInterface(action.interfaceId, action.instanceId));
    case 'detach-interface':
      return answered(await compute.detachInterface(action.attachmentId));
    case 'keep-volumes':
      return answered(await compute.keepVolumes(action.instanceId, action.devices));
    case 'keep-interface':
      return answered(await compute.keepInterface(action.interfaceId, action.attachmentId));
    case 'tell':
      return tellHost(action, ports);
    case 'mark-served': {
      const { claim, commandId, untagged, note, servings } = action;
      if (untagged.length > 0) {
        const tagged = answered(await compute.markFormatted(untagged, claim.slot));
        if (!tagged.done) return tagged;
      }
      return written(await map.markServed(claim, commandId, note.timeline, servings));
    }
    case 'snapshot':
      return snapshot(action, ports);
    case 'unserve':
      return written(await map.unserve(action.claim, action.note));
    case 'annotate':
      return written(await annotate(action, at, ports));
    case 'record-recovery':
      return written(await map.recordRecovery(action.claim, action.note, action.recovery, action.serverType));
    case 'mark-unhealthy':
      return answered(await group.markUnhealthy(action.instanceId));
    case 'complete':
      return answered(await group.complete(action.instanceId, action.hook, action.result));
    case 'heartbeat': {
      if (!(await map.noteBeat(holder, ports.clock.now())))
        return { done: false, said: 'the lease is another’s' };
      await keepWaiting(action, ports);
      return { done: true, said: '' };
    }
  }
}

/** A snapshot that cannot be made is for a person, who reads it in the row. */
async function snapshot(
  { claim, volumeId, finding, note }: Extract<Action, { kind: 'snapshot' }>,
  { compute, map }: Ports,
): Promise<StepOutcome> {
  try {
    return answered(await compute.createSnapshot(volumeId, claim.slot, finding));
  } catch (error) {
    const { slot, owner, epoch } = claim;
    // The first cause stays: it was written before.
    const reason = note.reason?.startsWith('no snapshot of ')
      ? note.reason
      : `no snapshot of ${volumeId} can be made (${errorName(error)}); ${note.reason}`;
    await map.annotate(slot, owner, epoch, { ...note, reason });
    throw error;
  }
}

function annotate(
  action: Extract<Action, { kind: 'annotate' }>,
  at: string,
  { map }: Ports,
): Promise<boolean> {
  const { slot, owner, epoch, note, undated } = action;
  return undated && owner !== undefined
    ? map.date({ slot, owner, epoch }, at, note)
    : map.annotate(slot, owner, epoch, note);
}

/**
 * Keeps launches waiting, also those after one that Auto Scaling refuses or does not answer. Should there be no time
 * for all, others come first the next time: a hook waits for many beats.
 */
async function keepWaiting(
  { instanceIds, hook }: Extract<Action, { kind: 'heartbeat' }>,
  { clock, group }: Ports,
): Promise<void> {
  const begun = clock.now();
  const first = Math.floor(begun / 1000) % instanceIds.length;
  const failures: unknown[] = [];
  for (const instanceId of [...instanceIds.slice(first), ...instanceIds.slice(0, first)]) {
    if (clock.now() - begun >= WORK_MS) break;
    try {
      await group.heartbeat(instanceId, hook);
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}

/**
 * Records the intent, tells the host, records the command's id. A crash in between leaves an intent without an id,
 * after which the host is told once more: for the same epoch it does the same thing once.
 */
async function tellHost(action: Extract<Action, { kind: 'tell' }>, ports: Ports): Promise<StepOutcome> {
  const { claim, attempts, failures, repairingAt, note, order } = action;
  const sentAt = new Date(ports.clock.now()).toISOString();
  const timeline = note.timeline.commandSent ? note.timeline : { ...note.timeline, commandSent: sentAt };
  const command = { sentAt, attempts, failures, ...(repairingAt ? { repairingAt } : {}) };
  const begun = await ports.map.beginCommand(claim, command, { ...note, timeline }, order.mayFormat);
  if (!begun) return written(false);
  const { id, code } = await ports.hosts.tell(claim.owner, order);
  if (id === undefined) {
    await ports.map.noteUnsent(claim, sentAt);
    return { done: false, said: code ?? 'not sent' };
  }
  return written(await ports.map.recordCommand(claim, sentAt, id));
}

const written = (done: boolean): StepOutcome => ({ done, said: 'the row has changed since it was read' });
const answered = ({ done, code, message }: Outcome): StepOutcome => ({
  done,
  said: code ?? 'refused',
  ...(done || code === undefined ? {} : { refusal: { code, message: message ?? '' } }),
});

function describe(action: Action): string {
  switch (action.kind) {
    case 'claim':
      return `claim ${action.claim.slot} for ${action.claim.owner}, epoch ${action.claim.epoch + 1}`;
    case 'release':
      return `release ${action.claim.slot} from ${action.claim.owner}`;
    case 'attach-volume':
      return `attach ${action.volumeId} to ${action.instanceId}`;
    case 'detach-volume':
      return `detach ${action.volumeId} from ${action.instanceId}`;
    case 'attach-interface':
      return `attach ${action.interfaceId} to ${action.instanceId}`;
    case 'detach-interface':
      return `detach ${action.attachmentId} from ${action.instanceId}`;
    case 'keep-volumes':
      return `keep ${action.volumeIds.join(', ')} when ${action.instanceId} ends`;
    case 'keep-interface':
      return `keep ${action.interfaceId} when ${action.instanceId} ends`;
    case 'tell':
      return `tell ${action.claim.owner} to serve ${action.claim.slot}, epoch ${action.claim.epoch}`;
    case 'mark-served':
      return `note that ${action.claim.owner} serves ${action.claim.slot}`;
    case 'snapshot':
      return `make a snapshot of ${action.volumeId} before the repair ${action.finding}`;
    case 'unserve':
      return `note that ${action.claim.slot} is not served`;
    case 'annotate':
      return `describe ${action.slot}: ${action.note.phase}`;
    case 'record-recovery':
      return `record the recovery of ${action.claim.slot}, ${action.recovery.seconds} s`;
    case 'mark-unhealthy':
      return `have ${action.instanceId} replaced, ${action.why}`;
    case 'complete':
      return `complete ${action.hook} of ${action.instanceId} with ${action.result}, ${action.why}`;
    case 'heartbeat':
      return `keep ${action.instanceIds.join(', ')} waiting`;
  }
}
