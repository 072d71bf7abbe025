import type { Check } from './model';
import type { Step } from './recovery';

/** A server of the deployment as it was before the first failure. */
export interface ServerReport {
  readonly tier: string;
  readonly slot: string;
  readonly instance: string;
  readonly instanceType: string;
  readonly address: string;
  readonly volumes: { readonly id: string; readonly type: string; readonly sizeGiB: number }[];
}

/** A machine that has no slot: a node of the grid, or a NAT instance. */
export interface MachineReport {
  readonly name: string;
  readonly instance: string;
  readonly instanceType: string;
  readonly address: string;
}

/** What a client that wrote all the time saw of a failure. Times are seconds after the failure. */
export interface ClientView {
  readonly instance: string;
  /** Writes that the file system acknowledged: with fsync. */
  readonly acknowledged: number;
  /** Acknowledged writes that are not there afterwards. */
  readonly lost: number;
  /** Lines that are there and were not written. */
  readonly strange: number;
  /** The last write before the longest wait; below 0 when that was before the failure. */
  readonly stopped: number;
  /** The first write after it. */
  readonly wroteAgain: number;
}

/** One server that was terminated, and how it was replaced. */
export interface FailureReport {
  readonly tier: string;
  readonly slot: string;
  /** What happened to it, in the past: 'was told to terminate'. */
  readonly harm?: string;
  readonly oldInstance: string;
  readonly newInstance: string;
  readonly volumes: string[];
  readonly address: string;
  /**
   * The member of a cluster that saw to it that the old instance can no longer write; missing where there is no
   * cluster.
   */
  readonly fencedBy?: string;
  /** From the call that terminated the old server until the new one is in service. */
  readonly recoverySeconds: number;
  readonly steps: Step[];
  /**
   * The phases that the workflow recorded in the volume map, from the failure as EC2 tells it; missing where there is
   * no map.
   */
  readonly recorded?: Step[];
  /** API calls from the failure until the new server is in service, without those of the demo itself. */
  readonly apiCalls: { readonly total: number; readonly byAction: Record<string, number> };
  /** What the clients saw; missing where hosts have no real file systems. */
  readonly clients?: ClientView[];
  /** True when every check passed. */
  readonly verified: boolean;
  readonly checks: Check[];
}

/** A run of the deployment's benchmark, with small files on the disk of this machine. */
export interface BenchmarkReport {
  readonly runId: string;
  readonly verdict: string;
  readonly reasons: string[];
  /** Why the figures say nothing about AWS. */
  readonly notRepresentative: string;
  readonly seconds: number;
  /** The page about it, beside report.html. */
  readonly page: string;
  readonly figures: {
    readonly directory: string;
    readonly phase: string;
    readonly hosts: number;
    /** MB/s (10^6 bytes) of all hosts together. */
    readonly MBps: number;
    readonly MBpsPerCore: number;
    readonly wanted?: number;
  }[];
  readonly checks: Check[];
}

/** All that a run of the demo found: the content of report.json, described by report.schema.json. */
export interface Report {
  readonly schemaVersion: 1;
  /** ISO 8601, UTC. */
  readonly finishedAt: string;
  readonly deployment: string;
  readonly fileSystem: string;
  readonly mgsNid: string;
  /** Set when AWS runs the file system: no server of it can fail here, a node of the grid does. */
  readonly managedFileSystem?: { readonly id: string; readonly source: string };
  readonly passed: boolean;
  readonly totalSeconds: number;
  /** What the demo did, in order. */
  readonly phases: { readonly name: string; readonly seconds: number }[];
  readonly servers: ServerReport[];
  readonly machines: MachineReport[];
  /** True where the servers are a cluster whose nodes share all volumes. */
  readonly sharedVolumes?: boolean;
  /** Checks of the fresh deployment. */
  readonly deploymentChecks: Check[];
  readonly failures: FailureReport[];
  /** Missing where the deployment has no benchmark, or before it ran. */
  readonly benchmark?: BenchmarkReport;
  /** Checks after the stacks were destroyed; [] when they were kept. */
  readonly teardownChecks: Check[];
  /** Why the demo ended early; missing when it ran to its end. */
  readonly error?: string;
}

/** Whether a run passed: it ended by itself, and every check of every phase held. */
export function passed(
  report: Pick<Report, 'deploymentChecks' | 'failures' | 'teardownChecks' | 'benchmark' | 'error'>,
): boolean {
  const checks = [
    ...report.deploymentChecks,
    ...report.teardownChecks,
    ...report.failures.flatMap((f) => f.checks),
    ...(report.benchmark?.checks ?? []),
  ];
  return (
    report.error === undefined &&
    report.deploymentChecks.length > 0 &&
    report.failures.length > 0 &&
    report.failures.every(({ verified }) => verified) &&
    checks.every((check) => check.passed)
  );
}
