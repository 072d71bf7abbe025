import type { Evidence } from '../evidence';
import { fencedBeforeAttach, formattedOnce, neverTakenFromLiving, servedByOne } from './hardware';
import { completedOnce, continuedAfterServed } from './lifecycle';
import { epochsGrow, nothingByHand, oneOwner, releasedAfterEnd, servedAfterHostSaidSo } from './map';
import type { Finding, Invariant } from './model';
import { allowedByRoles } from './permissions';

/** All of them, those first on which the others rest. */
export const INVARIANTS: readonly Invariant[] = [
  releasedAfterEnd,
  fencedBeforeAttach,
  neverTakenFromLiving,
  servedByOne,
  oneOwner,
  epochsGrow,
  formattedOnce,
  servedAfterHostSaidSo,
  continuedAfterServed,
  completedOnce,
  nothingByHand,
  allowedByRoles,
];

/** An invariant and what it found. */
export interface Verdict extends Finding {
  readonly id: string;
  readonly title: string;
  readonly passed: boolean;
}

/** What all invariants say. One that has looked at nothing has not passed. */
export function judge(evidence: Evidence): Verdict[] {
  return INVARIANTS.map(({ id, title, find }) => {
    const finding = find(evidence);
    return { id, title, passed: finding.checked > 0 && finding.violations.length === 0, ...finding };
  });
}
