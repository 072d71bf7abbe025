import type { Patience } from '../shared/client';

/** Where copies go. */
export interface Destination {
  readonly region: string;
  /** A role of another account, in whose name copies are made there; undefined: the same account. */
  readonly roleArn?: string;
  /** The key of the copies; undefined: the default one for EBS of that region. */
  readonly keyArn?: string;
}

/** What a deployment has, for whoever copies its backups. */
export interface Settings {
  readonly deployment: string;
  /** Where its sets are. */
  readonly region: string;
  readonly account: string;
  readonly destination: Destination;
  /** How many complete sets of copies stay. */
  readonly keep: number;
}

/** What each of its copies says of where it comes from. */
export const sourceOf = ({ account, region }: Pick<Settings, 'account' | 'region'>): string =>
  `${account}/${region}`;

/** Reads are tried again; what begins a copy never is: EC2 knows no token for it, and would begin a second one. */
export const PATIENCE = { attempts: 5, timeoutMs: 10_000 } as const satisfies Patience;

/** How long EC2 may take to answer what begins a copy. */
export const COPY_PATIENCE = { attempts: 1, timeoutMs: 20_000 } as const satisfies Patience;

/** A pass begins nothing more after this: its function ends after two minutes. */
export const PASS_MS = 60_000;

/**
 * How long a copy that was claimed may not show: longer than the function lives, and than EC2 takes to list what is new
 * (EC2 API reference, "Eventual consistency", names minutes).
 */
export const SETTLED_MS = 30 * 60_000;
