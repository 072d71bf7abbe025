import { promiseOf } from '../invariants/list';
import type { Evidence } from './evidence';
import { formattedOnce, neverTakenFromLiving, oneServer, oneWriter } from './hardware';
import { completedOnce, continuedAfterServed } from './lifecycle';
import { epochsGrow, nothingByHand, oneOwner, releasedAfterEnd, servedIsTrue } from './map';
import type { Finding, RecordCheck } from './model';
import { allowedByRoles } from './permissions';

/** All that is looked for in a record of the embedded AWS, those first on which the others rest. */
export const RECORD_CHECKS: readonly RecordCheck[] = [
  releasedAfterEnd,
  oneWriter,
  neverTakenFromLiving,
  oneServer,
  oneOwner,
  epochsGrow,
  formattedOnce,
  servedIsTrue,
  continuedAfterServed,
  completedOnce,
  allowedByRoles,
  nothingByHand,
];

/** An invariant and what it found. */
export interface Verdict extends Finding {
  readonly id: string;
  readonly title: string;
  readonly passed: boolean;
}

/** What the checks say. One that has looked at nothing has not passed. */
export function judge(evidence: Evidence, checks: readonly RecordCheck[] = RECORD_CHECKS): Verdict[] {
  return checks.map(({ id, find }) => {
    const finding = find(evidence);
    const passed = finding.checked > 0 && finding.violations.length === 0;
    return { id, title: promiseOf(id), passed, ...finding };
  });
}
