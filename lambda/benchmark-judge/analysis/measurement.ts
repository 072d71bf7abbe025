import type { PlannedTest } from '../../shared/benchmark/plan';
import type { OtherFigure } from '../../shared/benchmark/result';
import type { HostOutput, ObservedTest } from './observed';

/** A measured number before it is judged and explained. */
export interface Measurement {
  readonly plan: PlannedTest;
  readonly phase: string;
  /** Those whose bytes are in it. */
  readonly hosts: string[];
  /** Those that were to take part and did not; undefined: none. */
  readonly missing?: string[];
  readonly physicalCores: number;
  readonly MBps: number;
  /** What it may have been at most, where clocks or waiting leave that open; else the same. */
  readonly atMostMBps: number;
  readonly perHost: Record<string, number>;
  readonly seconds?: number;
  /** Share of the processors that was busy, where it could be told. */
  readonly cpuShare?: number;
  /** The client's memory answered, or may have: not a measure of the storage. */
  readonly cached: boolean;
  readonly caveats: string[];
}

/** What one wave of a test, or a whole run, measured. */
export interface Measured {
  readonly figures: Measurement[];
  readonly others: OtherFigure[];
  /** What could not be read, a sentence each. */
  readonly problems: string[];
}

/** One wave of a test: hosts that ran at the same time. */
export interface Wave {
  readonly test: ObservedTest;
  readonly plan: PlannedTest;
  readonly planned: string[];
  readonly hosts: HostOutput[];
  readonly cores: (hosts: readonly string[]) => number;
  readonly name: (host: string) => string;
}
