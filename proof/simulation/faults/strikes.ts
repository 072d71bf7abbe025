import type { Fault, FaultKind } from './kinds';

/**
 * What faults do, by their kind. Each answers whom it struck, for people; undefined when there was nobody.
 */
export type Strikes = {
  readonly [kind in FaultKind]?: (fault: Extract<Fault, { kind: kind }>) => string | undefined;
};

/** Kinds that do nothing by themselves: the injector lies in wait for what they strike. */
type OfInjector =
  | 'call'
  | 'invocation'
  | 'event'
  | 'throttling'
  | 'silent-service'
  | 'stale'
  | 'events-lost'
  | 'clocks-off'
  | 'permissions-late';

/** What all the others do. */
export type AllStrikes = Required<Omit<Strikes, OfInjector>>;
