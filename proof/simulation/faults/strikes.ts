import type { Fault, FaultKind } from './kinds';

/**
 * What faults do, by their kind. Each answers whom it struck, for people; undefined when there was nobody.
 */
export type Strikes = {
  readonly [kind in FaultKind]?: (fault: Extract<Fault, { kind: kind }>) => string | undefined;
};
