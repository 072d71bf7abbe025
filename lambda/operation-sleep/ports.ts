import type { TierRows } from '../shared/map';
import type { Answer } from '../shared/operation/answer';
import type { StepPorts } from '../shared/operation/step';
import type { SleepingTier } from './settings';

export type { Answer };

/** A group of Auto Scaling. */
export interface Group {
  readonly name: string;
  readonly least: number;
  readonly desired: number;
  readonly members: readonly { readonly instanceId: string; readonly lifecycle: string }[];
}

/** A node of the grid. */
export interface Node {
  readonly instanceId: string;
  readonly name: string;
  /** pending, running, stopping, stopped, shutting-down or terminated. */
  readonly state: string;
}

/** What hosts are asked, or told, by the document. */
export type Question = 'work' | 'unmount' | 'mounted';

export interface GroupsPort {
  describe(names: readonly string[]): Promise<Group[]>;
  resize(name: string, least: number, desired: number): Promise<void>;
  isRefreshing(name: string): Promise<boolean>;
}

export interface MapPort {
  read(tier: SleepingTier): Promise<TierRows>;
  /** From now on the tier is to sleep. Said again, nothing changes. */
  sleep(tier: SleepingTier, since: string, by: string): Promise<void>;
  wake(tier: SleepingTier): Promise<void>;
}

export interface NodesPort {
  list(stack: string): Promise<Node[]>;
  stop(instanceIds: readonly string[]): Promise<void>;
  start(instanceIds: readonly string[]): Promise<void>;
}

export interface HostsPort {
  /** Sends it to those that can be reached; the ids of the commands. */
  tell(instanceIds: readonly string[], question: Question): Promise<string[]>;
  /** By instance. */
  answers(commands: readonly string[]): Promise<ReadonlyMap<string, Answer>>;
}

/** What is remembered of a deployment that was stopped. */
export interface Night {
  /** The nodes that were running then. */
  readonly nodes: readonly string[];
  /** Groups whose servers were told to unmount, and have not been let go since, as far as is known. */
  readonly unmounted: readonly string[];
  /** The execution that looked last whether anything is in the way. */
  readonly by: string;
  readonly dawns: boolean;
}

/** What the deployment remembers while it sleeps. */
export interface NightPort {
  /** Undefined when nobody stopped it, or it has come back as a whole. */
  read(): Promise<Night | undefined>;
  begin(since: string, by: string): Promise<void>;
  /** These were running, too. */
  remember(nodes: readonly string[]): Promise<void>;
  /** The servers of these groups are about to be told to unmount. */
  unmounting(groups: readonly string[]): Promise<void>;
  /** All of them have been let go. */
  letGo(): Promise<void>;
  /** It is being started: whoever stops it again has to look first whether somebody is at work. */
  dawn(): Promise<void>;
  end(): Promise<void>;
}

/** All that the function reaches. */
export interface Ports extends StepPorts {
  /** Of the stacks those that are being changed, with their states. */
  stacksUnderWay(names: readonly string[]): Promise<string[]>;
  readonly groups: GroupsPort;
  readonly map: MapPort;
  readonly nodes: NodesPort;
  readonly hosts: HostsPort;
  readonly night: NightPort;
}
