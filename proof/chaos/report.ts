import { count, seconds, type Terminal, table } from '../../cli/terminal';
import type { FaultCounts } from '../kit/fault-door';
import type { ApiCall } from '../kit/history';
import type { Check } from '../kit/model';
import type { Verdict } from '../kit/record/judge';
import type { DataFinding } from './client-data';
import { withoutEffect } from './effects';
import type { Abuse, AbuseKind } from './plan';
import type { Recovery, RecoverySummary } from './recoveries';

/** An abuse as it was carried out. */
export interface Done extends Pick<Abuse, 'kind' | 'tier' | 'slot'> {
  /** Seconds since the abuse began. */
  readonly at: number;
  readonly what: string;
}

/** API calls of the deployment, without those of this test. */
export interface CallSummary {
  readonly total: number;
  readonly byService: Readonly<Record<string, number>>;
  /** Refused as too many, by the error's code. */
  readonly throttled: Readonly<Record<string, number>>;
}

/** A mistake in the reconciler, and whether the run noticed. */
export interface Proof {
  readonly name: string;
  readonly what: string;
  readonly caught: boolean;
  /** Ids of the invariants that were violated. */
  readonly violated: readonly string[];
  readonly example: string;
  readonly seconds: number;
}

/** All that a run found: the content of out/chaos/report.json. */
export interface ChaosReport {
  readonly schemaVersion: 1;
  /** ISO 8601, UTC. */
  readonly startedAt: string;
  readonly finishedAt: string;
  readonly deployment: string;
  readonly seed: number;
  readonly abusedSeconds: number;
  /** From the end of the abuse until all checks held. */
  readonly settledSeconds?: number;
  readonly totalSeconds: number;
  readonly passed: boolean;
  readonly slots: number;
  /** How much of the time each slot was served, 0 to 1, as looked at once a second or so. */
  readonly servedShare: number;
  /** How often each kind was carried out. */
  readonly abuses: Readonly<Partial<Record<AbuseKind, number>>>;
  /** Abuses for which there was nobody to do it to, or which were refused. */
  readonly notCarriedOut: number;
  readonly timeline: readonly Done[];
  readonly effects?: FaultCounts;
  readonly recoveries: RecoverySummary & { readonly list: readonly Recovery[] };
  readonly apiCalls: CallSummary;
  readonly data?: DataFinding;
  readonly invariants: readonly Verdict[];
  /** What must hold at the end. */
  readonly checks: readonly Check[];
  readonly proofs: readonly Proof[];
  /** Why the run ended early; missing when it ran to its end. */
  readonly error?: string;
}

const TOO_MANY =
  /^(RequestLimitExceeded|Throttling|ThrottlingException|ProvisionedThroughputExceededException)$/;

/** Counts the calls of the deployment between two moments. */
export function summarizeCalls(
  calls: readonly ApiCall[],
  from: number,
  to: number,
  ownAgent: string,
): CallSummary {
  const byService: Record<string, number> = {};
  const throttled: Record<string, number> = {};
  let total = 0;
  for (const { time, service, error, userAgent } of calls) {
    if (time < from || time > to || userAgent.includes(ownAgent)) continue;
    total++;
    byService[service] = (byService[service] ?? 0) + 1;
    if (error && TOO_MANY.test(error)) throttled[error] = (throttled[error] ?? 0) + 1;
  }
  return { total, byService, throttled };
}

/**
 * Whether all held. A run without a recovery, a call or a record has shown nothing, nor has an abuse without an effect.
 */
export function passedAll(report: Omit<ChaosReport, 'passed'>): boolean {
  const { invariants, checks, proofs, data, recoveries, error, abuses, effects } = report;
  return (
    error === undefined &&
    invariants.length > 0 &&
    invariants.every(({ passed }) => passed) &&
    checks.length > 0 &&
    checks.every(({ passed }) => passed) &&
    proofs.every(({ caught }) => caught) &&
    data !== undefined &&
    data.acknowledged > 0 &&
    data.violations.length === 0 &&
    recoveries.count > 0 &&
    recoveries.unfinished === 0 &&
    withoutEffect(abuses, effects).length === 0
  );
}

