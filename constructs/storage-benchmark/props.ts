import type { Duration } from 'aws-cdk-lib';
import type { Schedule } from 'aws-cdk-lib/aws-events';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { BenchmarkHosts } from './hosts';
import type { MeasuredPath } from './measured-path';
import type { StorageTest } from './storage-test';

/** When a test is not begun since somebody works there. */
export interface BusyGuard {
  /**
   * How much others may move on the file system while it is looked, in MB/s (10^6 bytes) of one host, up to 100000. 0
   * turns the guard off.
   *
   * @default 10
   */
  readonly throughputMBps?: number;

  /**
   * How much of its processors a host may use while it is looked, in percent from 1 to 100.
   *
   * @default 50
   */
  readonly processorPercent?: number;
}

/** Properties of `StorageBenchmark`. */
export interface StorageBenchmarkProps {
  /** The hosts that write and read. */
  readonly hosts: BenchmarkHosts;

  /** The directories that are measured. */
  readonly paths: MeasuredPath[];

  /**
   * The servers of the storage, for `StorageTest.rawDevice()` and `StorageTest.lustreServer()`.
   *
   * @default - none
   */
  readonly storageServers?: BenchmarkHosts;

  /**
   * What is done, in this order.
   *
   * @default [StorageTest.sasIo()]
   */
  readonly tests?: StorageTest[];

  /**
   * Whether all hosts run a test at the same time, which shows what they get together. Else one after the other, which
   * shows what each gets alone.
   *
   * @default true
   */
  readonly parallel?: boolean;

  /**
   * When it runs by itself. Choose a time at which nobody works: it uses all that the storage gives.
   *
   * @default - never
   */
  readonly schedule?: Schedule;

  /**
   * Whether it runs after a deployment: the first one, and each one that changes what is measured or how.
   *
   * @default false
   */
  readonly runAfterDeployment?: boolean;

  /**
   * Whether the deployment waits for the verdict of that run, and fails unless it is `passed`. CloudFormation waits for
   * an hour at most: a run that is expected to take longer is refused, and so is one in which nothing is judged.
   *
   * @default false
   */
  readonly gateDeployment?: boolean;

  /**
   * How long a run after a deployment waits for hosts that start, in whole minutes from 1 to 60; with `gateDeployment`
   * to 43. If a deployment waits for the run, the run begins without the hosts that are missing before its own time
   * runs out.
   *
   * @default Duration.minutes(15)
   */
  readonly hostsTimeout?: Duration;

  /**
   * When a test is not begun since somebody works there.
   *
   * @default - not begun when others move 10 MB/s or more on a host, or when more than half of its processors are used
   */
  readonly busyGuard?: BusyGuard;

  /**
   * Name of the benchmark: of its history, its metrics and its dashboard. A letter or digit, then at most 99 letters,
   * digits, `.`, `_`, `-` and `/`.
   *
   * @default - the name of the stack and the path in it
   */
  readonly benchmarkName?: string;

  /**
   * How long outputs, results and reports are kept, in whole days. The history in the table stays.
   *
   * @default Duration.days(365)
   */
  readonly keepResults?: Duration;

  /**
   * Where each verdict is told.
   *
   * @default - a new topic, encrypted with the benchmark's key
   */
  readonly topic?: ITopic;

  /**
   * Where alarms go: the last run has not passed, or a run could not be done.
   *
   * @default - the alarms change state and notify nobody
   */
  readonly alarmTopic?: ITopic;

  /**
   * Encrypts the results, the history, the topic and logs. An imported key has to let CloudWatch Logs use it.
   *
   * @default - a new key with yearly rotation, kept when the stack is deleted
   */
  readonly encryptionKey?: IKey;
}
