import type { InvariantName } from '../../proof/kit/invariants/list';

/**
 * The invariants that may be the first to complain of a deliberate bug: those that say what the bug breaks. One that
 * breaks what data hang on is not to be found by its delay.
 */
export const CAUGHT_BY: { readonly [mutation: string]: readonly InvariantName[] } = {
  'no-fencing-wait': ['released-after-end'],
  'ends-with-what-it-has': ['nothing-deleted'],
  'keeps-nothing': ['nothing-deleted'],
  'unseen-is-gone': ['released-after-end'],
  // By what became of the owner whose slot is taken: it lives, it is gone, or it was gone and the claim is late.
  'unconditional-claim': ['released-after-end', 'one-owner', 'epochs-grow'],
  'claim-without-epoch': ['epochs-grow'],
  'claim-twice': ['one-owner'],
  'owner-is-candidate': ['one-owner'],
  'complete-before-serving': ['continued-after-served'],
  'repair-is-late': ['repairs-end'],
  'begun-is-completed': ['repaired-after-snapshots'],
  // The map refuses the offer (`formatted = :no` in aws-map.ts), so that no host hears of it: nothing is formatted, and
  // the slot is not served. That the refusal itself is looked after is to be seen from late-offer.
  'format-again': ['offered-to-the-blank', 'formatted-once', 'served-in-time'],
  'row-before-tag': ['tag-before-row'],
  'offer-not-recorded': ['formatted-once'],
  'late-offer': ['offered-to-the-blank'],
  'detach-from-the-living': ['never-taken-from-living'],
  'left-on-the-dead': ['served-in-time'],
  'fallback-never-taken': ['served-in-time'],
  'no-heartbeat': ['completed-once'],
  'dead-launch-kept': ['served-in-time'],
  'termination-not-completed': ['completed-once'],
  'turn-by-arrival': ['turns-go-on'],
  'refusal-undone-refused': ['keeps-its-map'],
  // Writes have conditions; what is not written to the map rests on what was read alone.
  'map-read-late': ['continued-after-served', 'completed-once', 'given-up-with-cause', 'replaced-at-rest'],
  'loss-not-noticed': ['loss-noticed'],
  'interface-loss-not-noticed': ['loss-noticed'],
  'common-cause-ignored': ['replaced-with-cause'],
  'lost-path-counts': ['replaced-with-cause'],
  'lost-path-ignored': ['replaced-with-cause'],
  'replaced-during-deployment': ['replaced-at-rest'],
  'replaced-during-repair': ['replaced-at-rest'],
  'one-miss-counts': ['replaced-with-cause'],
  'forgotten-slot-unknown': ['served-in-time'],
  'way-ignored': ['unreachable-is-told'],
  'cut-off-unsaid': ['unreachable-is-told'],
  'network-replaces': ['network-replaces-nobody'],
  'no-pause': ['replaced-alone'],
  // The tag comes before the row: the host that is still at work may then format what carries it.
  'served-when-told': ['served-is-true', 'formatted-once'],
  'permitted-at-once': ['permissions-awaited'],
};
