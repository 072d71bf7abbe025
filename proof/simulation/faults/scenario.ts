/** What a run begins with. */
export interface Scenario {
  readonly seed: number;
  /** 1 to 6; in a large tier 9 to 12. */
  readonly slots: number;
  readonly volumesPerSlot: number;
  /** Whether the faults begin with the first deployment, or strike a tier that is served. */
  readonly start: 'deployment' | 'served';
  /** Servers beyond the slots. */
  readonly spareServers: number;
  /** How fast EC2 and the hosts are. */
  readonly pace: Pace;
  /** How long a repair may take until a launch is abandoned, seconds: the construct's `recoveryTimeout`. */
  readonly recoveryTimeoutSeconds: number;
  /**
   * Whether the run goes on when all is served, to see that it stays so: that takes minutes in which little happens, so
   * not always.
   */
  readonly goesOn: boolean;
}

/**
 * usual: what AWS often takes. quick: much less, so that one thing is over before a late call of the one before
 * arrives.
 */
export type Pace = 'usual' | 'quick';
