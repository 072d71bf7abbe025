import type { FailedLaunches, SlotRow, Timeline } from '../shared/map';
import type { Action, SlotDecision } from './actions';
import type { Annotation, Claim } from './ports';
import type { Settings } from './settings';

/** A row that has an owner. */
export type OwnedRow = SlotRow & { readonly owner: string };

export const claimOf = (row: OwnedRow): Claim => ({ slot: row.slot, owner: row.owner, epoch: row.epoch });

/** Gives a launch up: the group terminates the instance and launches another. */
export function abandonLaunch(instanceId: string, settings: Settings, why: string): Action {
  return { kind: 'complete', instanceId, hook: settings.launchHook, result: 'ABANDON', why };
}

/** How many launches have ended without serving the slot, once this one has. */
export function failedWith(row: OwnedRow, now: number): FailedLaunches | undefined {
  if (row.released || row.servedEpoch === row.epoch) return undefined;
  const { count, since } = row.failedLaunches ?? { count: 0, since: new Date(now).toISOString() };
  return { count: count + 1, since };
}

/** What people are to read in the row, with the time of a step if it is new. */
export function noteOf(row: SlotRow, phase: string, reason?: string, step?: string, at?: string): Annotation {
  // The first time counts: a step that is repeated after a crash does not make a repair look shorter.
  const timeline = step && at && !row.timeline[step] ? { ...row.timeline, [step]: at } : row.timeline;
  return { phase, reason, timeline };
}

/**
 * Whether nobody knows since when the owner has the slot: a person wrote its name, or a row that was deleted was seeded
 * again from the owner's own. From the first pass on that sees it counts what an owner is given that EC2 does not
 * mention (`mayRelease`), which would be waited for for ever, and what one is given that has still to serve (`isLate`),
 * which would be too late at once if it was launched long ago.
 */
export const isUndated = ({ owner, claimedAt }: SlotRow): boolean =>
  owner !== undefined && !Number.isFinite(Date.parse(claimedAt ?? ''));

/** Adds a note for people when the row's own would mislead them, or a moment of the repair is new. */
export function withNote(
  row: SlotRow,
  decision: SlotDecision,
  timeline: Timeline = row.timeline,
  undated = false,
): SlotDecision {
  const same = row.phase === decision.phase && row.reason === decision.reason && row.timeline === timeline;
  if (same && !undated) return decision;
  const note = noteOf({ ...row, timeline }, decision.phase, decision.reason);
  const { slot, owner, epoch } = row;
  const annotate: Action = { kind: 'annotate', slot, owner, epoch, note, ...(undated ? { undated } : {}) };
  return { ...decision, actions: [...decision.actions, annotate] };
}
