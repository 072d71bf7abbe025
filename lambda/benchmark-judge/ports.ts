import type { RunRecord } from '../shared/benchmark/plan';
import type { BenchmarkResult, HistoryEntry } from '../shared/benchmark/result';
import type { Log } from '../shared/log';
import type { Timer } from '../shared/timer';

/** An object of the bucket, or its beginning. */
export interface StoredText {
  readonly text: string;
  /** How many bytes of it were read. */
  readonly bytes: number;
  /** Whether there is more of it. */
  readonly cutOff: boolean;
  /** ISO 8601. */
  readonly lastModified?: string;
}

/** The bucket of the results. */
export interface BucketPort {
  /** At most so many bytes of an object. Undefined: there is none of that key, or none that may be known of. */
  read(key: string, most: number): Promise<StoredText | undefined>;
  write(key: string, text: string, contentType: string): Promise<void>;
}

/** The table of the runs. */
export interface HistoryPort {
  /** The newest runs that are older than this one, the oldest first. */
  before(benchmark: string, runId: string, limit: number): Promise<HistoryEntry[]>;
  /** Writes a run. Twice the same run is one item. */
  put(entry: HistoryEntry): Promise<void>;
}

/** Where the verdict is told. */
export interface TopicPort {
  publish(subject: string, message: string): Promise<void>;
}

/** The judge itself. Pure. */
export type Judge = (
  run: RunRecord,
  outputs: Readonly<Record<string, Readonly<Record<string, string>>>>,
  history: readonly HistoryEntry[],
  endedAt: string,
) => BenchmarkResult;

/** All that the function reaches. */
export interface Ports {
  readonly clock: Timer;
  readonly log: Log;
  readonly bucket: BucketPort;
  readonly history: HistoryPort;
  /** Undefined: nobody is told. */
  readonly topic?: TopicPort;
  /** One line of the log as it is: CloudWatch reads metrics out of it. */
  readonly print: (line: string) => void;
  readonly judge: Judge;
  /** The page of a result. Pure. */
  readonly report: (result: BenchmarkResult) => string;
}
