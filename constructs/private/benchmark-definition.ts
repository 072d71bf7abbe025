import type { KnownStorage } from '../sizing/plan/configuration';

/**
 * What a benchmark does in each of its runs, as the construct tells the runner (lambda/benchmark-runner): everything
 * but the hosts, which are found when a run begins.
 */
export interface BenchmarkDefinition {
  readonly format: 1;
  /** Name of the benchmark, the same in all its runs. */
  readonly benchmark: string;
  readonly packageVersion: string;
  /** Documents of Systems Manager by their logical names. */
  readonly documents: { readonly [logicalName: string]: DefinedDocument };
  /** The hosts that measure. A host is one when any of these holds. */
  readonly hosts: TagSelector[];
  /** The servers for tests of raw devices and of Lustre servers. */
  readonly servers: TagSelector[];
  readonly tests: DefinedTest[];
  /** What the hosts have to have: `fio`, `iperf3`, `iozone`. */
  readonly tools: string[];
  /** Whether the hosts of a test run at the same time. */
  readonly parallel: boolean;
  /** How long a run after a deployment waits for hosts that have not reported yet. */
  readonly hostsTimeoutSeconds: number;
}

export interface DefinedDocument {
  readonly name: string;
  /** Names of its parameters: others are not sent. */
  readonly parameters: string[];
}

/** Instances with this tag. */
export interface TagSelector {
  readonly key: string;
  readonly values: string[];
}

export interface DefinedTest {
  /** `1-sas-io-saswork`. */
  readonly id: string;
  /** Logical name of the test and of its document. */
  readonly test: string;
  readonly on: 'hosts' | 'servers';
  readonly path?: DefinedPath;
  readonly parameters: { readonly [name: string]: string };
  /** How long one wave may take. Undefined: from the estimate. */
  readonly timeoutSeconds?: number;
}

/** Tests of whose figures some are judged, where their path says what is wanted. */
export const JUDGED_TESTS: readonly string[] = ['sas-io', 'iozone', 'fio'];

/** As `MeasuredPath` in lambda/shared/benchmark/plan.ts. */
export interface DefinedPath {
  readonly directory: string;
  readonly use: 'temporary' | 'shared' | 'io2';
  readonly writeMBpsPerCore?: number;
  readonly readMBpsPerCore?: number;
  readonly storage?: KnownStorage;
}

/** What hosts want of a kind of space, in MB/s (10^6 bytes) per physical core. */
export type WantedPerCore = { readonly [use in DefinedPath['use']]?: number };

/** Items of the history's table that are no history: partitions apart from the runs of a benchmark. */
export const lockPartition = (benchmark: string): string => `${benchmark}#lock`;
export const sendPartition = (benchmark: string): string => `${benchmark}#sent`;

/** The attribute by which DynamoDB deletes an item (its time to live, seconds since 1970). */
export const DELETE_AFTER = 'deleteAfter';

/** Where a run's objects lie in the bucket. */
export const runPrefix = (runId: string): string => `runs/${runId}`;
export const runKey = (runId: string): string => `${runPrefix(runId)}/run.json`;
export const outputsPrefix = (runId: string, id: string): string => `${runPrefix(runId)}/outputs/${id}`;
