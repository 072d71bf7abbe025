import {
  attempt,
  parseStep,
  type Step,
  type StepEvent,
  type StepResult,
  takeStep,
} from '../shared/operation/step';
import { measureAge } from './age';
import { setOf } from './backup';
import { deleteOutdated } from './delete-outdated';
import type { FsxBackup, FsxPorts } from './fsx-ports';
import type { Settings } from './settings';

/** Until it is begun, it has the lock of the deployment: no longer than a backup of volumes. */
const BEGIN_SECONDS = 3600;

/** FSx makes its own daily backup within half an hour of its start, and one backup at a time. */
const BUSY_MS = 45 * 60_000;
const BUSY_SECONDS = 30;

/** How long until FSx is asked again: a tenth of what it has taken so far, within these. */
const LOOK_SECONDS = { least: 5, most: 300 };

/** As `handle`, of file systems that FSx backs up itself. No host holds anything. */
export async function handleFsx(
  event: unknown,
  ports: FsxPorts,
  settings: Settings,
): Promise<StepResult | { readonly ageSeconds: number }> {
  if ((event as { action?: unknown } | null)?.action === 'measure')
    return measureAge({ ...ports, snapshots: ports.backups }, settings);
  const step = parseStep(event);
  if (step.operation !== 'backup') throw new Error(`operation is '${step.operation}'; allowed: backup`);
  return backUp(step, ports, settings);
}

/**
 * One step. What was begun is known by FSx alone, so that whichever line it dies on, the next step goes on: the same
 * request for a backup makes no second one. FSx goes on for hours, in which nothing else of the deployment has to wait:
 * the lock is freed when all is begun.
 */
async function backUp(event: StepEvent, ports: FsxPorts, settings: Settings): Promise<StepResult> {
  const own = await ports.backups.ofSet(setOf(event));
  const begun = (settings.managed ?? []).every((id) => own.some((each) => each.of === id));
  if (!begun)
    return takeStep(event, ports, BEGIN_SECONDS, () => begin(event, own.length === 0, ports, settings));
  await ports.lock.free(event.execution);
  const step = await attempt(() => follow(event, own, ports, settings));
  const late = ports.now() - Date.parse(event.startedAt) > settings.deadlineSeconds * 1000;
  const result: StepResult =
    step.outcome === 'again' && late
      ? { outcome: 'failed', message: `It took too long. ${step.message}`, waitSeconds: 0 }
      : { outcome: step.outcome, message: step.message, waitSeconds: step.waitSeconds ?? LOOK_SECONDS.least };
  ports.log.info('step', { operation: event.operation, execution: event.execution, ...result });
  return result;
}

async function begin(
  event: StepEvent,
  first: boolean,
  ports: FsxPorts,
  { managed = [], stacks, kind }: Settings,
): Promise<Step> {
  if (first) {
    const changing = await ports.stacksUnderWay(stacks);
    if (changing.length > 0)
      return refused(`A deployment is under way: ${changing.join(', ')}. Wait for its end.`);
    const busy = await settleOthers(event, ports);
    if (busy !== undefined) return refused(busy);
  }
  const set = setOf(event);
  const protect = event.input.protect === true;
  await ports.catalogue.begin(set, event.execution, protect, managed);
  for (const id of managed) {
    const { state, message } = await ports.backups.begin(id, { set, kind, protect, size: managed.length });
    if (state === 'begun') continue;
    const patient = ports.now() - Date.parse(event.startedAt) < BUSY_MS;
    if (state === 'busy' && patient) {
      const waiting = `FSx makes another backup of ${id}, such as its daily one: waiting for its end`;
      return { outcome: 'again', message: waiting, waitSeconds: BUSY_SECONDS };
    }
    await tear(
      set,
      (await ports.backups.ofSet(set)).map(({ backupId }) => backupId),
      message,
      ports,
    );
    return { outcome: 'failed', message: `No backup of ${id}: ${message}` };
  }
  const what = managed.length === 1 ? 'a backup' : `${managed.length} backups`;
  return {
    outcome: 'again',
    message: `Set ${set} is begun: FSx makes ${what} of ${managed.join(', ')}, which can take hours`,
  };
}

