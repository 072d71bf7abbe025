import type { FoundSet } from '../shared/backup-set';
import type { TierRows } from '../shared/map';
import type { Answer } from '../shared/operation/answer';
import type { StepPorts } from '../shared/operation/step';
import type { BackedTier } from './settings';

/** A server whose volumes are in the set. */
export interface PlannedServer {
  readonly tier: string;
  readonly slot: string;
  readonly instanceId: string;
  readonly epoch: number;
  readonly address: string;
  /** In serving order. */
  readonly volumes: readonly string[];
  /** What else is attached to it, and is in no set. */
  readonly others: readonly string[];
}

/** All servers of all tiers, as the volume map has them. */
export interface Plan {
  readonly servers: readonly PlannedServer[];
  /** Other hosts that write to the same volumes: they write out what they have before one holds for all. */
  readonly peers?: readonly string[];
}

/** A snapshot that was begun. */
export interface Begun {
  readonly snapshotId: string;
  readonly volumeId: string;
}

/** What each snapshot of a set says from the beginning. */
export interface Label {
  readonly set: string;
  readonly kind: string;
  readonly protect: boolean;
  /** How many snapshots the set is to have. */
  readonly size: number;
}

/** What is there of sets, whatever they are made of. */
export interface SetsPort {
  /** All sets of this deployment that are there. */
  sets(): Promise<FoundSet[]>;
  delete(snapshotId: string): Promise<void>;
}

export interface SnapshotsPort extends SetsPort {
  /** Volumes that a server has, with those that are none of its slot. */
  attachedTo(instanceId: string): Promise<string[]>;
  /** Begins snapshots of all volumes of a server's slot at one moment. */
  create(server: PlannedServer, label: Label): Promise<Begun[]>;
  /** Of a set that nobody has judged. */
  ofSet(set: string): Promise<Begun[]>;
  /** Says which place in its slot each has, by places. */
  place(snapshotIds: readonly string[], position: number): Promise<void>;
  judge(snapshotIds: readonly string[], state: 'complete' | 'torn'): Promise<void>;
}

/** How a set came out. */
export type SetState = 'taking' | 'complete' | 'torn' | 'failed';

/** The list of all backups that were tried, in the deployment's table. */
export interface CataloguePort {
  /**
   * Said again by the same execution, it begins anew.
   *
   * @param what the servers, or what else is backed up
   */
  begin(set: string, execution: string, protect: boolean, what: Plan | readonly string[]): Promise<void>;
  /** Before the first snapshot; false when somebody has said so already. */
  takes(set: string): Promise<boolean>;
  settle(set: string, state: SetState, reason: string): Promise<void>;
  /** Sets that an execution has begun and not judged. */
  unfinished(): Promise<{ readonly set: string; readonly execution: string }[]>;
  /** From when on there could have been a backup, milliseconds since 1970. */
  watchedSince(now: string): Promise<number>;
}

export interface HostsPort {
  /** Sends it to those that can be reached; the ids of the commands. */
  tell(
    instanceIds: readonly string[],
    what: 'hold' | 'release' | 'sync',
    token: string,
    seconds: number,
  ): Promise<string[]>;
  /** By instance. */
  answers(commands: readonly string[]): Promise<ReadonlyMap<string, Answer>>;
}

/** All that the function reaches. */
export interface Ports extends StepPorts {
  /** Of the stacks those that are being changed, with their states. */
  stacksUnderWay(names: readonly string[]): Promise<string[]>;
  /** The volumes that nodes share, as a stack says. */
  sharedVolumes(stack: string): Promise<readonly string[]>;
  /** The instances that run in groups, by group. */
  nodes(groups: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>>;
  readonly map: { read(tier: BackedTier): Promise<TierRows> };
  readonly hosts: HostsPort;
  readonly snapshots: SnapshotsPort;
  readonly catalogue: CataloguePort;
}
