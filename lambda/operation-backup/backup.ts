import { BACKUP_TAGS } from '../../constructs/private/tags';
import type { Answer } from '../shared/operation/answer';
import type { Progress } from '../shared/operation/lock';
import type { Step, StepEvent } from '../shared/operation/step';
import { deleteOutdated } from './delete-outdated';
import { changedSince, planOf, sizeOf, unfitIn } from './plan';
import type { Begun, Plan, Ports, SetState } from './ports';
import { HOLD_MS, HOLD_SECONDS, RELEASE_MS, type Settings } from './settings';

/** While writes are held. */
const SOON_SECONDS = 1;

/** The name of a set: when its execution began, to the second; one runs at a time. */
export const setOf = ({ startedAt }: StepEvent): string =>
  new Date(startedAt).toISOString().replace(/[-:]/g, '').replace(/\.\d+/, '');

/**
 * One step of a backup. Only what is judged at the end is called complete: the writes were held until the last snapshot
 * was begun, every volume of every slot has one, and no slot has changed its server meanwhile. Whichever line it dies
 * on: hosts let go by themselves after a minute, and the next step, or the next backup, calls the set torn.
 */
export async function backup(
  event: StepEvent,
  progress: Progress,
  ports: Ports,
  settings: Settings,
): Promise<Step> {
  if (settings.refusal) return { outcome: 'refused', message: settings.refusal };
  switch (progress.phase) {
    case 'sync':
      return sync(progress, ports);
    case 'syncing':
      return synced(progress, ports);
    case 'hold':
      return hold(progress, ports);
    case 'holding':
      return take(event, progress, ports, settings);
    case 'releasing':
      return judge(event, progress, ports, settings);
    case 'deleting':
      return retain(progress, ports, settings);
    default:
      return begin(event, ports, settings);
  }
}

async function begin(event: StepEvent, ports: Ports, settings: Settings): Promise<Step> {
  await settleOthers(event, ports);
  const plan = await planOf(ports, settings);
  if (typeof plan === 'string') return { outcome: 'refused', message: plan };
  const holders = plan.servers.filter(({ tier }) => tier === settings.holder);
  const progress = {
    phase: plan.peers?.length ? 'sync' : 'hold',
    plan: JSON.stringify(plan),
    holders: holders.map(({ instanceId }) => instanceId),
  };
  await ports.catalogue.begin(setOf(event), event.execution, event.input.protect === true, plan);
  return again(`Set ${setOf(event)}: ${sizeOf(plan)} volumes of ${plan.servers.length} servers`, progress);
}

/** Of executions that were stopped, or died: what they have begun was never judged. */
async function settleOthers({ execution }: StepEvent, ports: Ports): Promise<void> {
  for (const other of await ports.catalogue.unfinished()) {
    if (other.execution === execution) continue;
    if (await isJudged(other.set, ports)) {
      await ports.catalogue.settle(other.set, 'complete', '');
      continue;
    }
    const begun = await ports.snapshots.ofSet(other.set);
    await tear(other.set, begun, 'its execution ended before it was judged', ports);
  }
}

/** Whoever holds waits for what all others have not written yet, and everybody waits for that. */
async function sync(progress: Progress, ports: Ports): Promise<Step> {
  const peers = planIn(progress).peers ?? [];
  const now = new Date(ports.now()).toISOString();
  const commands = await ports.hosts.tell(peers, 'sync', 'sync', HOLD_SECONDS);
  return again('Waiting for the hosts to write what they have', {
    ...progress,
    phase: 'syncing',
    told: [now, ...commands],
  });
}

/** One that could not is no obstacle: the hold has it write. */
async function synced(progress: Progress, ports: Ports): Promise<Step> {
  const told = await answersTo(progress, HOLD_MS, ports, planIn(progress).peers);
  if (told === undefined) return again('Waiting for the hosts to write what they have', progress);
  if (told.problem !== undefined) ports.log.info('not all have written before the hold', { ...told });
  return hold(progress, ports);
}

