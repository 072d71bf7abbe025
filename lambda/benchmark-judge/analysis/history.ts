import type { RunRecord } from '../../shared/benchmark/plan';
import type { Figure, HistoryEntry } from '../../shared/benchmark/result';
import { figureKey } from '../../shared/benchmark/words';
import { figureName, mbps, percent } from './text';

/** A figure that fell by more than this since the last run is a regression. */
const REGRESSION = 0.1;

/** How many earlier runs a result carries. */
export const KEPT_RUNS = 50;

/** What was measured, to compare like with like: hosts, storage and the set-up of each test. No addresses, no ids. */
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

/**
 * The figures by key, without those from which hosts are missing: with fewer hosts it is another test. Of figures with
 * one key, hosts one after another, the lowest per core stands: it is what a grid has to live with.
 */
export function standingFigures(figures: readonly Figure[]): Map<string, Figure> {
  const lowest = new Map<string, Figure>();
  for (const figure of figures) {
    if (figure.missing !== undefined && figure.missing.length > 0) continue;
    if (!Number.isFinite(figure.MBps) || !Number.isFinite(figure.MBpsPerCore)) continue;
    const key = figureKey(figure);
    const other = lowest.get(key);
    if (other === undefined || figure.MBpsPerCore < other.MBpsPerCore) lowest.set(key, figure);
  }
  return lowest;
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

/** The last figure of the same kind from a run of the same configuration. A run without the figure is passed over. */
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

/** Figures that fell by more than a tenth, a sentence each, of those that stand in the history. */
export function regressionsOf(figures: readonly Figure[]): string[] {
  return [...standingFigures(figures).values()]
    .filter(({ previous }) => previous && previous.change < -REGRESSION)
    .map(
      (figure) =>
        `${figureName(figure)} fell by ${percent(-figure.previous!.change)}, from ` +
        `${mbps(figure.previous!.MBps)} in run ${figure.previous!.runId} to ${mbps(figure.MBps)}.`,
    );
}
