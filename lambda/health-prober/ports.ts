import type { Member } from '../shared/group';
import type { Log } from '../shared/log';
import type { Claim, ProbeRecord, SlotRow, TierRows } from '../shared/map';
import type { Clock } from '../shared/timer';

/** One round of probes: which commands were sent, and when. */
export interface Round {
  /** Grows by one with each round. */
  readonly round: number;
  /** ISO 8601. */
  readonly sentAt: string;
  /** Commands of Systems Manager; empty when none could be sent. */
  readonly commands: string[];
}

/** A server that was declared unhealthy. */
export interface Mark {
  readonly slot: string;
  readonly owner: string;
  /** ISO 8601. */
  readonly at: string;
}

/** All that the map tells the prober. */
export interface TierState {
  readonly rows: TierRows;
  readonly round?: Round;
  /** The latest, oldest first. */
  readonly marks: Mark[];
}

/** What became of the probe of one server. */
export type Answer =
  | {
      readonly is: 'serves';
      readonly slot: string;
      readonly epoch: number;
      /** Hash of the program that says so; a program that names none proves nothing. */
      readonly program?: string;
    }
  /** The host itself says that it does not serve. */
  | { readonly is: 'fails'; readonly slot: string; readonly epoch: number; readonly said: string }
  /** The command reached the host, and did not end in time. */
  | { readonly is: 'silent' }
  /** Nothing is known of the service: the command did not arrive, or the host cannot tell. */
  | { readonly is: 'unknown'; readonly why: string };

/** The Auto Scaling group. */
export interface Group {
  readonly members: Member[];
  /** Names of its suspended processes. */
  readonly suspended: string[];
}

/** The volume map. Writes are conditional; false means that the row, or the round, is another one by now. */
export interface ProbeMapPort {
  read(): Promise<TierState>;
  /** Writes what a round showed of an owner, once for each round. */
  count(claim: Claim, record: ProbeRecord): Promise<boolean>;
  /** Records that an owner is about to be declared unhealthy; only if nobody declared another one since `last`. */
  mark(claim: Claim, record: ProbeRecord, marks: Mark[], last: Mark | undefined): Promise<boolean>;
  /** Makes `round` the current one, if the one before is still current. */
  begin(round: Round): Promise<boolean>;
}

/** The Auto Scaling group of the tier. */
export interface ProbeGroupPort {
  /** Undefined when there is no such group. */
  describe(): Promise<Group | undefined>;
  /** Whether an instance refresh has not ended. */
  isRefreshing(): Promise<boolean>;
  /** Has the group replace the instance. False when the instance is not a member any more. */
  setUnhealthy(instanceId: string): Promise<boolean>;
}

/** Systems Manager. */
export interface ProbeHostsPort {
  /** Asks those that can be reached; the ids of the commands. */
  ask(instanceIds: string[]): Promise<string[]>;
  /** What became of the commands, by instance. */
  answers(commands: string[]): Promise<{ [instanceId: string]: Answer }>;
}

/** CloudFormation. */
export interface StackPort {
  /** Status of the stack that the tier belongs to, for example UPDATE_IN_PROGRESS. */
  status(): Promise<string>;
}

/** All that the prober reaches. */
export interface Ports {
  readonly clock: Clock;
  readonly log: Log;
  readonly map: ProbeMapPort;
  readonly group: ProbeGroupPort;
  readonly hosts: ProbeHostsPort;
  readonly stack: StackPort;
}

export type { Claim, Clock, Member, ProbeRecord, SlotRow, TierRows };
