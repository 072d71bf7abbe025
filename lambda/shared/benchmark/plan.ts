import type { KnownStorage } from '../../../constructs/sizing/plan/configuration';

/** The tests that exist. Each is a document of Systems Manager. */
export const TEST_NAMES = [
  'sas-io',
  'iozone',
  'fio',
  'mixed-sas',
  'network',
  'raw-device',
  'lustre-server',
] as const;

export type TestName = (typeof TEST_NAMES)[number];

/** What a path is used for, and with it which of the papers' figures it has to reach. */
export type PathUse = 'temporary' | 'shared' | 'io2';

/** A directory whose file system is measured. */
export interface MeasuredPath {
  /** An absolute path, `/saswork` for example. Test files are made in a directory of their own below it. */
  readonly directory: string;
  readonly use: PathUse;
  /** What has to be reached, in MB/s (10^6 bytes) per physical core. Undefined: measured, not judged. */
  readonly writeMBpsPerCore?: number;
  readonly readMBpsPerCore?: number;
  /** What is behind the path, as far as the deployment knows it. */
  readonly storage?: KnownStorage;
}

/** One test on one path. */
export interface PlannedTest {
  /** Unique in a run, `1-sas-io-saswork` for example: a part of file names and of the results' keys. */
  readonly id: string;
  readonly test: TestName;
  /** Undefined for tests of the network and of raw devices. */
  readonly path?: MeasuredPath;
  readonly document: string;
  /** Parameters of the document, without those that every start gets (`RunId`, `TestId`, `StartAt`). */
  readonly parameters: Record<string, string>;
  /** Hosts that run at the same time, one list after the other. */
  readonly waves: string[][];
  /** How long one wave may take. */
  readonly timeoutSeconds: number;
}

/** What a run is expected to take and to leave behind. */
export interface Estimate {
  readonly seconds: number;
  /** Bytes that are written to the measured file systems, all hosts together. */
  readonly bytesWritten: number;
  /** USD: what AWS bills for the run itself (requests, logs, storage of results). The hosts run anyway. */
  readonly costUSD: number;
  /** One line for each of the costs. */
  readonly items: { readonly what: string; readonly costUSD: number }[];
}

/** What became of a test on one host, as the runner sees it; what it measured lies in the bucket. */
export interface HostOutcome {
  readonly instanceId: string;
  /**
   * - `done`: the document ended well.
   * - `refused`: it did not begin, or stopped, to do no harm: no room, file system in use, tool not there. Its output
   *   says why.
   * - `failed`: it ended with an error.
   * - `timed-out`: it did not end in time, and was cancelled.
   * - `lost`: the host is not there any more, or Systems Manager never reached it.
   */
  readonly status: 'done' | 'refused' | 'failed' | 'timed-out' | 'lost';
  /** In words, for everything but `done`. */
  readonly reason?: string;
  /** Key of the whole output in the bucket. Undefined: there is none, or it could not be written. */
  readonly outputKey?: string;
  /** The output as GetCommandInvocation gave it, cut off after 24,000 characters. Only without an `outputKey`. */
  readonly output?: string;
}

/** A host as AWS knows it. */
export interface PlannedHost {
  readonly instanceId: string;
  /** `grid-node-1`, or the instance id. */
  readonly name: string;
  readonly instanceType: string;
  readonly privateIp: string;
}

/** All that a run does. `run.json` in the bucket; the workflow carries only its key and counters. */
export interface RunRecord {
  readonly format: 1;
  /** `20261122T101500Z-4f1c`: sorts by time. */
  readonly runId: string;
  /** Name of the benchmark, the same in all its runs. */
  readonly benchmark: string;
  readonly packageVersion: string;
  /** ISO 8601. */
  readonly startedAt: string;
  /** `deployment`, `schedule`, or what was said by hand. */
  readonly cause: string;
  readonly hosts: PlannedHost[];
  readonly tests: PlannedTest[];
  readonly estimate: Estimate;
  /** What was measured is not the deployment's storage, in words; the embedded AWS says so of itself. */
  readonly notRepresentative?: string;
  /** Outcomes by test id. */
  readonly outcomes: Record<string, HostOutcome[]>;
  /** When the last test ended or was given up, ISO 8601. Undefined while tests run. */
  readonly endedAt?: string;
  /** Hosts whose test files could not be removed, with the reason. */
  readonly cleanUp?: HostOutcome[];
  /** What went wrong in the workflow itself, a sentence each. */
  readonly problems?: string[];
}
