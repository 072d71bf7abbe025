import type { Answer, Claim, Group, ProbeRecord, SlotRow, TierState } from './ports';
import {
  CONSECUTIVE_INTERVALS,
  MISSING_SHARE,
  NO_SLOT,
  ROUND_MS,
  type Settings,
  UNKNOWN_SHARE,
} from './settings';

/** A slot whose owner serves it, as far as the map and the group know: the ones that are asked. */
export type ServedRow = SlotRow & { readonly owner: string };

/** What a round shows of one server, to be written into its row. */
export interface Count {
  readonly claim: Claim;
  readonly record: ProbeRecord;
  /** Why it counts as a miss; undefined when it serves. */
  readonly why?: string;
}

/** What a round of probes shows. */
export interface Judgement {
  /** Whom the round was about. */
  readonly asked: ServedRow[];
  /** Servers that do not serve: they said so, or did not answer while others did. */
  readonly missing: string[];
  /** Servers of which nothing is known. */
  readonly unknown: string[];
  /** Why nothing is counted: the prober itself, or what all have in common, is the likely cause. */
  readonly suspect?: string;
  readonly counts: Count[];
  /** Servers that have missed too many rounds, the one with the most misses first. */
  readonly candidates: Count[];
  /** Servers that have missed as many, and that this program has never seen serve: it may be what is wrong. */
  readonly unproven: Count[];
}

/** The slots whose owners are asked: served, in service, and not about to be replaced. */
export function probed(state: TierState, group: Group): ServedRow[] {
  const fit = new Set(
    group.members
      .filter(({ lifecycle, healthy }) => healthy && lifecycle === 'InService')
      .map(({ instanceId }) => instanceId),
  );
  return state.rows.slots.filter(
    (row): row is ServedRow =>
      row.owner !== undefined && !row.released && row.servedEpoch === row.epoch && fit.has(row.owner),
  );
}

/**
 * The slots of the map that count as served, and whose servers are not asked, since their group calls them unhealthy.
 * It replaces them within minutes, unless somebody has suspended that; then nobody else would say anything of them.
 */
export function unasked(state: TierState, group: Group): string[] {
  const ill = new Set(
    group.members
      .filter(({ lifecycle, healthy }) => !healthy && lifecycle === 'InService')
      .map(({ instanceId }) => instanceId),
  );
  return state.rows.slots
    .filter(
      ({ owner, released, servedEpoch, epoch }) =>
        owner !== undefined && !released && servedEpoch === epoch && ill.has(owner),
    )
    .map(({ slot }) => slot);
}

/**
 * Judges the last round from what was seen, and nothing else: the same state gives the same judgement.
 *
 * A miss is a server's own word that it does not serve, or its silence while another one answers. Whatever else fails
 * (a command that was not delivered, an agent that is gone) says something of the way to the servers, and nothing of
 * the service.
 */
export function judge(
  state: TierState,
  group: Group,
  answers: { readonly [instanceId: string]: Answer },
  now: number,
  settings: Settings,
): Judgement {
  const asked = probed(state, group);
  const age = state.round ? now - Date.parse(state.round.sentAt) : Number.NaN;
  const readable = age >= ROUND_MS && age <= CONSECUTIVE_INTERVALS * settings.intervalSeconds * 1000;
  const nothing = { asked, missing: [], counts: [], candidates: [], unproven: [] };
  if (state.round === undefined || !readable) return { ...nothing, unknown: asked.map((row) => row.slot) };

  const answerOf = (row: ServedRow): Answer => answerAbout(row, answers[row.owner]);
  const spoke = asked.filter((row) => ['serves', 'fails'].includes(answerOf(row).is));
  const hasMissed = (row: ServedRow): boolean => {
    const answer = answerOf(row);
    // The silence of a server counts only beside the answer of another one, which the same way brought.
    return answer.is === 'fails' || (answer.is === 'silent' && spoke.length > 0);
  };
  const missing = asked.filter(hasMissed);
  const unknown = asked.filter((row) => !hasMissed(row) && answerOf(row).is !== 'serves');
  const seen = { asked, missing: missing.map((row) => row.slot), unknown: unknown.map((row) => row.slot) };
  const left = missedAndLeft(asked, answers, spoke.length > 0);
  const suspect = commonCause(missing.length, left, unknown.length, asked.length, settings);
  if (suspect !== undefined) return { ...seen, suspect, counts: [], candidates: [], unproven: [] };

  const { round } = state.round;
  const counts = [
    ...missing.map((row) => countMiss(row, round, answerOf(row), now, settings)),
    ...asked
      .filter((row) => hasNews(row, answerOf(row), settings))
      .map((row) => countServing(row, round, answerOf(row), now, settings)),
  ].filter((count) => count !== undefined);
  const tooMany = counts
    .filter((count) => count.record.misses >= settings.misses)
    .sort((a, b) => b.record.misses - a.record.misses || a.claim.slot.localeCompare(b.claim.slot));
  const isProven = ({ record }: Count): boolean => record.provenBy === settings.program;
  return {
    ...seen,
    counts,
    candidates: tooMany.filter(isProven),
    unproven: tooMany.filter((count) => !isProven(count)),
  };
}

