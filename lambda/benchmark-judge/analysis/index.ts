import type { RunRecord } from '../../shared/benchmark/plan';
import type { BenchmarkResult, Figure, HistoryEntry } from '../../shared/benchmark/result';
import { explain } from './advice';
import { type Measurement, measure } from './figures';
import { configurationOf, earlierRuns, previousOf, regressionsOf } from './history';
import { asLimit, boundsOf } from './limits';
import { mixedSummary } from './mixed';
import { type ObservedRun, type Outputs, observe } from './observed';
import { publishedFor } from './published';
import { testResult } from './tests';
import { belowComfortable, wantedOf } from './thresholds';
import { isReached, verdictOf } from './verdict';

export { configurationOf, figureKey, historyEntry, KEPT_RUNS } from './history';
export type { Outputs } from './observed';
export { defaultThreshold } from './thresholds';

/**
 * Judges a run: reads what the hosts printed, computes the figures, names what held each of them down, compares them with the thresholds, the
 * earlier runs and the papers. Pure; whatever the hosts printed, it does not throw.
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
  const figures = measured.figures.map((one) => {
    const figure = judged(one, observed, measured.figures);
    return { ...figure, previous: previousOf(figure, earlier, configuration) };
  });
  const { verdict, reasons } = verdictOf(observed, figures);
  return {
    format: 1,
    runId: run.runId,
    benchmark: run.benchmark,
    packageVersion: run.packageVersion,
    startedAt: run.startedAt,
    endedAt,
    cause: run.cause,
    verdict,
    reasons: [...reasons, ...measured.problems],
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
    ...(run.problems && { problems: run.problems }),
  };
}

function judged(one: Measurement, run: ObservedRun, all: readonly Measurement[]): Figure {
  const { plan, phase, hosts, physicalCores, MBps, perHost } = one;
  const bounds = boundsOf(one, run, all);
  const wanted = wantedOf(plan, phase);
  const cached = one.cached || bounds.bound?.kind === 'cache';
  const passed = isReached(one, wanted, cached);
  const MBpsPerCore = physicalCores > 0 ? MBps / physicalCores : 0;
  const note = passed && plan.path ? belowComfortable(plan.path, MBpsPerCore) : undefined;
  const hostTypes = run.hosts
    .filter(({ instanceId }) => hosts.includes(instanceId))
    .map(({ instanceType }) => instanceType);
  const tests = run.tests.map(({ plan: { test } }) => test);
  const published = publishedFor(one);
  return {
    testId: plan.id,
    test: plan.test,
    directory: plan.path?.directory,
    phase,
    hosts,
    physicalCores,
    MBps,
    MBpsPerCore,
    perHost,
    wanted,
    passed,
    caveats: one.caveats,
    bound: bounds.bound && asLimit(bounds.bound),
    limits: bounds.limits.map(asLimit),
    explanation: [explain({ figure: one, bounds, wanted, hostTypes, tests }), note].filter(Boolean).join(' '),
    ...(published.length > 0 && { published }),
  };
}
