import { lackingOf } from '../attached';
import type { Call } from '../aws/call';
import type { MapItem } from '../aws/state';
import type { World } from '../aws/world';
import { NOTICED_MS } from '../bound';
import { type Context, type Invariant, isServed, ownerOf, slotOf, slotRows } from './invariant';

const RECONCILER = 'reconciler/';

/** Calls with which a pass sees what is attached. */
const LOOKS: readonly string[] = ['DescribeVolumes', 'DescribeNetworkInterfaces'];

const LOOK_MS = 10_000;

/** A row that says served of an owner that lacks something of the slot. */
interface Loss {
  readonly slot: string;
  readonly owner: string;
  /** When the row came to say served. */
  readonly servedAt: number;
  readonly lacks: string;
  /** Since when all that is so, as far as a pass could see it. */
  readonly since: number;
}

/** When rows and attachments last changed. */
interface Times {
  /** By slot: when its row came to say served. */
  readonly servedAt: ReadonlyMap<string, number>;
  /** By what was taken off. */
  readonly goneAt: ReadonlyMap<string, number>;
  /** When somebody edited a row by hand. */
  readonly editedAt: number;
}

/** The losses that last, of slots whose rows a pass may act upon. */
function* lossesIn(world: World, { servedAt, goneAt, editedAt }: Times): Generator<Loss> {
  for (const [slot, row] of slotRows(world)) {
    const owner = ownerOf(row);
    const at = servedAt.get(slot);
    if (owner === undefined || at === undefined || !isServed(row)) continue;
    const lacking = lackingOf(world, row, owner);
    if (lacking.length === 0) continue;
    const sound = soundSince(world, slot, row, owner);
    if (sound === undefined) continue;
    for (const { id, leavesSince } of lacking) {
      const gone = leavesSince ?? goneAt.get(id);
      if (gone === undefined) continue;
      const since = Math.max(gone, at, sound, editedAt);
      yield { slot, owner, servedAt: at, lacks: id, since };
    }
  }
}

/**
 * A loss is noticed: a pass that looks when something of a served slot has been taken off does not leave the row saying
 * served, and at rest a pass looks in time. The health probe would have the server replaced at last; this is about the
 * reconciler itself, which gives back what was taken.
 */
export function lossNoticed({ world, violated, beganAt, oldestAnswerMs, faultsEndedAt }: Context): Invariant {
  const name = 'loss-noticed';
  const times = { servedAt: new Map<string, number>(), goneAt: new Map<string, number>(), editedAt: 0 };
  const { servedAt, goneAt } = times;
  /** What the passes under way have looked at. */
  const seen = new Map<string, Loss[]>();
  const disturbed = new Set<string>();
  let nextLook = 0;

  function look(call: Call): void {
    const then = world().scheduler.now() - oldestAnswerMs(call.at);
    const found = [...lossesIn(world(), times)].filter(
      (loss) => loss.since < then && loss.servedAt < beganAt(call.worker) && isAbout(loss, call),
    );
    if (found.length > 0) seen.set(call.worker, [...(seen.get(call.worker) ?? []), ...found]);
  }

  return {
    name,
    onMapWrite(item, before, after, by) {
      if (by === 'hand' && /^(slot|owner)#/.test(item)) times.editedAt = world().scheduler.now();
      const slot = slotOf(item);
      if (slot === undefined) return;
      if (!isServed(after)) servedAt.delete(slot);
      else if (!isServed(before) || before?.epoch !== after?.epoch)
        servedAt.set(slot, world().scheduler.now());
    },
    onDetach: (id) => void goneAt.set(id, world().scheduler.now()),
    onCall(call, outcome) {
      if (!call.worker.startsWith(RECONCILER)) return;
      const isRead = call.operation.startsWith('Describe');
      if (outcome !== 'ok' && (isRead || call.service === 'dynamodb')) disturbed.add(call.worker);
      else if (LOOKS.includes(call.operation)) look(call);
    },
    onPass(worker) {
      for (const loss of disturbed.has(worker) ? [] : (seen.get(worker) ?? [])) {
        const row = world().map.items.get(`slot#${loss.slot}`);
        const isSo = isServed(row) && servedAt.get(loss.slot) === loss.servedAt;
        if (!isSo || times.editedAt >= beganAt(worker)) continue;
        if (soundSince(world(), loss.slot, row!, loss.owner) === undefined) continue;
        violated(name, `${text(loss)}, and a pass that saw it left it so`);
      }
      seen.delete(worker);
    },
    onStep(now) {
      const ended = faultsEndedAt();
      if (ended === undefined || now.scheduler.now() < nextLook) return;
      nextLook = now.scheduler.now() + LOOK_MS;
      for (const loss of lossesIn(world(), times))
        if (now.scheduler.now() - Math.max(loss.since, ended) > NOTICED_MS)
          violated(name, `${text(loss)}, for ${NOTICED_MS / 60_000} minutes at rest`);
    },
  };
}

const isAbout = ({ lacks }: Loss, { operation }: Call): boolean =>
  lacks.startsWith('vol-') === (operation === 'DescribeVolumes');

const text = ({ slot, owner, lacks }: Loss): string =>
  `the row of ${slot} says served by ${owner}, to which ${lacks} is not attached`;

/**
 * Since when the owner is a running member and no row contradicts this one, so that a pass has to act; undefined when
 * it is not so. What hand edits left, a pass leaves alone; and of an owner that goes, the group's end of it is waited
 * for.
 */
function soundSince(world: World, slot: string, row: MapItem, owner: string): number | undefined {
  if (!world.stack.slots.includes(slot) || row.released === true) return undefined;
  const instance = world.ec2.instances.get(owner);
  const member = world.group.members.get(owner);
  if (instance?.state !== 'running' || member === undefined) return undefined;
  if (member.lifecycle.startsWith('Terminating') || typeof row.networkInterfaceId !== 'string')
    return undefined;
  const own = world.map.items.get(`owner#${owner}`);
  if (own !== undefined && (own.slot !== slot || own.epoch !== row.epoch)) return undefined;
  for (const [other, each] of slotRows(world))
    if (other !== slot && ownerOf(each) === owner) return undefined;
  return Math.max(instance.stateSince, member.joinedAt);
}
