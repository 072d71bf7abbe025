import { SNAPSHOT_COPIES_AT_ONCE } from '../../constructs/facts/services';
import type { DescribedSnapshot } from '../shared/backup-set';
import { describeError } from '../shared/log';
import { copyOf, setOf } from './choose';
import { type Ports, Refused, type Work } from './ports';
import { PASS_MS, SETTLED_MS } from './settings';

/** The limit is the account's: half of it is left to others. */
const AT_ONCE = SNAPSHOT_COPIES_AT_ONCE.value / 2;

/**
 * Begins copies of the snapshots of a set that have none, as many as EBS is to make at a time.
 *
 * @param here snapshots in the region of the set
 * @param copies what there is of copies, of this and other sets
 * @returns how many were begun
 */
export async function copySet(
  { set, claims }: Work,
  here: readonly DescribedSnapshot[],
  copies: readonly DescribedSnapshot[],
  ports: Ports,
): Promise<number> {
  const { now, log } = ports;
  const end = now() + PASS_MS;
  let room = AT_ONCE - copies.filter(({ State }) => State === 'pending').length;
  let begun = 0;
  for (const original of here.filter((each) => setOf(each) === set && copyOf(each) === undefined)) {
    const id = original.SnapshotId!;
    const own = copies.filter((each) => copyOf(each) === id);
    const usable = await withoutWorthless(own, ports);
    if (usable > 0) continue;
    const claim = claims[id];
    // Begun, and not listed yet; or a pass has died with it, which nobody can tell before that time is over.
    if (claim !== undefined && now() - Date.parse(claim) < SETTLED_MS) continue;
    if (room <= 0 || now() >= end) continue;
    const outcome = await begin(original, set, claim, ports);
    if (outcome === 'full') break;
    if (outcome === 'begun') {
      begun += 1;
      room -= 1;
    }
  }
  if (begun > 0) log.info('copies are begun', { set, begun });
  return begun;
}

/** Deletes copies that EBS has given up, and a second one. @returns how many there are besides */
async function withoutWorthless(
  own: readonly DescribedSnapshot[],
  { destination, log }: Ports,
): Promise<number> {
  const failed = own.filter(({ State }) => State === 'error');
  const [, ...others] = own
    .filter(({ State }) => State !== 'error')
    .sort(
      (a, b) =>
        (a.StartTime?.getTime() ?? 0) - (b.StartTime?.getTime() ?? 0) ||
        a.SnapshotId!.localeCompare(b.SnapshotId!),
    );
  for (const { SnapshotId, State } of [...failed, ...others]) {
    log.error('a copy is worth nothing, and is deleted', { copy: SnapshotId, state: State });
    await destination.delete(SnapshotId!);
  }
  return own.length - failed.length - others.length;
}

async function begin(
  original: DescribedSnapshot,
  set: string,
  before: string | undefined,
  { source, destination, work, log, now }: Ports,
): Promise<'begun' | 'not begun' | 'full'> {
  const id = original.SnapshotId!;
  await source.share(id);
  const claimed = new Date(now()).toISOString();
  if (!(await work.claim(set, id, claimed, before))) return 'not begun';
  try {
    const copy = await destination.copy(original);
    log.info('a copy is begun', { set, snapshot: id, copy });
    return 'begun';
  } catch (error) {
    log.error('a copy could not be begun', { set, snapshot: id, error: describeError(error) });
    // Of any other error nobody knows whether it was begun: the claim stays.
    if (!(error instanceof Refused)) return 'not begun';
    await work.release(set, id, claimed);
    return error.full ? 'full' : 'not begun';
  }
}