const sum = (counts: Readonly<Record<string, number>>) =>
  Object.values(counts).reduce((total, one) => total + one, 0);

/** What people read in the end. */
export function showReport(report: ChaosReport, terminal: Terminal): void {
  const show = (lines: string[]) => {
    for (const line of lines) terminal.line(`  ${line}`);
    terminal.line();
  };
  terminal.heading('What was done');
  const kinds = Object.entries(report.abuses).sort(([a], [b]) => a.localeCompare(b));
  show(
    table(
      ['Abuse', 'times'],
      [...kinds.map(([kind, times]) => [kind, String(times)]), ['all', String(sum(report.abuses))]],
    ),
  );
  terminal.heading('What became of it');
  show(table(['', ''], outcomeRows(report)).slice(2));
  showChecks(report, terminal);
}

/** What was measured: each row a name and a value. */
function outcomeRows(report: ChaosReport): string[][] {
  const { recoveries, apiCalls, data, effects } = report;
  const rows: string[][] = [
    ['recoveries', `${recoveries.count}, ${recoveries.unfinished} unfinished`],
    [
      'from the loss of a server until its slot was served',
      `median ${seconds(recoveries.medianSeconds)}, 95 % ${seconds(recoveries.p95Seconds)}, worst ` +
        `${seconds(recoveries.worstSeconds)}`,
    ],
    ['slots served during the abuse', `${(report.servedShare * 100).toFixed(0)} % of the time`],
    [
      'all well after the end of the abuse',
      report.settledSeconds === undefined ? 'never' : seconds(report.settledSeconds),
    ],
    [
      'API calls of the deployment',
      `${apiCalls.total}, ${sum(apiCalls.throttled)} of them refused as too many`,
    ],
  ];
  if (effects) {
    rows.push(['passes killed in the middle', String(effects.functionsKilled)]);
    rows.push([
      'events lost, repeated, delayed',
      `${effects.eventsLost}, ${effects.eventsRepeated}, ${effects.eventsDelayed}`,
    ]);
    rows.push(['launches without capacity', String(effects.launchesRefused)]);
  }
  const lifecycle = report.invariants.find(({ id }) => id === 'completed-once')?.counts;
  if (lifecycle) {
    rows.push([
      'lifecycle actions',
      `${lifecycle.begun}, ${lifecycle.completed} completed, ${lifecycle.refusedSecondCompletions} second ` +
        'completions refused',
    ]);
  }
  if (data)
    rows.push([
      'records acknowledged to clients',
      `${data.acknowledged}, through ${count(data.servers, 'server')}`,
    ]);
  return rows;
}

/** What has to hold, and what breaks it. */
function showChecks(report: ChaosReport, terminal: Terminal): void {
  const { invariants, data, effects } = report;
  for (const { passed, title, violations, checked } of invariants) {
    terminal.check(passed, `${title} (${checked} looked at)`);
    for (const { detail } of violations.slice(0, 5)) terminal.line(`        ${detail}`);
  }
  if (data) {
    terminal.check(data.violations.length === 0, 'Nothing that was acknowledged to a client is lost');
    for (const { detail } of data.violations.slice(0, 5)) terminal.line(`        ${detail}`);
  }
  for (const check of report.checks) {
    terminal.check(check.passed, check.passed ? check.title : `${check.title}: ${check.detail}`);
  }
  for (const kind of withoutEffect(report.abuses, effects))
    terminal.check(false, `${kind} was done ${report.abuses[kind] ?? 0} times, and nothing came of it`);
  for (const { caught, what, violated, example } of report.proofs) {
    terminal.check(caught, `A reconciler with a mistake is caught: ${what}`);
    terminal.line(
      `        ${violated.length ? `${violated.join(', ')}: ${example}` : 'nothing was noticed'}`,
    );
  }
}
