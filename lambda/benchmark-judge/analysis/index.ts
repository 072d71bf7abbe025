import type { RunRecord } from '../../shared/benchmark/plan';
import type { BenchmarkResult, Figure, HistoryEntry } from '../../shared/benchmark/result';
import { explainFigure } from './advice';
import { measure } from './figures';
import { configurationOf, earlierRuns, previousOf, regressionsOf } from './history';
import { asLimit, boundsOf } from './limits';
import type { Measurement } from './measurement';
import { mixedSummary } from './mixed';
import { type ObservedRun, type Outputs, observe } from './observed';
import { publishedFor } from './published';
import { testResult } from './tests';
import { listed } from './text';
import { belowComfortable, judgedPhases, wantedOf } from './thresholds';
import { type JudgedFigure, reached, troubles, verdictOf } from './verdict';

export { configurationOf, KEPT_RUNS } from './history';
export type { Outputs } from './observed';
export { defaultThreshold } from './thresholds';

/**
 * Judges a run: reads what the hosts printed, computes the figures, names what held each of them down, compares them
 * with the thresholds, the earlier runs and the papers. Pure; whatever the hosts printed, it does not throw.
 *
 * @param outputs what each host printed, by test id and instance id; one that is missing is a host that said nothing
 * @param history earlier runs, in any order
 * @param endedAt ISO 8601
 */
export function judgeRun(
  run: RunRecord,
  outputs: Outputs,
  history: readonly HistoryEntry[],
  endedAt: string,
): BenchmarkResult {
  const observed = observe(run, outputs);
  const measured = measure(observed);
  const earlier = earlierRuns(run, history);
  const configuration = configurationOf(run);
  const judged = measured.figures.map((one) => {
    const { figure, ...why } = judgedFigure(one, observed, measured.figures);
    return { figure: { ...figure, previous: previousOf(figure, earlier, configuration) }, ...why };
  });
  const figures = judged.map(({ figure }) => figure);
  const { verdict, reasons } = verdictOf(observed, judged);
  const problems = [...(run.problems ?? []), ...measured.problems, ...unjudgedTroubles(observed)];
  return {
    format: 1,
    runId: run.runId,
    benchmark: run.benchmark,
    packageVersion: run.packageVersion,
    startedAt: run.startedAt,
    endedAt,
    cause: run.cause,
    verdict,
    reasons,
    regressions: regressionsOf(figures),
    notRepresentative: run.notRepresentative,
    hosts: observed.hosts,
    tests: observed.tests.map(testResult),
    figures,
    otherFigures: measured.others,
    mixed: observed.tests.flatMap((test) => mixedSummary(test) ?? []),
    estimate: run.estimate,
    history: earlier,
    configuration,
    ...(run.cleanUp && { cleanUp: run.cleanUp }),
    ...(problems.length > 0 && { problems }),
  };
}

function judgedFigure(one: Measurement, run: ObservedRun, all: readonly Measurement[]): JudgedFigure {
  const { plan, phase, hosts, missing, physicalCores, MBps, perHost } = one;
  const bounds = boundsOf(one, run, all);
  const wanted = wantedOf(plan, phase);
  const { passed, doubt, slow } = reached(one, wanted, bounds.bound?.kind === 'cache', run);
  const MBpsPerCore = physicalCores > 0 ? MBps / physicalCores : 0;
  const note = passed && plan.path ? belowComfortable(plan.path, MBpsPerCore) : undefined;
  const hostTypes = run.hosts
    .filter(({ instanceId }) => hosts.includes(instanceId))
    .map(({ instanceType }) => instanceType);
  const hostName = (id: string) => run.hosts.find(({ instanceId }) => instanceId === id)?.name ?? id;
  const tests = run.tests.map(({ plan: { test } }) => test);
  const published = publishedFor(one);
  const figure: Figure = {
    testId: plan.id,
    test: plan.test,
    directory: plan.path?.directory,
    phase,
    hosts,
    physicalCores,
    MBps,
    MBpsPerCore,
    perHost,
    ...(missing && { missing }),
    wanted,
    passed,
    caveats: [
      ...one.caveats,
      ...missingCaveat(one, run),
      ...(slow === undefined ? [] : [`By itself ${slow}.`]),
    ],
    bound: bounds.bound && asLimit(bounds.bound),
    limits: bounds.limits.map(asLimit),
    explanation: [explainFigure({ figure: one, bounds, wanted, hostTypes, hostName, tests }), note]
      .filter(Boolean)
      .join(' '),
    ...(published.length > 0 && { published }),
  };
  return { figure, doubt, slow };
}

/** Hosts that did not take part left the storage to the others. */
function missingCaveat({ hosts, missing = [] }: Measurement, run: ObservedRun): string[] {
  if (missing.length === 0) return [];
  const names = missing.map((id) => run.hosts.find(({ instanceId }) => instanceId === id)?.name ?? id);
  const others = hosts.length === 1 ? 'the other host' : `the ${hosts.length} other hosts`;
  return [`${listed(names)} did not take part: ${others} had the storage for themselves.`];
}

/** Those of judged tests are among the reasons. */
function unjudgedTroubles(run: ObservedRun): string[] {
  return run.tests
    .filter(({ plan }) => judgedPhases(plan).length === 0)
    .flatMap((test) => troubles(test, run));
}
