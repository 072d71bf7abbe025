import type { RunRecord } from '../../shared/benchmark/plan';
import type { BenchmarkResult, Figure, HistoryEntry } from '../../shared/benchmark/result';
import { figureName, mbps, percent } from './text';

/** A figure that fell by more than this since the last run is a regression. */
const REGRESSION = 0.1;

/** How many earlier runs a result carries. */
export const KEPT_RUNS = 50;

/** The key of a figure in the history. */
export function figureKey({ test, directory, phase }: Pick<Figure, 'test' | 'directory' | 'phase'>): string {
  return [test, directory ?? '', phase].join('|');
}

/** What was measured, so that only like is compared with like: hosts, storage and how each test was set up. Not addresses or ids. */
export function configurationOf({ hosts, tests }: RunRecord): string {
  const types = hosts.map(({ instanceType }) => instanceType).sort();
  const described = tests.map(({ test, path, parameters, waves }) => ({
    test,
    directory: path?.directory,
    storage: path?.storage,
    waves: waves.map((wave) => wave.length),
    // Addresses change with every replaced host.
    parameters: Object.entries(parameters)
      .filter(([name]) => !['Clients', 'Peers'].includes(name))
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  }));
  return JSON.stringify({ hosts: types, tests: described });
}

/** The figures by key. Of several waves the slowest stands for the test. */
function byKey(figures: readonly Figure[], value: (figure: Figure) => number): Record<string, number> {
  const found: Record<string, number> = {};
  for (const figure of figures) {
    // With fewer hosts it is another test.
    if (figure.missing) continue;
    const key = figureKey(figure);
    found[key] = Math.min(found[key] ?? Number.POSITIVE_INFINITY, value(figure));
  }
  return found;
}

/** What the table of the history keeps of a run. */
export function historyEntry(
  result: Pick<
    BenchmarkResult,
    'benchmark' | 'runId' | 'startedAt' | 'verdict' | 'packageVersion' | 'figures'
  >,
  configuration: string,
  keys: Pick<HistoryEntry, 'resultKey' | 'reportKey'> = {},
): HistoryEntry {
  const { benchmark, runId, startedAt, verdict, packageVersion, figures } = result;
  return {
    benchmark,
    runId,
    startedAt,
    verdict,
    packageVersion,
    MBps: byKey(figures, ({ MBps }) => MBps),
    MBpsPerCore: byKey(figures, ({ MBpsPerCore }) => MBpsPerCore),
    configuration,
    ...keys,
  };
}

/** Earlier runs of the same benchmark, the oldest first, the last ones of them. */
export function earlierRuns(
  { benchmark, runId }: RunRecord,
  history: readonly HistoryEntry[],
): HistoryEntry[] {
  return history
    .filter((entry) => entry.benchmark === benchmark && entry.runId < runId)
    .sort((a, b) => (a.runId < b.runId ? -1 : 1))
    .slice(-KEPT_RUNS);
}

/** The last figure of the same kind from a run of the same configuration. A run that lacks the figure is passed over. */
export function previousOf(
  figure: Figure,
  earlier: readonly HistoryEntry[],
  configuration: string,
): Figure['previous'] {
  if (figure.missing) return undefined;
  const key = figureKey(figure);
  const last = earlier
    .filter((entry) => entry.configuration === configuration && entry.MBps[key]! > 0)
    .at(-1);
  if (!last) return undefined;
  const MBps = last.MBps[key]!;
  return { runId: last.runId, MBps, change: figure.MBps / MBps - 1 };
}

/** Figures that fell by more than a tenth, a sentence each. Of several waves the slowest counts, as in the history. */
export function regressionsOf(figures: readonly Figure[]): string[] {
  const slowest = new Map<string, Figure>();
  for (const figure of figures) {
    const known = slowest.get(figureKey(figure));
    if (!known || figure.MBps < known.MBps) slowest.set(figureKey(figure), figure);
  }
  return [...slowest.values()]
    .filter(({ previous }) => previous && previous.change < -REGRESSION)

    .map(
      (figure) =>
        `${figureName(figure)} fell by ${percent(-figure.previous!.change)}, from ${mbps(figure.previous!.MBps)} in run ${figure.previous!.runId} to ${mbps(figure.MBps)}.`,
    );
}
