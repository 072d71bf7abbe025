import type { Readable } from 'node:stream';

/** A line of a log. */
export interface LogEvent {
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly stream: string;
  readonly message: string;
}

/** What a host said of its journal. */
export interface Journal {
  readonly text: string;
  /** Why there is nothing. */
  readonly why?: string;
}

export interface LogsAws {
  /** The newest of a group since then, at most so many, the oldest first; whether there were more. */
  events(
    group: string,
    since: number,
    filter: string | undefined,
    most: number,
  ): Promise<{ events: LogEvent[]; cut: boolean }>;
  journal(document: string, instanceId: string, since: number): Promise<Journal>;
}

/** How an execution of a workflow stands. */
export interface ExecutionLook {
  readonly arn: string;
  /** RUNNING, SUCCEEDED, FAILED, TIMED_OUT or ABORTED. */
  readonly status: string;
  readonly why?: string;
}

export interface WorkflowAws {
  start(workflow: string, name: string | undefined, input: object): Promise<string>;
  execution(arn: string): Promise<ExecutionLook>;
  /** The newest one that runs. */
  running(workflow: string): Promise<string | undefined>;
  /** The state that it is in, with the data that it came with. */
  at(arn: string): Promise<{ readonly state: string; readonly data: unknown } | undefined>;
}

export interface BucketAws {
  list(bucket: string, prefix: string): Promise<{ readonly key: string; readonly bytes: number }[]>;
  /** @throws NoSuchKey */
  get(bucket: string, key: string): Promise<Readable>;
}

/** A step of an Automation. */
export interface AutomationStep {
  readonly name: string;
  readonly status: string;
  readonly inputs: { readonly [name: string]: string };
  readonly why?: string;
}

export interface AutomationLook {
  readonly id: string;
  /** Pending, InProgress, Waiting, Success, Failed, TimedOut, Cancelled and others. */
  readonly status: string;
  readonly why?: string;
  readonly steps: readonly AutomationStep[];
  readonly outputs: { readonly [name: string]: readonly string[] };
  readonly parameters: { readonly [name: string]: readonly string[] };
}

export interface GameDayAws {
  /** Names of the parameters of a document, and whether each has to be given. */
  parameters(document: string): Promise<ReadonlyMap<string, { readonly needed: boolean }>>;
  running(document: string): Promise<string | undefined>;
  start(document: string, parameters: { [name: string]: string[] }): Promise<string>;
  look(id: string): Promise<AutomationLook>;
}
