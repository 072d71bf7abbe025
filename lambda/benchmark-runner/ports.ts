import type { HostOutcome, RunRecord } from '../shared/benchmark/plan';
import type { Log } from '../shared/log';
import type { Clock } from '../shared/timer';
import type { Sent } from './sent';
import type { Step } from './steps';

/** An instance as EC2 shows it. */
export interface Instance {
  readonly instanceId: string;
  /** Its tag `Name`. */
  readonly name?: string;
  readonly instanceType: string;
  readonly privateIp?: string;
  /** How many EBS volumes it has besides that of its system. */
  readonly volumes?: number;
  /** `pending`, `running`, `stopping`, ... */
  readonly state: string;
}

/** EC2. */
export interface InstancesPort {
  /** Instances with any of these tags, in any state. */
  tagged(selectors: readonly { readonly key: string; readonly values: string[] }[]): Promise<Instance[]>;
  /** Those that EC2 knows. */
  named(instanceIds: readonly string[]): Promise<Instance[]>;
}

/** A document to be run on hosts. */
export interface Order {
  readonly document: string;
  readonly instanceIds: string[];
  readonly parameters: Record<string, string>;
  /** Where the agents put what the programs say. */
  readonly outputPrefix: string;
  /** Tells this command from all others: at most 100 characters. */
  readonly comment: string;
}

/** A command on one host, as Systems Manager shows it. */
export interface Invocation {
  readonly instanceId: string;
  readonly status: string;
  readonly statusDetails: string;
  readonly responseCode?: number;
  /** When the program ended, milliseconds since 1970. */
  readonly endedAt?: number;
  /** The first 2,500 characters of what it said. */
  readonly said: string;
}

/** Systems Manager. */
export interface CommandsPort {
  /** Those whose agents report. */
  online(instanceIds: readonly string[]): Promise<string[]>;
  /** The command's id; undefined when the agent of one of the hosts went in the meantime. */
  send(order: Order): Promise<string | undefined>;
  /** A command that was sent before, by its comment. */
  find(document: string, comment: string, sinceMs: number): Promise<string | undefined>;
  /** What is known of the command, host by host. One that was just sent may not be known yet. */
  invocations(commandId: string): Promise<Invocation[]>;
  /** What the program said, cut off after 24,000 characters; undefined when nobody knows. */
  output(commandId: string, instanceId: string): Promise<string | undefined>;
  cancel(commandId: string, instanceIds: readonly string[]): Promise<void>;
}

/** The bucket. Everything that is written is written whole, so that it can be written again. */
export interface StorePort {
  saveRun(run: RunRecord): Promise<void>;
  run(runId: string): Promise<RunRecord | undefined>;
  saveSteps(runId: string, steps: Step[]): Promise<void>;
  steps(runId: string): Promise<Step[] | undefined>;
  saveOutcomes(runId: string, stepId: string, outcomes: HostOutcome[]): Promise<void>;
  outcomes(runId: string, stepId: string): Promise<HostOutcome[] | undefined>;
  /** Keys of what the programs said, by instance. */
  outputs(prefix: string, commandId: string): Promise<Record<string, string>>;
}

/** Who has the lock. */
export interface LockHolder {
  readonly runId: string;
  /** Seconds since 1970. */
  readonly until: number;
}

/** The table: the lock of the benchmark, and what was sent. Writes are conditional. */
export interface TablePort {
  /** Takes or renews the lock; who has it when it is another run. */
  lock(runId: string, untilSeconds: number, nowSeconds: number): Promise<LockHolder | undefined>;
  /** Gives it back, if it is this run's. */
  unlock(runId: string): Promise<void>;
  sent(runId: string, stepId: string): Promise<Sent | undefined>;
  /** Writes it if nobody has changed it since it was read; false otherwise. */
  saveSent(runId: string, stepId: string, sent: Sent, before: Sent | undefined): Promise<boolean>;
}

/** All that the runner reaches. */
export interface Ports {
  readonly clock: Clock;
  readonly log: Log;
  readonly instances: InstancesPort;
  readonly commands: CommandsPort;
  readonly store: StorePort;
  readonly table: TablePort;
  /** Why what is measured here is not what AWS gives; undefined on AWS. */
  readonly notRepresentative?: string;
}
