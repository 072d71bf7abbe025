import type { CompleteLifecycleActionCommandInput } from '@aws-sdk/client-auto-scaling';
import { calledServed, letThrough } from '../../kit/invariants/rules';
import { OLDEST_ANSWER_MS } from '../aws/call';
import type { LifecycleAction, MapItem } from '../aws/state';
import { type Context, type Invariant, isServed, ownerOf, slotOf, slotRows } from './invariant';

const LAUNCHING = 'autoscaling:EC2_INSTANCE_LAUNCHING';

export function servedIsTrue({ violated }: Context): Invariant {
  const name = 'served-is-true';
  const said = new Set<string>();
  return {
    name,
    onServe: ({ instanceId, slot, epoch }) => void said.add(`${instanceId} ${slot} ${epoch}`),
    onMapWrite(item, before, after, by) {
      const slot = slotOf(item);
      if (slot === undefined || by === 'hand' || !isServed(after) || isServed(before)) return;
      const owner = String(after?.owner);
      const hostSaidSo = said.has(`${owner} ${slot} ${after?.epoch}`);
      for (const what of calledServed(slot, owner, Number(after?.epoch), hostSaidSo)) violated(name, what);
    },
  };
}

export function continuedAfterServed({ world, violated, beganAt }: Context): Invariant {
  const name = 'continued-after-served';
  const served = new Set<string>();
  const unservedSince = new Map<string, number>();
  const vacantSince = new Map<string, number>();
  return {
    name,
    onServe: (host) => void served.add(host.instanceId),
    onMapWrite(item, before, after) {
      const slot = slotOf(item);
      if (slot === undefined) return;
      if (ownerOf(before) !== undefined && ownerOf(after) === undefined)
        vacantSince.set(slot, world().scheduler.now());
      if (isServed(after)) unservedSince.delete(slot);
      else if (before === undefined || isServed(before)) unservedSince.set(slot, world().scheduler.now());
    },
    onLifecycleEnd({ transition, ended, instanceId }) {
      if (transition !== LAUNCHING || ended?.how !== 'continue') return;
      const since = beganAt(ended.by ?? '');
      const rows = [...slotRows(world())].filter(([, row]) => row.released !== true);
      // A tier that is given up lets everybody go; a row that cannot be read cannot be released.
      if (!rows.some(([, row]) => isReadable(row))) return;
      const { spareServers = 0 } = world().options;
      // Spares come into service as soon as every slot has an owner, so that a slot that waits for a person keeps none
      // out.
      const needsSpare = (slot: string, row: MapItem): boolean =>
        spareServers === 0 || (ownerOf(row) === undefined && (vacantSince.get(slot) ?? 0) < since);
      const unserved = rows
        .filter(([slot, row]) => needsSpare(slot, row) && (unservedSince.get(slot) ?? since) < since)
        .map(([slot]) => slot);
      for (const what of letThrough(instanceId, served.has(instanceId), unserved)) violated(name, what);
    },
  };
}

/** Nobody goes on completing what has ended, which Auto Scaling refuses. */
export function completedOnce({ world, violated, wasTimedOut, disturbancesSince }: Context): Invariant {
  const name = 'completed-once';
  return {
    name,
    onCall({ operation, input, at }, outcome) {
      if (operation !== 'CompleteLifecycleAction' || !outcome.endsWith('ValidationError')) return;
      const { InstanceId, LifecycleHookName } = input as CompleteLifecycleActionCommandInput;
      const action = world().group.actions.find(
        ({ instanceId, hook }) => instanceId === InstanceId && hook === LifecycleHookName,
      );
      const ago = at - (action?.ended?.at ?? at);
      if (ago > LEARNS_MS)
        violated(name, `${text(action!)} was completed again ${Math.round(ago / 1000)} s after it had ended`);
    },
    onLifecycleEnd(action) {
      if (action.ended?.how === 'timed-out') timedOut(action);
    },
  };

  /** By id or by its tags: nobody can tell any more that it ended, and its hook is left to give it up. */
  function isForgotten(instanceId: string): boolean {
    const shown = world()
      .ec2.instanceViews.seen(0)
      .find((view) => view.InstanceId === instanceId);
    return (shown?.Tags ?? []).length === 0;
  }

  function timedOut(action: LifecycleAction): void {
    // Its instance waits for minutes at most without a heartbeat: only workers that die all the time may let it go.
    const quiet = Math.max(action.startedAt, world().scheduler.now() - 900_000);
    if (wasTimedOut(action.instanceId) || disturbancesSince(quiet) > TOLERATED) return;
    if (isForgotten(action.instanceId)) return;
    violated(
      name,
      `${text(action)} ran into its time-out after ${action.heartbeats} heartbeats, though nothing kept anybody ` +
        'from completing it',
    );
  }
}

/** Disturbed calls in 15 minutes up to which a heartbeat every minute has to come through. */
const TOLERATED = 3;

/** By then whoever looks sees that an action has ended: the oldest answer there is, and a pass that acts on it. */
const LEARNS_MS = OLDEST_ANSWER_MS + 60_000;

const text = (action: LifecycleAction): string => `${action.hook} of ${action.instanceId}`;

/** Whether the reconciler can read a row, which somebody may have edited. */
const isReadable = (row: MapItem): boolean =>
  typeof row.networkInterfaceId === 'string' && Number(row.servedEpoch) <= Number(row.epoch);
