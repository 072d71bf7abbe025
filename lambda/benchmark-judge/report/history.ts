import type { BenchmarkResult, HistoryEntry } from '../../shared/benchmark/result';
import {
  figureKey,
  figureOfKey,
  numberText,
  phaseWords,
  testWords,
  timeText,
  verdictWords,
} from '../../shared/benchmark/words';
import { type Html, html } from '../../shared/report/html';
import { historyEntryOf } from '../history';
import { historyChart, MOST_LINES, type Run } from './history-chart';
import { table } from './parts';

/** Figures of one test on one directory: they share a chart. */
interface Group {
  readonly title: string;
  readonly unit: string;
  readonly keys: string[];
}

/** The runs before this one and this one, as lines. */
export function historySection(result: BenchmarkResult): Html {
  if (result.history.length === 0)
    return html`<section class="card"><h2>Earlier runs</h2>
<p>This is the first run of ${result.benchmark} that is known.</p></section>`;
  const own = result.configuration ?? '';
  const entries = [...result.history, { ...historyEntryOf(result, '', ''), configuration: own }];
  const runs = entries.map(
    (entry): Run => ({ ...entry, values: valuesOf(entry), alike: entry.configuration === own }),
  );
  const unlike = runs.filter(({ alike }) => !alike).length;
  return html`<section class="card"><h2>Earlier runs</h2>
<p>${runs.length} runs, this one the last. A large diamond is a run that failed, a hollow one is incomplete; a dashed
line is what is wanted now.
${
  unlike > 0 &&
  html`${unlike} of the runs measured something else (other hosts, storage or sizes); they are paler, and no figure is
compared with them.`
}</p>
${groupsOf(runs).map((group) => groupPart(group, runs, result))}
</section>`;
}

/** Per core; what is measured between hosts has no meaning per core. */
function valuesOf({ MBps, MBpsPerCore }: HistoryEntry): Record<string, number> {
  const value = (key: string) => (figureOfKey(key).directory === '' ? MBps[key] : MBpsPerCore[key]);
  return Object.fromEntries(Object.keys(MBpsPerCore).map((key) => [key, value(key) ?? 0]));
}

function groupsOf(runs: readonly Run[]): Group[] {
  const byTest = new Map<string, Group>();
  for (const key of new Set(runs.flatMap(({ values }) => Object.keys(values)))) {
    const { test, directory } = figureOfKey(key);
    const where = directory === '' ? '' : ` on ${directory}`;
    const unit = directory === '' ? 'MB/s' : 'MB/s per core';
    const title = `${testWords(test)}${where}, ${unit}`;
    const keys = [...(byTest.get(title)?.keys ?? []), key];
    byTest.set(title, { title, unit, keys });
  }
  return [...byTest.values()];
}

function groupPart({ title, unit, keys }: Group, runs: readonly Run[], result: BenchmarkResult): Html {
  // Of a single run a line shows nothing. A test with more phases than a chart can show gets another chart.
  const drawn = keys.filter((key) => runs.filter(({ values }) => key in values).length > 1);
  const charts: Html[] = [];
  for (let from = 0; from < drawn.length; from += MOST_LINES) {
    const some = drawn.slice(from, from + MOST_LINES);
    const lines = some.map((key) => ({ key, name: phaseWords(figureOfKey(key).phase) }));
    charts.push(historyChart({ title, unit, runs, lines, wanted: wantedOf(result, some) }));
  }
  return html`<h3>${title}</h3>${charts}${runsTable(title, keys, runs, result.runId)}`;
}

function wantedOf({ figures }: BenchmarkResult, keys: readonly string[]): number[] {
  const wanted = figures
    .filter((figure) => keys.includes(figureKey(figure)))
    .flatMap((figure) => figure.wanted ?? []);
  return [...new Set(wanted)];
}

function runsTable(title: string, keys: readonly string[], runs: readonly Run[], own: string): Html {
  return table(
    `${title}, the newest run first`,
    [
      { head: 'Started', whole: true },
      { head: 'Verdict' },
      { head: 'Measured' },
      ...keys.map((key) => ({ head: phaseWords(figureOfKey(key).phase), number: true })),
    ],
    [...runs]
      .reverse()
      .map((run) => [
        html`${timeText(run.startedAt)}${run.runId === own && html`<br>this run`}`,
        verdictWords(run.verdict),
        run.alike ? 'the same' : 'something else',
        ...keys.map((key) => (run.values[key] === undefined ? '' : numberText(run.values[key]))),
      ]),
  );
}
