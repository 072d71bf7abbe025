/** What is tested: each path on all hosts, the hosts themselves, the servers, or either. */
export type TestPlace = 'paths' | 'hosts' | 'servers' | 'servers-or-hosts';

/** A value of a document's parameter. 0 leaves the choice to the program. */
export interface TestParameter {
  readonly value: number | string;
  readonly min?: number;
  readonly max?: number;
}