async function hold(progress: Progress, ports: Ports): Promise<Step> {
  const now = new Date(ports.now()).toISOString();
  const holders = listOf(progress.holders);
  const token = `hold-${now.replace(/[^0-9TZ]/g, '')}`;
  const commands = await ports.hosts.tell(holders, 'hold', token, HOLD_SECONDS);
  const next = { ...progress, phase: 'holding', token, told: [now, ...commands] };
  return again(`Waiting for ${holders.length === 1 ? 'the host' : 'hosts'} to hold writes`, next);
}

async function take(event: StepEvent, progress: Progress, ports: Ports, settings: Settings): Promise<Step> {
  const told = await answersTo(progress, HOLD_MS, ports);
  if (told === undefined) return again('Waiting for the host to hold writes', progress);
  const set = setOf(event);
  if (told.problem !== undefined) {
    // One that holds without having said so in time is told; it lets go by itself in any case.
    await tellRelease(progress, ports).catch(() => undefined);
    const reason = `writes could not be held: ${told.problem}`;
    await ports.catalogue.settle(set, 'failed', reason);
    return { outcome: 'failed', message: `No backup: ${reason}. Nothing was made; try again.` };
  }
  const plan = planIn(progress);
  let problem = '';
  const begun: Begun[] = [];
  // A call that dies between here and its end has begun some: nobody knows when the others would be.
  if (await ports.catalogue.takes(set)) {
    const label = { set, kind: settings.kind, protect: event.input.protect === true, size: sizeOf(plan) };
    const results = await Promise.allSettled(
      plan.servers.map((server) => ports.snapshots.create(server, label)),
    );
    for (const [index, result] of results.entries()) {
      if (result.status === 'fulfilled') begun.push(...result.value);
      else problem ||= `${plan.servers[index]!.slot}: ${String(result.reason)}`;
    }
  } else problem = 'the step that began the snapshots was cut off';
  const commands = await tellRelease(progress, ports);
  const next = {
    ...progress,
    phase: 'releasing',
    problem,
    begun: begun.map(({ snapshotId, volumeId }) => `${snapshotId} ${volumeId}`),
    told: [new Date(ports.now()).toISOString(), ...commands],
  };
  return again(`${begun.length} snapshots are begun; letting go`, next);
}

async function judge(event: StepEvent, progress: Progress, ports: Ports, settings: Settings): Promise<Step> {
  const told = await answersTo(progress, RELEASE_MS, ports);
  if (told === undefined) return again('Waiting for the host to let go', progress);
  const set = setOf(event);
  const plan = planIn(progress);
  const begun = await allBegun(set, progress, ports);
  // A step that was cut off after it: what became of the servers since is nothing to the set.
  if (await isJudged(set, ports)) return completed(set, plan, begun, ports);
  const problem =
    (typeof progress.problem === 'string' && progress.problem) ||
    (told.problem && `writes were not held until the last snapshot was begun: ${told.problem}`) ||
    unfitIn(plan, begun) ||
    (await changedSince(plan, ports, settings));
  if (problem) {
    const state = await tear(set, begun, problem, ports);
    return {
      outcome: 'failed',
      message: `Set ${set} is ${state}: ${problem}. It is never restored. Try again.`,
    };
  }
  await complete(plan, begun, ports);
  return completed(set, plan, begun, ports);
}

/** Deletions are steps of their own: one that is cut off there does not judge a second time. */
async function completed(set: string, plan: Plan, begun: readonly Begun[], ports: Ports): Promise<Step> {
  await ports.catalogue.settle(set, 'complete', '');
  const message =
    `Set ${set} is complete: ${begun.length} snapshots of ${plan.servers.length} servers at one moment. ` +
    'It can be restored when EBS has copied all.';
  return again(message, { phase: 'deleting', message });
}

async function retain(progress: Progress, ports: Ports, { keep }: Settings): Promise<Step> {
  const message = String(progress.message);
  if (keep === undefined) return { outcome: 'done', message };
  const { said, more } = await deleteOutdated(keep, ports);
  return more ? again(message, progress) : { outcome: 'done', message: `${message}${said}` };
}

