import type { FaultCounts } from '../kit/fault-door';
import type { AbuseKind } from './plan';

/** What shows that abuses had an effect: the embedded AWS counts it. Servers that are lost show as recoveries. */
const EFFECTS: readonly { readonly kinds: readonly AbuseKind[]; readonly count: keyof FaultCounts }[] = [
  { kinds: ['throttle'], count: 'throttledCalls' },
  { kinds: ['kill-reconciler', 'kill-reconciler-at-call'], count: 'functionsKilled' },
  { kinds: ['no-capacity'], count: 'launchesRefused' },
  { kinds: ['lose-events'], count: 'eventsLost' },
  { kinds: ['repeat-events'], count: 'eventsRepeated' },
  { kinds: ['delay-events'], count: 'eventsDelayed' },
];

/** One or two may meet nothing: nobody launches just then, or no event comes. */
const ENOUGH = 3;

/** Abuses that were carried out often, and changed nothing: the run has shown less than its list says. */
export function withoutEffect(
  abuses: Readonly<Partial<Record<AbuseKind, number>>>,
  effects: FaultCounts | undefined,
): AbuseKind[] {
  return EFFECTS.flatMap(({ kinds, count }) => {
    const times = kinds.reduce((sum, kind) => sum + (abuses[kind] ?? 0), 0);
    return times >= ENOUGH && !effects?.[count] ? kinds : [];
  });
}
