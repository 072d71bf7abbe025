import type { Host } from '../shared/host';

/** How the command of a host stands. */
export interface CommandLook {
  readonly ended: boolean;
  /** What went wrong; undefined when nothing did, or it goes on. */
  readonly why?: string;
}

export interface HostsPort {
  /** All of the deployment that are not terminated. */
  find(): Promise<Host[]>;
  /** Those with an agent that answers; the others with what Systems Manager says of them. */
  reachable(instanceIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Sends the program. @returns the id of the command */
  ask(instanceId: string, address: string, since: number): Promise<string>;
  /** By the ids of their commands. */
  look(commands: readonly string[]): Promise<ReadonlyMap<string, CommandLook>>;
}

/** A log group of a stack. */
export interface FoundLog {
  readonly logicalId: string;
  readonly group: string;
}

/** A stack with the logs of it and of its nested stacks. */
export interface FoundStack {
  readonly name: string;
  readonly logs: readonly FoundLog[];
}

/** A text, and why it is not all of it. */
export interface Taken {
  readonly text: string;
  readonly remark?: string;
}

export interface SourcesPort {
  /** Undefined: there is none. */
  stack(name: string): Promise<FoundStack | undefined>;
  /** Which slots have which owners, by instance id. */
  owners(table: string): Promise<ReadonlyMap<string, string>>;
  rows(table: string): Promise<Taken>;
  /** What it is made of, its outputs and parameters, and its events, of nested stacks too. */
  stackStory(name: string): Promise<Taken>;
  alarms(stacks: readonly string[], since: string): Promise<Taken>;
  log(group: string, since: string): Promise<Taken>;
}

/** The bucket. Keys begin with the folder of the bundle. */
export interface StorePort {
  read<T>(key: string): Promise<T | undefined>;
  write(key: string, text: string): Promise<void>;
  /** The sizes of what is below a prefix, by key. */
  sizes(prefix: string): Promise<ReadonlyMap<string, number>>;
  /** An address to which anybody may put this one object until it expires. */
  address(key: string): Promise<string>;
}

/** All that the function reaches. */
export interface Ports {
  readonly now: () => number;
  readonly hosts: HostsPort;
  readonly sources: SourcesPort;
  readonly store: StorePort;
}

export type { Host };
