import type { BenchmarkResult } from '../../shared/benchmark/result';
import { changeText, limitWords, numberText, plainText, testWords } from '../../shared/benchmark/words';
import { type Html, html } from '../../shared/report/html';
import { perCoreChart } from './charts';
import { chart, figureBadge, table } from './parts';
import { isPerCore, type Shown } from './shown';

/** Rows that a chart of all figures has at most; the judged ones come first into it. */
const MOST_ROWS = 30;

/** All figures at a glance, and as a table. */
export function overview({ otherFigures }: BenchmarkResult, figures: readonly Shown[]): Html {
  if (figures.length === 0 && otherFigures.length === 0)
    return html`<section class="card"><h2>Figures</h2><p>Nothing was measured.</p></section>`;
  const shown = shownOf(figures);
  const left = figures.filter(isPerCore).length - shown.length;
  return html`<section class="card"><h2>MB/s per physical core</h2>
${
  shown.length > 0 &&
  chart(
    perCoreChart(shown),
    html`A mark across a bar is what was wanted.
${key('good-fill', 'reached')} ${key('bad-fill', 'missed')} ${key('warn-fill', 'not certain')}
${key('other', 'not judged')}${left > 0 && html` ${left} more figures are in the table.`}`,
  )
}
${figures.length > 0 && figuresTable(figures)}
${otherFigures.length > 0 && otherTable(otherFigures)}
</section>`;
}

/** In their own order. What is measured between hosts has no meaning per core. */
function shownOf(figures: readonly Shown[]): Shown[] {
  const onPaths = figures.filter(isPerCore);
  const judgedFirst = [...onPaths].sort(
    (a, b) => Number(a.wanted === undefined) - Number(b.wanted === undefined),
  );
  const chosen = new Set(judgedFirst.slice(0, MOST_ROWS));
  return onPaths.filter((figure) => chosen.has(figure));
}

const key = (colour: string, text: string) =>
  html`<span><span class="key" style="background:var(--${colour})"></span>${text}</span>`;

function figuresTable(figures: readonly Shown[]): Html {
  return table(
    'All figures, all hosts of a figure together; 1 MB is 1,000,000 bytes',
    [
      { head: 'Test' },
      { head: 'Directory' },
      { head: 'I/O' },
      { head: 'Hosts', number: true },
      { head: 'MB/s', number: true },
      { head: 'MB/s per core', number: true },
      { head: 'Wanted', number: true },
      { head: 'Verdict' },
      { head: 'Since before', number: true },
      { head: 'Held down by' },
    ],
    figures.map((figure) => [
      testWords(figure.test),
      figure.directory === undefined ? '' : html`<code>${figure.directory}</code>`,
      figure.label,
      figure.hosts.length,
      numberText(figure.MBps),
      isPerCore(figure) ? numberText(figure.MBpsPerCore) : '',
      figure.wanted === undefined ? '' : plainText(figure.wanted),
      figureBadge(figure),
      figure.previous === undefined ? '' : changeText(figure.previous.change),
      figure.bound === undefined ? '' : limitWords(figure.bound.kind),
    ]),
  );
}

function otherTable(figures: BenchmarkResult['otherFigures']): Html {
  return table(
    'Figures that are no throughput',
    [
      { head: 'Test' },
      { head: 'Figure' },
      { head: 'Value', number: true },
      { head: 'Unit' },
      { head: 'Hosts', number: true },
    ],
    figures.map(({ test, name, value, unit, hosts }) => [
      testWords(test),
      name,
      numberText(value),
      unit,
      hosts.length,
    ]),
  );
}
