import type { Figure } from '../../shared/benchmark/result';
import { changeText, limitWords, numberText, plainText, rateText } from '../../shared/benchmark/words';
import { type Html, html } from '../../shared/report/html';
import { limitsChart } from './charts';
import { chart, counted, figureBadge, list, table } from './parts';
import { isPerCore, type Shown } from './shown';

/** One figure: what it says, what held it down, and how it compares. */
export function figureSection(figure: Shown): Html {
  const { label, hosts, physicalCores, caveats, limits, explanation } = figure;
  return html`<div class="figure"><h3>${capital(label)} ${figureBadge(figure)}</h3>
<p class="numbers">${amount(figure)} by ${counted(hosts.length, 'host')} with
${counted(physicalCores, 'physical core')}.${previous(figure)}</p>
${missing(figure)}
${explanation !== '' && html`<p>${explanation}</p>`}
${caveats.length > 0 && html`<p><b>To keep in mind:</b></p>${list(caveats)}`}
${limits.length > 0 && limitsPart(figure)}
${published(figure)}
</div>`;
}

function missing({ missing = [] }: Figure): Html | false {
  if (missing.length === 0) return false;
  const are = missing.length === 1 ? 'that was to take part is' : 'that were to take part are';
  return html`<p>${counted(missing.length, 'host')} ${are} not in it, so that it is not compared with other runs.</p>`;
}

function amount(figure: Figure): Html {
  const { MBps, MBpsPerCore, wanted } = figure;
  if (!isPerCore(figure)) return html`<b>${rateText(MBps)}</b>`;
  const of = wanted === undefined ? '' : ` of the wanted ${plainText(wanted)}`;
  return html`<b>${numberText(MBpsPerCore)} MB/s per core</b>${of}: ${rateText(MBps)}`;
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

function previous({ previous }: Figure): Html | false {
  if (previous === undefined) return false;
  return html` In run ${previous.runId} it was ${rateText(previous.MBps)}: ${changeText(previous.change)}.`;
}

function limitsPart(figure: Figure): Html {
  const { limits, bound, MBps } = figure;
  const share = (allowed: number) => (allowed > 0 ? `${Math.round((MBps / allowed) * 100)} %` : '');
  return html`${chart(
    limitsChart(figure),
    html`What each limit allows; the dashed line is what was measured, ${rateText(MBps)}. The limit that was hit is
blue${bound === undefined && ': none was'}. A bar with » goes on beyond the edge.`,
  )}
${table(
  'Limits of this figure, the tightest first',
  [
    { head: 'Limit' },
    { head: 'Allows, MB/s', number: true },
    { head: 'Used', number: true },
    { head: 'Comes from', wide: true },
  ],
  [...limits]
    .sort((a, b) => a.MBps - b.MBps)
    .map((limit) => [
      `${limitWords(limit.kind)}${bound?.kind === limit.kind && bound.MBps === limit.MBps ? ' (hit)' : ''}`,
      numberText(limit.MBps),
      share(limit.MBps),
      limit.what,
    ]),
)}`;
}

function published({ published = [], MBps, MBpsPerCore }: Figure): Html | false {
  if (published.length === 0) return false;
  const number = (value: number | undefined) => (value === undefined ? '' : numberText(value));
  return table(
    'Beside what the papers measured in the nearest configuration',
    [
      { head: 'Measured by', wide: true },
      { head: 'MB/s', number: true },
      { head: 'MB/s per core', number: true },
    ],
    [
      ['this run', number(MBps), number(MBpsPerCore)],
      ...published.map((one) => [
        `paper ${one.paper}: ${one.configuration}`,
        number(one.MBps),
        number(one.MBpsPerCore),
      ]),
    ],
  );
}
