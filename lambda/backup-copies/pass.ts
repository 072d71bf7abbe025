import { type FoundSet, momentOf } from '../shared/backup-set';
import { lookThere, nextSet, ownSets, type There, usableThere } from './choose';
import { copySet } from './copy-set';
import type { Ports, Work } from './ports';
import { retainCopies } from './retain';
import { type Settings, sourceOf } from './settings';

/** What a pass found, for its log. */
export interface Passed {
  /** The set that is being copied; undefined when there is nothing to do. */
  readonly set?: string;
  readonly begun: number;
  readonly deleted: number;
  readonly ageSeconds: number;
}

/**
 * One pass: measures how old the newest set of copies is, begins copies of one set as far as EBS takes them, and
 * deletes what is outdated. Copies take hours; the next pass goes on. It may die after any call: what was begun is
 * found by its tags, and each was claimed first, so that nobody begins it again before it must have been found.
 *
 * One set at a time, and the newest: a copy has only what has changed since the one before when that is there.
 */
export async function pass(ports: Ports, settings: Settings): Promise<Passed> {
  const { deployment, keep } = settings;
  const { source, destination, log } = ports;
  const here = await source.list();
  const there = lookThere(await destination.list(), sourceOf(settings));
  const ageSeconds = await ageOf(there, ports);
  log.metrics(deployment, { BackupCopyAgeSeconds: ageSeconds });
  const own = ownSets(here);
  const doing = await chosen(own, there, ports);
  const begun = doing ? await copySet(doing, here, there.copies, ports) : 0;
  const deleted = await retainCopies(own, there.sets, doing?.set, keep, ports);
  const result = { ...(doing && { set: doing.set }), begun, deleted, ageSeconds };
  log.info('copies', result);
  return result;
}

/** Goes on with the set that was begun, until all of it can be restored there, or it is gone here. */
async function chosen(
  own: readonly FoundSet[],
  there: There,
  { work, log }: Ports,
): Promise<Work | undefined> {
  const doing = await work.read();
  if (doing !== undefined) {
    const isThere = usableThere(there).some((each) => each.set === doing.set);
    const isTaken = there.taken.has(doing.set);
    if (!isThere && !isTaken && own.some(({ set }) => set === doing.set)) return doing;
    if (isTaken) log.error('a set of this name is there that somebody else has copied', { set: doing.set });
    else if (!isThere) log.error('a set is gone before all of it was copied', { set: doing.set });
  }
  const next = nextSet(own, there);
  if (next === undefined || next.set === doing?.set) return undefined;
  return (await work.begin(next.set, doing)) ? { set: next.set, claims: {} } : undefined;
}

/** Without any set it is as old as the watch: whoever has never had one there hears of it, too. */
async function ageOf(there: There, { work, now }: Ports): Promise<number> {
  const usable = usableThere(there);
  const moment =
    usable.length > 0
      ? Math.max(...usable.map(momentOf))
      : await work.watchedSince(new Date(now()).toISOString());
  return Math.max(0, Math.round((now() - moment) / 1000));
}
