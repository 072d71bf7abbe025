import type { BenchmarkResult, Figure } from '../../shared/benchmark/result';
import type { Measurement } from './measurement';
import type { ObservedRun, ObservedTest } from './observed';
import { counted, figureName, listed, phaseName, rounded } from './text';
import { judgedPhases } from './thresholds';

/** Whether a figure is reached. */
export interface Reached {
  /** Undefined when it is not judged, or when the measurement does not tell. */
  readonly passed?: boolean;
  /** Why it does not tell. */
  readonly doubt?: string;
  /** Hosts that do not get it, while all together do: `node-3 did 25 MB/s per core`. */
  readonly slow?: string;
}

/**
 * Compares a figure with what was wanted: of all its hosts together, and of each, since a job of SAS gets what its own
 * host gets.
 */
export function reached(
  figure: Measurement,
  wanted: number | undefined,
  fromMemory: boolean,
  { cores, hosts }: ObservedRun,
): Reached {
  if (wanted === undefined) return {};
  if (figure.physicalCores === 0) return { doubt: 'Nobody knows how many physical cores its hosts have.' };
  const needed = wanted * figure.physicalCores;
  // Whatever memory and clocks have done for it: it was not more than this.
  if (figure.atMostMBps < needed) return { passed: false };
  const slow = Object.entries(figure.perHost).filter(([host, MBps]) => MBps < wanted * cores(host));
  if (slow.length > 0) {
    const named = ([host, MBps]: [string, number]) =>
      `${hostName(host, hosts)} did ${rounded(MBps / cores(host))} MB/s per core`;
    return { passed: false, slow: listed(slow.map(named)) };
  }
  const unknown = figure.hosts.filter((host) => cores(host) === 0);
  if (unknown.length > 0) {
    const names = listed(unknown.map((host) => hostName(host, hosts)));
    return {
      doubt: `Nobody knows how many physical cores ${names} has: what the others have does not count for it.`,
    };
  }
  if (fromMemory) return { doubt: 'It came from memory, not from the disks.' };
  if (figure.cached) {
    return { doubt: 'The files were small, and the caches that they fit into could not be dropped.' };
  }
  if (figure.MBps < needed) {
    return {
      doubt:
        'The hosts did not run at the same time by their clocks; what each did while it ran is ' +
        `${rounded(figure.atMostMBps)} MB/s in sum.`,
    };
  }
  return { passed: true };
}

/** A figure with what kept it from being judged. */
export interface JudgedFigure {
  readonly figure: Figure;
  readonly doubt?: string;
  readonly slow?: string;
}

export type Verdict = Pick<BenchmarkResult, 'verdict' | 'reasons'>;

/** The verdict of a run from its figures, and why. */
export function verdictOf(run: ObservedRun, all: readonly JudgedFigure[]): Verdict {
  const judged = all.filter(({ figure }) => figure.wanted !== undefined);
  const missed = judged.filter(({ figure }) => figure.passed === false);
  const unsure = judged.filter(({ figure }) => figure.passed === undefined);
  const gaps = run.tests.flatMap((test) =>
    gapsOf(
      test,
      run,
      judged.map(({ figure }) => figure),
    ),
  );
  const reasons = [
    ...missed.map(({ figure, slow }) =>
      slow === undefined
        ? `${sentence(figure)}, less than the wanted ${rounded(figure.wanted!)}.`
        : `${sentence(figure)} together, but ${slow}, less than the wanted ${rounded(figure.wanted!)}.`,
    ),
    ...unsure.map(({ figure, doubt }) =>
      (
        `${sentence(figure)}, which does not show that the storage reaches the wanted ${rounded(figure.wanted!)}. ` +
        `${doubt ?? ''}`
      ).trim(),
    ),
    ...gaps,
  ];
  if (missed.length > 0) return { verdict: 'failed', reasons };
  if (reasons.length > 0) return { verdict: 'incomplete', reasons };
  if (judged.length === 0)
    return { verdict: 'incomplete', reasons: ['No test has a threshold: there was nothing to judge.'] };
  return { verdict: 'passed', reasons: judged.map(({ figure }) => passedSentence(figure)) };
}

function passedSentence(figure: Figure): string {
  const caveats = figure.caveats.length > 0 ? ` ${figure.caveats.join(' ')}` : '';
  return `${sentence(figure)}; ${rounded(figure.wanted!)} are wanted.${caveats}`;
}

/** What of a judged test was not measured, on which hosts. A test that is not judged cannot make a run incomplete. */
function gapsOf(test: ObservedTest, run: ObservedRun, judged: readonly Figure[]): string[] {
  const { plan } = test;
  const phases = judgedPhases(plan);
  if (phases.length === 0) return [];
  const planned = [...new Set(plan.waves.flat())];
  if (planned.length === 0) return [`${testName(test)}: it had no host to run on.`];
  const silent = phases.flatMap((phase) => {
    const measured = judged.filter((figure) => figure.testId === plan.id && figure.phase === phase);
    // The host that drives IOZone speaks for its clients, and may be none of them.
    const drives = plan.test === 'iozone' && (plan.parameters.Clients ?? '') !== '';
    const hosts = drives && measured.length > 0 ? planned : measured.flatMap((one) => one.hosts);
    const missing = planned.filter((host) => !hosts.includes(host) && !test.hosts.get(host)?.problem);
    if (missing.length === 0) return [];
    const names = listed(missing.map((host) => hostName(host, run.hosts)));
    return [`${testName(test)}: no figure of the phase '${phaseName(phase).toLowerCase()}' from ${names}.`];
  });
  return [...troubles(test, run), ...silent];
}

/** Hosts of a test that did not come to its end, a sentence each. */
export function troubles(test: ObservedTest, run: ObservedRun): string[] {
  return [...test.hosts.values()]
    .filter(({ problem }) => problem !== undefined)
    .map(({ instanceId, problem }) => `${testName(test)} on ${hostName(instanceId, run.hosts)}: ${problem}.`);
}

function hostName(instanceId: string, hosts: ObservedRun['hosts']): string {
  return hosts.find((host) => host.instanceId === instanceId)?.name ?? instanceId;
}

function testName({ plan }: ObservedTest): string {
  return plan.path ? `${plan.test} on ${plan.path.directory}` : plan.test;
}

function sentence(figure: Figure): string {
  const { MBpsPerCore, MBps, physicalCores } = figure;
  return (
    `${figureName(figure)}: ${rounded(MBpsPerCore)} MB/s per core (${rounded(MBps)} MB/s for ` +
    `${counted(physicalCores, 'core')})`
  );
}