/**
 * An answer about another slot or epoch than the row's is none. But the owner of a served slot was told it: one that
 * knows none has lost that with its root volume, and serves nothing after a boot.
 */
function answerAbout(row: ServedRow, answer: Answer | undefined): Answer {
  if (answer === undefined) return { is: 'unknown', why: 'it was not asked' };
  if (answer.is !== 'serves' && answer.is !== 'fails') return answer;
  if (answer.slot === row.slot && answer.epoch === row.epoch) return answer;
  if (answer.is === 'fails' && answer.slot === NO_SLOT) return answer;
  return { is: 'unknown', why: `it speaks of ${answer.slot}, epoch ${answer.epoch}` };
}

/**
 * How many servers failed in the same round and have been replaced since. Their slots are well again, but the cause may
 * be the same.
 */
function missedAndLeft(
  asked: ServedRow[],
  answers: { readonly [instanceId: string]: Answer },
  haveSpoken: boolean,
): number {
  const owners = new Set(asked.map(({ owner }) => owner));
  return Object.entries(answers).filter(
    ([id, { is }]) => !owners.has(id) && (is === 'fails' || (is === 'silent' && haveSpoken)),
  ).length;
}

function commonCause(
  missing: number,
  left: number,
  unknown: number,
  asked: number,
  settings: Settings,
): string | undefined {
  if (missing === 0) return undefined;
  const most = Math.max(1, Math.floor(settings.slotCount * MISSING_SHARE));
  if (missing + left > most)
    return (
      `${missing + left} of ${asked + left} servers fail at once, and at most ${most} may: ` +
      'they have a cause in common'
    );
  if (unknown > asked * UNKNOWN_SHARE)
    return `${unknown} of ${asked} servers cannot be reached: the way to them is in doubt`;
  return undefined;
}

/** What was found of this owner before. */
const recordOf = (row: ServedRow): ProbeRecord | undefined =>
  row.probe?.epoch === row.epoch ? row.probe : undefined;

const provesProgram = (answer: Answer, settings: Settings): boolean =>
  answer.is === 'serves' && answer.program === settings.program;

/** A server that serves is written down when it did not before, and once for each program. */
function hasNews(row: ServedRow, answer: Answer, settings: Settings): boolean {
  if (answer.is !== 'serves') return false;
  const before = recordOf(row);
  if (before !== undefined && before.misses > 0) return true;
  return provesProgram(answer, settings) && before?.provenBy !== settings.program;
}

const provenBy = (program: string | undefined): { provenBy?: string } =>
  program === undefined ? {} : { provenBy: program };

const claimOf = ({ slot, owner, epoch }: ServedRow): Claim => ({ slot, owner, epoch });

function countMiss(
  row: ServedRow,
  round: number,
  answer: Answer,
  now: number,
  settings: Settings,
): Count | undefined {
  const before = recordOf(row);
  const why = answer.is === 'fails' ? answer.said : 'its probe does not end';
  // A round that was counted already, by a run that died after it, is not counted again.
  if (before && before.round >= round) return { claim: claimOf(row), record: before, why };
  const recent =
    before && now - Date.parse(before.at) <= CONSECUTIVE_INTERVALS * settings.intervalSeconds * 1000;
  const misses = recent ? before.misses + 1 : 1;
  const at = new Date(now).toISOString();
  const record = { epoch: row.epoch, round, misses, at, ...provenBy(before?.provenBy) };
  return {
    claim: claimOf(row),
    record: before?.markedAt ? { ...record, markedAt: before.markedAt } : record,
    why,
  };
}

function countServing(
  row: ServedRow,
  round: number,
  answer: Answer,
  now: number,
  settings: Settings,
): Count | undefined {
  const before = recordOf(row);
  if (before && before.round >= round) return undefined;
  const program = provesProgram(answer, settings) ? settings.program : before?.provenBy;
  const at = new Date(now).toISOString();
  return {
    claim: claimOf(row),
    record: { epoch: row.epoch, round, misses: 0, at, ...provenBy(program) },
  };
}
