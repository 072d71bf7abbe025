import type { Answer, Group, TierState } from '../../../lambda/health-prober/ports';
import type { Settings } from '../../../lambda/health-prober/settings';
import type { SlotRow } from '../../../lambda/shared/map';
import { row } from '../volume-reconciler/settings';

export const NOW = Date.parse('2026-01-01T12:00:00Z');
const MINUTE = 60_000;
export const ago = (minutes: number): string => new Date(NOW - minutes * MINUTE).toISOString();

/** Hash of the program that the servers are asked with. */
export const PROGRAM = 'b0b';

export const settings = (slotCount: number): Settings => ({
  tier: 'oss',
  tierTag: 'stack/Oss',
  groupName: 'stack-oss',
  slotCount,
  intervalSeconds: 60,
  program: PROGRAM,
  misses: 3,
});

export const serverOf = (slot: string): string => `i-${slot}`;
export const slotOf = (index: number): string => `oss-${String(index).padStart(2, '0')}`;

/** A tier at rest, all of whose slots are served, and whose seventh round was sent a minute ago. */
export function tier(slots: number, change: Partial<TierState> = {}): TierState {
  return {
    rows: {
      slots: Array.from({ length: slots }, (_, index) => served(slotOf(index))),
      owners: [],
      broken: [],
    },
    round: { round: 7, sentAt: ago(1), commands: ['c-7'] },
    marks: [],
    ...change,
  };
}

export function served(slot: string, change: Partial<SlotRow> = {}): SlotRow {
  return {
    ...row(slot, `eni-${slot}`, [{ volumeId: `vol-${slot}`, device: '/dev/sdf' }]),
    owner: serverOf(slot),
    epoch: 2,
    servedEpoch: 2,
    formatted: true,
    phase: 'served',
    ...change,
  };
}

/** The tier with other values in the rows of some slots. */
export function withRows(state: TierState, changes: { [slot: string]: Partial<SlotRow> }): TierState {
  const slots = state.rows.slots.map((each) => ({ ...each, ...changes[each.slot] }));
  return { ...state, rows: { ...state.rows, slots } };
}

export const twiceMissed: Partial<SlotRow> = {
  probe: { epoch: 2, round: 6, misses: 2, at: ago(1), provenBy: PROGRAM },
};

export function group(state: TierState, change: Partial<Group> = {}): Group {
  const members = state.rows.slots.flatMap(({ owner }) =>
    owner ? [{ instanceId: owner, lifecycle: 'InService', healthy: true }] : [],
  );
  return { members, suspended: [], ...change };
}

export const fails = (slot: string): Answer => ({
  is: 'fails',
  slot,
  epoch: 2,
  said: 'nfsd does not answer',
});

/** Answers of all servers: all serve but for those that are named. */
export function answers(state: TierState, others: { [slot: string]: Answer } = {}): { [id: string]: Answer } {
  return Object.fromEntries(
    state.rows.slots.flatMap(({ slot, owner }) =>
      owner ? [[owner, others[slot] ?? { is: 'serves', slot, epoch: 2 }]] : [],
    ),
  );
}
