import type { Failure } from '../deployment/port';
import type { AlarmLook } from './port';
import type { Space } from './space';

/** All that `status` tells of a deployment; `--json` prints it. What is not known is null. */
export interface StatusReport {
  readonly deployment: string;
  readonly region: string;
  readonly account: string;
  /** ISO 8601. */
  readonly at: string;
  readonly verdict: Verdict;
  readonly stacks: readonly StackReport[];
  readonly alarms: AlarmsReport | null;
  readonly slots: readonly SlotReport[];
  /** Servers of a tier that have no slot: spares, and those that wait for one. */
  readonly withoutSlot: readonly SpareReport[];
  /** Servers that mount the file system, and those of a cluster. */
  readonly hosts: readonly HostReport[];
  /** What the hosts share, where it is not the sum of the slots. */
  readonly shared: SharedReport | null;
  readonly underWay: readonly UnderWay[];
  readonly troubles: readonly Trouble[];
  /** What could not be found out, a sentence each. */
  readonly unread: readonly string[];
}

/**
 * - well: everything is as it is to be
 * - asleep: stopped on purpose, and nothing else is the matter
 * - time: something goes on that ends by itself
 * - person: something waits for somebody
 * - unknown: nothing is known to be the matter, and something could not be found out
 */
export type Verdict = 'well' | 'asleep' | 'time' | 'person' | 'unknown';

export interface StackReport {
  readonly name: string;
  readonly status: string;
  readonly since: string | null;
  readonly reason: string | null;
  readonly failures: readonly Failure[];
}

export interface AlarmsReport {
  readonly ringing: readonly AlarmLook[];
  readonly ok: number;
  /** Nothing was measured yet. */
  readonly withoutData: number;
}

/** What is known of a server. */
interface ServerReport {
  readonly server: string | null;
  /** EC2's word; `gone` when it knows the server no more. */
  readonly state: string | null;
  readonly type: string | null;
}

export interface SlotReport extends ServerReport {
  readonly tier: string;
  readonly slot: string;
  readonly phase: string;
  readonly served: boolean;
  readonly reason: string | null;
  readonly epoch: number;
  readonly servedEpoch: number;
  /** When the last change of its owner began or, when it is served, since when it is. */
  readonly since: string | null;
  readonly address: string;
  readonly volumes: readonly string[];
  /** What the last probe said, in words. */
  readonly health: string | null;
  readonly probedAt: string | null;
  readonly space: Space | null;
  readonly readMBps: number | null;
  readonly writeMBps: number | null;
}

export interface SpareReport extends ServerReport {
  readonly tier: string;
  /** Auto Scaling's word. */
  readonly lifecycle: string;
}

export interface HostReport extends ServerReport {
  readonly name: string;
  readonly address: string | null;
  readonly health: 'healthy' | 'unhealthy' | 'unsure' | 'silent' | null;
  /** Whether all is mounted that is to be. */
  readonly mounts: 'ok' | 'missing' | null;
  readonly scratchUsedPercent: number | null;
  readonly reasons: readonly string[];
  readonly askedAt: string | null;
  readonly space: Space | null;
}

export interface SharedReport {
  /** A file system of FSx, or the volumes of a cluster. */
  readonly what: string;
  readonly freeBytes: number | null;
  readonly readMBps: number | null;
  readonly writeMBps: number | null;
}

export interface UnderWay {
  readonly what: 'deployment' | 'recovery' | 'benchmark' | 'backup' | 'roll' | 'operation';
  readonly text: string;
  readonly since: string | null;
}

export interface Trouble {
  /** Who mends it. */
  readonly needs: 'person' | 'time';
  readonly text: string;
  /** What to type, or to read. */
  readonly next: string;
}

export const EXIT_CODES: { readonly [verdict in Verdict]: number } = {
  well: 0,
  asleep: 0,
  time: 1,
  person: 1,
  unknown: 1,
};

/** For programs. */
export const reportJson = (report: StatusReport, indent?: number): string =>
  `${JSON.stringify(report, undefined, indent)}\n`;
