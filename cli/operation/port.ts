/** The status of an execution that Step Functions does not know, or has forgotten. */
export const UNKNOWN = 'UNKNOWN';

/** How an execution stands. */
export interface Execution {
  readonly arn: string;
  /** RUNNING, SUCCEEDED, FAILED, TIMED_OUT, ABORTED, PENDING_REDRIVE or UNKNOWN. */
  readonly status: string;
  /** What it ended with, for people. */
  readonly message?: string;
}

/** The lock of a deployment. */
export interface Lock {
  readonly operation: string;
  /** ARN. */
  readonly execution: string;
  /** ISO 8601. */
  readonly since: string;
  /** What it is at. */
  readonly step: string;
}

/** What operations ask of AWS. */
export interface OperationAws {
  start(workflow: string, input: object): Promise<string>;
  execution(arn: string): Promise<Execution>;
  /** Undefined when nothing is under way. */
  lock(table: string): Promise<Lock | undefined>;
  /** The newest backup that was begun and not judged, as if it had the lock. */
  backup(table: string): Promise<Lock | undefined>;
}
