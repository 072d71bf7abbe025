/** What a run does, one after the other: a document on some hosts. Made when the run begins, and never changed. */
export interface Step {
  /** Unique in the run, and part of keys: `install`, `1-sas-io-saswork-0`, `clean-up`. */
  readonly id: string;
  readonly kind: 'install' | 'test' | 'clean-up';
  /** The test that it is a wave of. */
  readonly testId?: string;
  /** Below it the agents put what the programs say. */
  readonly outputs: string;
  /** The document's own name. */
  readonly document: string;
  readonly parameters: Record<string, string>;
  readonly hosts: string[];
  /** After so many seconds it is cancelled. */
  readonly timeoutSeconds: number;
  /** Whether the hosts begin at the same moment. */
  readonly together: boolean;
  /** How many times as long as usual the pauses between two looks are; undefined: as usual. */
  readonly pace?: number;
  /** When the run must be over, milliseconds since 1970; nothing but the clean-up is begun after it. */
  readonly deadline?: number;
  /** When nobody waits for it any more, whatever becomes of it: milliseconds since 1970. */
  readonly giveUpAt?: number;
}