/** Whether all of it says that it is complete, which is said when all was judged. */
const isJudged = async (set: string, { snapshots }: Ports): Promise<boolean> =>
  (await snapshots.sets()).some(
    (each) => each.set === set && each.state === 'complete' && each.snapshots.length === each.size,
  );

/** What EC2 answered, and what it shows: a call that was tried again may have begun snapshots twice. */
async function allBegun(set: string, progress: Progress, ports: Ports): Promise<Begun[]> {
  const answered = listOf(progress.begun).map((line): Begun => {
    const [snapshotId = '', volumeId = ''] = line.split(' ');
    return { snapshotId, volumeId };
  });
  const known = new Set(answered.map(({ snapshotId }) => snapshotId));
  const shown = await ports.snapshots.ofSet(set);
  return [...answered, ...shown.filter(({ snapshotId }) => !known.has(snapshotId))];
}

/** Places first: a set that says that it is complete has all that a restore reads. */
async function complete(plan: Plan, begun: readonly Begun[], ports: Ports): Promise<void> {
  const most = Math.max(...plan.servers.map(({ volumes }) => volumes.length));
  const snapshotOf = new Map(begun.map(({ snapshotId, volumeId }) => [volumeId, snapshotId]));
  for (let position = 0; position < most; position += 1) {
    const ids = plan.servers.flatMap(({ volumes }) => snapshotOf.get(volumes[position] ?? '') ?? []);
    await ports.snapshots.place(ids, position);
  }
  const ids = plan.servers.flatMap(({ volumes }) => volumes.flatMap((id) => snapshotOf.get(id) ?? []));
  await ports.snapshots.judge(ids, 'complete');
}

async function tear(set: string, begun: readonly Begun[], reason: string, ports: Ports): Promise<SetState> {
  const state = begun.length > 0 ? 'torn' : 'failed';
  if (begun.length > 0) {
    const ids = begun.map(({ snapshotId }) => snapshotId);
    await ports.snapshots.judge(ids, 'torn');
  }
  await ports.catalogue.settle(set, state, reason);
  ports.log.error('a set is no backup', { set, state, reason, tag: BACKUP_TAGS.state });
  return state;
}

const tellRelease = (progress: Progress, ports: Ports): Promise<string[]> =>
  ports.hosts.tell(listOf(progress.holders), 'release', String(progress.token), HOLD_SECONDS);

/** @returns undefined while somebody is waited for; else what went wrong, if anything did */
async function answersTo(
  progress: Progress,
  patienceMs: number,
  ports: Ports,
  asked: readonly string[] = listOf(progress.holders),
): Promise<{ readonly problem?: string } | undefined> {
  const [toldAt = '', ...commands] = listOf(progress.told);
  const found = await ports.hosts.answers(commands);
  const over = commands.length === 0 || ports.now() - Date.parse(toldAt) >= patienceMs;
  // One that was just sent may not be listed yet.
  if (!over && asked.some((id) => (found.get(id)?.state ?? 'pending') === 'pending')) return undefined;
  const wrong = asked.flatMap((id) => {
    const problem = problemOf(found.get(id));
    return problem === undefined ? [] : [`${id}: ${problem}`];
  });
  return wrong.length > 0 ? { problem: wrong.join('; ') } : {};
}

function problemOf(answer?: Answer): string | undefined {
  if (answer === undefined) return 'its agent could not be reached';
  if (answer.state === 'pending') return 'it did not answer in time';
  if (answer.state === 'ended' && answer.exitCode === 0) return undefined;
  return answer.said || `exit code ${answer.exitCode}`;
}

const planIn = (progress: Progress): Plan => JSON.parse(String(progress.plan)) as Plan;

const again = (message: string, progress: Progress): Step => ({
  outcome: 'again',
  message,
  progress,
  waitSeconds: SOON_SECONDS,
});

const listOf = (value: string | string[] | undefined): string[] => (Array.isArray(value) ? value : []);
