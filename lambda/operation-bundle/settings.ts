import type { Patience } from '../shared/client';

export const PATIENCE: Patience = { attempts: 5, timeoutMs: 10_000 };

/** How far back a bundle may go, in hours: 30 days. */
export const MOST_HOURS = 720;
export const USUAL_HOURS = 24;

/** How long hosts may take until their part is there, in seconds. They take a minute; one that hangs is left out. */
export const HOST_SECONDS = 600;

/** An address is good for as long as a host may take, and no longer. */
export const ADDRESS_SECONDS = HOST_SECONDS;

/** Time between two looks at the hosts, in seconds. */
export const LOOK_SECONDS = 5;

/** The most text that is kept of one log, and how long it is read, in milliseconds. */
export const LOG_BYTES = 16_000_000;
export const LOG_MS = 90_000;

/** The most events that are kept of one stack. */
export const STACK_EVENTS = 2000;

/** A call goes on with further parts until then, in milliseconds: the function may take six minutes. */
export const CALL_MS = 120_000;

/** What a function of this kind knows from its deployment. */
export interface Settings {
  readonly deployment: string;
  /** The stacks of the deployment; those that are not there are left out. */
  readonly stacks: readonly string[];
  /** The volume maps. */
  readonly tables: readonly string[];
}
