/** What is tested: each path on all hosts, the hosts themselves, the servers, or either. */
export type TestPlace = 'paths' | 'hosts' | 'servers' | 'servers-or-hosts';

/** What leaves the choice to the program. A text, since no number that somebody gives stands for that. */
export const BY_ITSELF = '0';

/** A value of a document's parameter; a number is checked, with 1 for its least. */
export interface TestParameter {
  readonly value: number | string;
  readonly min?: number;
  readonly max?: number;
}
