import type { Patience } from '../shared/client';

/** What a round cannot learn or do, the next one will. */
export const PATIENCE = { attempts: 3, timeoutMs: 5000 } as const satisfies Patience;

/** After this part of an interval a round can be read, which is 50 seconds: what was delivered has ended, or hangs. */
export const READABLE_INTERVALS = 1 / 6;

/** Of so many intervals back the answers count. Rules are not exact. */
export const COUNTED_INTERVALS = 1.5;

/** A server that EC2 started within so many intervals, which is 20 minutes, is still getting ready. */
export const STARTING_INTERVALS = 4;

/** Exit codes of the program on the host. */
export const EXIT_UNHEALTHY = 20;

/** The reason of a server that cannot reach a file server. It has a metric of its own. */
export const UNREACHABLE = 'unreachable';

/** What one grid's function knows from its deployment. */
export interface Settings {
  /** What its metrics are called by. */
  readonly grid: string;
  /** Its servers: a filter of EC2's DescribeInstances with its values. */
  readonly servers: { readonly filter: string; readonly values: readonly string[] };
  /** Time between two rounds, in seconds. */
  readonly intervalSeconds: number;
  /** Time between two clean-ups of the scratch, in seconds; undefined: it is not cleaned up. */
  readonly cleanUpSeconds?: number;
}