/**
 * Of executions that were stopped, or died: FSx has gone on. What began after this one may go on, too: whoever follows
 * has no lock.
 *
 * @returns why there can be no other one now
 */
async function settleOthers(
  event: StepEvent,
  { backups, catalogue, log, ...ports }: FsxPorts,
): Promise<string | undefined> {
  const unfinished = (await catalogue.unfinished()).filter(
    ({ set, execution }) => execution !== event.execution && set < setOf(event),
  );
  if (unfinished.length === 0) return undefined;
  const sets = await backups.sets();
  let busy: string | undefined;
  for (const { set } of unfinished) {
    const found = sets.find((each) => each.set === set);
    const parts = found?.snapshots ?? [];
    const ids = parts.map(({ snapshotId }) => snapshotId);
    if (parts.some(({ status }) => status === 'pending')) {
      busy = `Set ${set} is made by FSx just now. Wait for its end: backup --list`;
    } else if (ids.length > 0 && ids.length === found?.size && parts.every(isThere)) {
      await backups.judge(ids, 'complete');
      await catalogue.settle(set, 'complete', '');
    } else {
      const reason = 'its execution ended before all of it was begun, or FSx has failed';
      await tear(set, ids, reason, { ...ports, backups, catalogue, log });
    }
  }
  return busy;
}

const isThere = ({ status }: { readonly status: string }): boolean => status === 'completed';

/** Until FSx says that all is there; only then is it called complete. */
async function follow(
  event: StepEvent,
  own: readonly FsxBackup[],
  ports: FsxPorts,
  { managed = [], keep }: Settings,
): Promise<Step> {
  const set = setOf(event);
  const ids = own.map(({ backupId }) => backupId);
  const lost = own.find(({ lifecycle }) => lifecycle === 'FAILED' || lifecycle === 'DELETED');
  if (lost !== undefined || own.length !== managed.length) {
    const reason = lost
      ? `${lost.backupId} of ${lost.of} is ${lost.lifecycle}: ${lost.failure ?? 'FSx does not say why'}`
      : `there are ${own.length} backups of ${managed.length}`;
    await tear(set, ids, reason, ports);
    return { outcome: 'failed', message: `Set ${set} is torn: ${reason}. It is never restored. Try again.` };
  }
  const pending = own.filter(({ lifecycle }) => lifecycle !== 'AVAILABLE');
  if (pending.length > 0) {
    const taken = (ports.now() - Date.parse(event.startedAt)) / 1000;
    const { least, most } = LOOK_SECONDS;
    const how = pending.map(({ of, lifecycle, percent = 0 }) => `${of} is ${lifecycle}, ${percent} %`);
    return {
      outcome: 'again',
      message: `Set ${set}: ${how.join('; ')}`,
      waitSeconds: Math.min(most, Math.max(least, Math.round(taken / 10))),
    };
  }
  await ports.backups.judge(ids, 'complete');
  await ports.catalogue.settle(set, 'complete', '');
  const message = `Set ${set} is complete: ${ids.join(', ')}. It can be restored.`;
  if (keep === undefined) return { outcome: 'done', message };
  // What died and is there all the same counts before anything is deleted.
  await settleOthers(event, ports);
  const { said, more } = await deleteOutdated(keep, { ...ports, snapshots: ports.backups });
  return more ? { outcome: 'again', message } : { outcome: 'done', message: `${message}${said}` };
}

async function tear(
  set: string,
  ids: readonly string[],
  reason: string,
  { backups, catalogue, log }: FsxPorts,
): Promise<void> {
  if (ids.length > 0) await backups.judge(ids, 'torn');
  const state = ids.length > 0 ? 'torn' : 'failed';
  await catalogue.settle(set, state, reason);
  log.error('a set is no backup', { set, state, reason });
}

const refused = (message: string): Step => ({ outcome: 'refused', message });
