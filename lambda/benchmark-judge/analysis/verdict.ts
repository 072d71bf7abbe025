import type { BenchmarkResult, Figure } from '../../shared/benchmark/result';
import type { Measurement } from './figures';
import type { ObservedRun, ObservedTest } from './observed';
import { counted, listed, phaseName, rounded } from './text';
import { judgedPhases, wantedOf } from './thresholds';

/** Whether a figure is reached; undefined when it is not judged, or when the measurement does not tell. */
export function isReached(
  figure: Measurement,
  wanted: number | undefined,
  cached: boolean,
): boolean | undefined {
  if (wanted === undefined || figure.physicalCores === 0) return undefined;
  const needed = wanted * figure.physicalCores;
  if (figure.atMostMBps < needed) return false;
  // What memory answered, or what may have been one host after the other, does not show that the storage can.
  return cached || figure.MBps < needed ? undefined : true;
}

export type Verdict = Pick<BenchmarkResult, 'verdict' | 'reasons'>;

/** The verdict of a run from its figures, and why. */
export function verdictOf(run: ObservedRun, figures: readonly Figure[]): Verdict {
  const judged = figures.filter(({ wanted }) => wanted !== undefined);
  const missed = judged.filter(({ passed }) => passed === false);
  const unsure = judged.filter(({ passed }) => passed === undefined);
  const gaps = run.tests.flatMap((test) => gapsOf(test, run, judged));
  const reasons = [
    ...missed.map(
      (figure) => `${named(figure)}: ${perCore(figure)}, less than the wanted ${wantedText(figure)}.`,
    ),
    ...unsure.map(
      (figure) =>
        `${named(figure)}: ${perCore(figure)}, which does not tell whether the storage reaches the wanted ${wantedText(figure)}. ${doubt(figure)}`,
    ),
    ...gaps,
  ];
  if (missed.length > 0) return { verdict: 'failed', reasons };
  if (unsure.length > 0 || gaps.length > 0) return { verdict: 'incomplete', reasons };
  if (judged.length === 0)
    return { verdict: 'incomplete', reasons: ['No test has a threshold: there was nothing to judge.'] };
  return {
    verdict: 'passed',
    reasons: judged.map(
      (figure) => `${named(figure)}: ${perCore(figure)}, of the wanted ${wantedText(figure)}.`,
    ),
  };
}

/** What of a judged test was not measured, on which hosts. Tests that are not judged cannot make a run incomplete. */
function gapsOf(test: ObservedTest, run: ObservedRun, judged: readonly Figure[]): string[] {
  const { plan } = test;
  const phases = judgedPhases(plan);
  if (phases.length === 0) return [];
  const names = new Map(run.hosts.map(({ instanceId, name }) => [instanceId, name]));
  const name = (host: string) => names.get(host) ?? host;
  const failed = [...test.hosts.values()].filter(({ problem }) => problem !== undefined);
  const gaps = failed.map(({ instanceId, problem }) => `${label(test)} on ${name(instanceId)}: ${problem}.`);
  for (const phase of phases) {
    const measured = new Set(
      judged
        .filter((figure) => figure.testId === plan.id && figure.phase === phase)
        .flatMap(({ hosts }) => hosts),
    );
    const missing = plan.waves.flat().filter((host) => !measured.has(host));
    const silent = [...new Set(missing)].filter(
      (host) => !failed.some(({ instanceId }) => instanceId === host),
    );
    if (silent.length > 0) {
      gaps.push(
        `${label(test)}: no figure of ${phaseName(phase).toLowerCase()} from ${listed(silent.map(name))}.`,
      );
    }
  }
  if (plan.waves.flat().length === 0) gaps.push(`${label(test)}: it had no host to run on.`);
  const unknown = [...new Set(plan.waves.flat())].filter((host) => run.cores(host) === 0);
  if (unknown.length > 0)
    gaps.push(`${label(test)}: nobody knows the physical cores of ${listed(unknown.map(name))}.`);
  return gaps;
}

function label({ plan }: ObservedTest): string {
  return plan.path ? `${plan.test} on ${plan.path.directory}` : plan.test;
}

function named({ test, directory, phase }: Figure): string {
  return `${phaseName(phase)} (${test}${directory ? ` on ${directory}` : ''})`;
}

function perCore({ MBpsPerCore, MBps, physicalCores }: Figure): string {
  return `${rounded(MBpsPerCore)} MB/s per core (${rounded(MBps)} MB/s for ${counted(physicalCores, 'core')})`;
}

function wantedText({ wanted }: Figure): string {
  return `${rounded(wanted!)}`;
}

function doubt({ caveats, bound }: Figure): string {
  if (bound?.kind === 'cache') return 'It came from memory, not from the disks.';
  return caveats[0] ?? '';
}

/** Whether something of a test is judged. */
export function isJudged(test: ObservedTest, phase: string): boolean {
  return wantedOf(test.plan, phase) !== undefined;
}
