import type { Estimate, HostOutcome, MeasuredPath, PlannedHost, TestName } from './plan';

/** What held a figure down. */
export type LimitKind =
  /** The disks or volumes themselves. */
  | 'device'
  /** The EBS bandwidth of an instance type. */
  | 'instance-ebs'
  /** The network interface of the servers. */
  | 'server-network'
  /** More servers would give more: each does what it can. */
  | 'server-count'
  /** The network interface of the hosts that measure. */
  | 'client-network'
  /** Processors of the hosts that measure. */
  | 'client-cpu'
  /** Bought throughput of a managed file system. */
  | 'provisioned'
  /** Faster than every way to the disks: memory answered. */
  | 'cache'
  /** Slower than every limit that is known. */
  | 'unknown';

/** A limit that applies to a figure, from the tables in constructs/sizing. */
export interface Limit {
  readonly kind: LimitKind;
  /** What it allows for the whole figure, MB/s. */
  readonly MBps: number;
  /** A sentence: `8 gp3 volumes of 500 MiB/s each on 3 servers`. */
  readonly what: string;
}

/** A published figure that is nearest to a configuration. */
export interface PublishedFigure {
  /** Number of the paper, `003`. */
  readonly paper: string;
  /** `d2.8xlarge, 8 clients, IOZone`. */
  readonly configuration: string;
  readonly MBps?: number;
  readonly MBpsPerCore?: number;
}

/** One number of a test: all hosts that ran at the same time, in one phase. */
export interface Figure {
  readonly testId: string;
  readonly test: TestName;
  readonly directory?: string;
  /** `write`, `read`, `rewrite`, `reread`, `mixed-read`, `mixed-write`, `tcp`, ... */
  readonly phase: string;
  /** Instance ids. */
  readonly hosts: string[];
  readonly physicalCores: number;
  /** MB/s (10^6 bytes), all hosts together. */
  readonly MBps: number;
  readonly MBpsPerCore: number;
  /** MB/s of each host, by instance id. */
  readonly perHost: Record<string, number>;
  /**
   * Hosts that were to run at the same time and are not in it. Such a figure is compared with no other run. Undefined:
   * none.
   */
  readonly missing?: string[];
  /** MB/s per core that had to be reached. Undefined: not judged. */
  readonly wanted?: number;
  readonly passed?: boolean;
  /** Why this figure cannot pass for the storage's, in words: files smaller than memory, caches not dropped, ... */
  readonly caveats: string[];
  /** The limit that bound it, and the others, the tightest first. */
  readonly bound?: Limit;
  readonly limits: Limit[];
  /** One or two sentences for a person: what held it down, and what would help. */
  readonly explanation: string;
  readonly previous?: { readonly runId: string; readonly MBps: number; readonly change: number };
  readonly published?: PublishedFigure[];
}

/** Figures that are no throughput. */
export interface OtherFigure {
  readonly testId: string;
  readonly test: TestName;
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly hosts: string[];
}

/** Real, user and system time of the mixed workload, as in the papers' tables. */
export interface MixedSummary {
  readonly testId: string;
  readonly steps: {
    readonly name: string;
    readonly kind: 'compute' | 'memory' | 'io';
    readonly jobs: number;
    readonly realSeconds: number;
    readonly userSeconds: number;
    readonly systemSeconds: number;
    /** (user + system) / real. */
    readonly ratio: number;
  }[];
  readonly realMinutes: number;
  readonly userMinutes: number;
  readonly systemMinutes: number;
  readonly gigabytes: number;
  readonly ratioMean: number;
  readonly ratioStandardDeviation: number;
  readonly ratioRange: number;
}

/** The machine of a host, as it said itself. */
export interface MeasuredHost extends PlannedHost {
  readonly physicalCores?: number;
  readonly logicalCpus?: number;
  readonly memoryMiB?: number;
  readonly architecture?: string;
  readonly kernel?: string;
  readonly system?: string;
}

export interface TestResult {
  readonly id: string;
  readonly test: TestName;
  readonly path?: MeasuredPath;
  readonly outcomes: HostOutcome[];
  /** How it was set up, a sentence each: `8 processes of 32 GiB each, 64 KiB blocks`. */
  readonly setup: string[];
  readonly startedAt?: string;
  readonly endedAt?: string;
}

/** `result.json` in the bucket: a run, judged. */
export interface BenchmarkResult {
  readonly format: 1;
  readonly runId: string;
  readonly benchmark: string;
  readonly packageVersion: string;
  readonly startedAt: string;
  readonly endedAt: string;
  readonly cause: string;
  /**
   * - `passed`: every figure that is judged was measured and is reached.
   * - `failed`: one is not reached.
   * - `incomplete`: none is missed, and something that is judged was not measured on every host.
   */
  readonly verdict: 'passed' | 'failed' | 'incomplete';
  /** Why, a sentence each. */
  readonly reasons: string[];
  /** Figures that fell by more than a tenth since the last run, a sentence each. */
  readonly regressions: string[];
  readonly notRepresentative?: string;
  readonly hosts: MeasuredHost[];
  readonly tests: TestResult[];
  readonly figures: Figure[];
  readonly otherFigures: OtherFigure[];
  readonly mixed: MixedSummary[];
  readonly estimate: Estimate;
  /** Earlier runs, the oldest first, for the charts of the history: at most 50. */
  readonly history: HistoryEntry[];
  /** What was measured, as `HistoryEntry.configuration` has it. */
  readonly configuration?: string;
  /** Hosts whose test files could not be removed, with the reason. */
  readonly cleanUp?: HostOutcome[];
  /** What went wrong in the workflow itself, a sentence each. */
  readonly problems?: string[];
}

/** A run in the table of the history: partition key `benchmark`, sort key `runId`. */
export interface HistoryEntry {
  readonly benchmark: string;
  readonly runId: string;
  readonly startedAt: string;
  readonly verdict: BenchmarkResult['verdict'];
  readonly packageVersion: string;
  /** MB/s by `test|directory|phase`. */
  readonly MBps: Record<string, number>;
  /** The same, per physical core. */
  readonly MBpsPerCore: Record<string, number>;
  /** What was measured, so that only like is compared with like: hosts and their types, storage, sizes of files. */
  readonly configuration: string;
  readonly resultKey?: string;
  readonly reportKey?: string;
  /** What had to be reached, MB/s per physical core, by the same keys; not for what was only measured. */
  readonly wantedPerCore?: Record<string, number>;
  /** Why it ended so, a sentence each; cut to what an item holds. */
  readonly reasons?: string[];
  readonly notRepresentative?: string;
}
