import type { RunResult } from './run';

/** A failing run, small enough to be kept. */
export interface Failure {
  readonly seed: number;
  readonly invariant: string;
  readonly message: string;
}

/** What many runs came to. */
export interface SummaryData {
  runs: number;
  calls: number;
  /** Simulated milliseconds. */
  simulatedMs: number;
  /** Faults that struck, by kind. */
  injected: Record<string, number>;
  /** Runs in which a person was needed, by design. */
  personNeeded: number;
  /** Launches that ran into the time-out of their hook. */
  hooksTimedOut: number;
  /**
   * The longest time from the end of the faults (or from what a person did last) until all was served, and its seed.
   */
  worst: { ms: number; seed: number };
  /** As `worst`, for runs without a person, by the size of the bound used: a share of 1 is the bound itself. */
  worstShare: { share: number; seed: number };
  failures: Failure[];
  /** How many runs failed; `failures` holds the first. */
  failed: number;
}

const MAX_FAILURES = 50;

/** Adds up runs. */
export class Summary {
  constructor(readonly data: SummaryData = empty()) {}

  add(result: RunResult): void {
    const { data } = this;
    const { seed } = result.plan.scenario;
    data.runs += 1;
    data.calls += result.calls;
    data.simulatedMs += result.simulatedMs;
    data.personNeeded += result.personActed ? 1 : 0;
    data.hooksTimedOut += result.hooksTimedOut;
    for (const [label, count] of Object.entries(result.injected)) increase(data.injected, label, count);
    if (result.servedAfterMs !== undefined) {
      if (result.servedAfterMs > data.worst.ms) data.worst = { ms: result.servedAfterMs, seed };
      const share = result.servedAfterMs / result.boundMs;
      if (share > data.worstShare.share) data.worstShare = { share, seed };
    }
    const first = result.violations[0];
    if (first === undefined) return;
    data.failed += 1;
    if (data.failures.length < MAX_FAILURES)
      data.failures.push({ seed, invariant: first.invariant, message: first.message });
  }

  merge(other: SummaryData): void {
    const { data } = this;
    data.runs += other.runs;
    data.calls += other.calls;
    data.simulatedMs += other.simulatedMs;
    data.personNeeded += other.personNeeded;
    data.hooksTimedOut += other.hooksTimedOut;
    data.failed += other.failed;
    for (const [label, count] of Object.entries(other.injected)) increase(data.injected, label, count);
    if (other.worst.ms > data.worst.ms) data.worst = other.worst;
    if (other.worstShare.share > data.worstShare.share) data.worstShare = other.worstShare;
    data.failures = [...data.failures, ...other.failures]
      .sort((a, b) => a.seed - b.seed)
      .slice(0, MAX_FAILURES);
  }
}

function empty(): SummaryData {
  return {
    runs: 0,
    calls: 0,
    simulatedMs: 0,
    injected: {},
    personNeeded: 0,
    hooksTimedOut: 0,
    worst: { ms: 0, seed: 0 },
    worstShare: { share: 0, seed: 0 },
    failures: [],
    failed: 0,
  };
}

function increase(counts: Record<string, number>, label: string, by: number): void {
  counts[label] = (counts[label] ?? 0) + by;
}
