import type { SlotRow, Timeline } from '../shared/map';
import { BY_FALLBACK, BY_SPARE, type Moment } from '../shared/timeline';
import { holdersOf, type View } from './view';

/**
 * What a row learns of the times of its repair. Every function gives back the very timeline it got when there is
 * nothing new, so that nothing is written for it. The first time counts: a pass that is repeated after a crash does not
 * make a repair look shorter.
 */

const isoTime = (time: number): string => new Date(time).toISOString();

function withMoment(timeline: Timeline, moment: Moment, time: number | undefined): Timeline {
  if (timeline[moment] !== undefined || time === undefined) return timeline;
  return { ...timeline, [moment]: isoTime(time) };
}

/** The owner was seen to fail: another repair begins, unless one goes on. */
export function withFailure(row: SlotRow, view: View): Timeline {
  const before = row.timeline.completed ? {} : row.timeline;
  if (before.detected !== undefined) return before;
  const instance = row.owner === undefined ? undefined : view.instanceOf(row.owner);
  const ended =
    instance?.endedAt !== undefined && instance.endedAt <= view.now ? instance.endedAt : undefined;
  return withMoment(withMoment(before, 'failed', ended), 'detected', view.now);
}

/** The moments of a repair that do not belong to the server that tries it. */
const OF_THE_FAILURE: readonly Moment[] = ['failed', 'detected', 'fenced', 'detached', 'vacated'];

/** The owner can never write again. Of a replacement that failed itself nothing is kept but that the repair goes on. */
export function withFencing(row: SlotRow, view: View): Timeline {
  const before = withFailure(row, view);
  const kept = Object.fromEntries(
    OF_THE_FAILURE.flatMap((moment) => (before[moment] ? [[moment, before[moment]]] : [])),
  );
  return withDetachment(row, withMoment(kept, 'fenced', view.now), view);
}

/** Adds that nothing of the slot hangs on a server other than its owner. */
export function withDetachment(row: SlotRow, timeline: Timeline, view: View): Timeline {
  if (timeline.fenced === undefined || timeline.completed !== undefined) return timeline;
  const elsewhere = [...holdersOf(row, view)].some(
    (holder) => holder !== row.owner || view.instanceOf(holder)?.state === 'terminated',
  );
  return elsewhere ? timeline : withMoment(timeline, 'detached', view.now);
}

/** Nothing of what was is part of what comes next. */
export const withoutMoments = (timeline: Timeline): Timeline =>
  Object.keys(timeline).length === 0 ? timeline : {};

/** A server takes the slot: with it comes when it was launched, and whether it is there for want of another type. */
export function withNewOwner(
  row: SlotRow,
  instanceId: string,
  view: View,
  fallbackTypes: readonly string[] = [],
): Timeline {
  const { launched: _launched, [BY_SPARE]: _spare, [BY_FALLBACK]: _fallback, ...before } = row.timeline;
  const times = withMoment(
    withDetachment(row, before, view),
    'launched',
    view.instanceOf(instanceId)?.launchedAt,
  );
  const isSpare = view.memberOf(instanceId)?.lifecycle === 'InService';
  const isFallback = fallbackTypes.includes(view.instanceOf(instanceId)?.type ?? '');
  return withMoment(
    withMoment(times, BY_SPARE, isSpare ? view.now : undefined),
    BY_FALLBACK,
    isFallback ? view.now : undefined,
  );
}
