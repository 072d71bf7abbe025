import type { Log } from '../shared/log';
import type { SentCommand } from './remembered-hosts';
import type { Settings } from './settings';

/** Why a server is not healthy. */
export interface Reason {
  /** A word of the program, for example `scratch-full`. */
  readonly code: string;
  readonly text: string;
}

/** What became of the question to one server. */
export type Answer =
  | {
      readonly is: 'healthy' | 'unhealthy' | 'unsure';
      readonly name: string;
      /** How full the fullest of its scratch is; undefined without scratch. */
      readonly usedPercent?: number;
      readonly reasons: Reason[];
    }
  /** The command did not arrive, or did not end. */
  | { readonly is: 'silent'; readonly why: string };

/** What a clean-up of the scratch said. */
export interface CleanUp {
  readonly instanceId: string;
  readonly done: boolean;
  /** Its lines, the sum first. */
  readonly said: string;
}

/** A document of Systems Manager. */
interface SentPort {
  /** Sends it to those that can be reached; the ids of the commands. */
  ask(instanceIds: readonly string[]): Promise<string[]>;
  /** The commands that were sent since, in milliseconds since 1970. */
  sent(since: number): Promise<SentCommand[]>;
}

/** The document by which servers are asked. */
export interface HealthPort extends SentPort {
  /** What became of the commands, by instance. Of several the last one counts. */
  answers(commands: readonly string[]): Promise<ReadonlyMap<string, Answer>>;
}

/** The document by which the scratch is cleaned up. */
export interface CleanUpPort extends SentPort {
  results(commands: readonly string[]): Promise<CleanUp[]>;
}

/** EC2. */
export interface ServersPort {
  /** Of these the ones that run, and since when, in milliseconds since 1970. */
  running(servers: Settings['servers']): Promise<ReadonlyMap<string, number>>;
}

/** All that the function reaches. */
export interface Ports {
  readonly log: Log;
  readonly now: () => number;
  readonly servers: ServersPort;
  readonly health: HealthPort;
  readonly cleanUp: CleanUpPort;
}
