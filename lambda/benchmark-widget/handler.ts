import { objectPage } from '../shared/benchmark/console';
import type { HistoryEntry } from '../shared/benchmark/result';
import {
  figureOfKey,
  figureWords,
  numberText,
  plainText,
  timeText,
  verdictWords,
} from '../shared/benchmark/words';
import { describeError } from '../shared/log';
import { type Html, html } from '../shared/report/html';
import type { Ports } from './ports';
import type { Settings } from './settings';

/** Runs that the widget lists. */
export const LISTED_RUNS = 20;

/** Reasons that it shows of the last run; the report has all. */
const SHOWN_REASONS = 5;

/** What the console shows of the function in its own documentation, and who asks it with {"describe": true}. */
const DESCRIPTION = `### Storage benchmark
The verdict of the last run with its figures in MB/s per physical core, and the last runs with links to their reports.
It takes no parameters.
`;

/**
 * The widget of a CloudWatch dashboard ("Details about custom widgets in CloudWatch", Amazon CloudWatch User Guide,
 * read 2026-11-22): HTML without scripts in the dashboard's own style. It only reads the table of the runs, so that
 * seeing a dashboard takes no right on the judge.
 */
export async function show(event: unknown, ports: Ports, settings: Settings): Promise<string> {
  if ((event as { describe?: unknown } | null)?.describe) return DESCRIPTION;
  try {
    return widget(await ports.history.newest(LISTED_RUNS), settings).text;
  } catch (error) {
    ports.log.error('the runs cannot be read', { error: describeError(error) });
    return html`<p>The runs of ${settings.benchmark} cannot be read: ${describeError(error)}</p>`.text;
  }
}

function widget(runs: readonly HistoryEntry[], settings: Settings): Html {
  const last = runs.at(-1);
  if (last === undefined) return html`<p>${settings.benchmark} has not run yet.</p>`;
  const newestFirst = [...runs].reverse();
  return html`${lastRun(last, settings)}
<h3>Last runs</h3>
<table><thead><tr><th>Started</th><th>Verdict</th><th>Report</th></tr></thead><tbody>${newestFirst.map(
    (run) => html`<tr><td>${timeText(run.startedAt)}</td><td>${verdictOf(run)}</td>
<td>${reportOf(run, settings)}</td></tr>`,
  )}</tbody></table>`;
}

function lastRun(last: HistoryEntry, settings: Settings): Html {
  const reasons = last.reasons ?? [];
  const more = reasons.length - SHOWN_REASONS;
  return html`<h2>${verdictOf(last)} ${timeText(last.startedAt)}</h2>
${last.notRepresentative !== undefined && html`<p><b>Not representative:</b> ${last.notRepresentative}</p>`}
<ul>${reasons.slice(0, SHOWN_REASONS).map((reason) => html`<li>${reason}</li>`)}
${more > 0 && html`<li>and ${more} more, in the report</li>`}</ul>
<p>${reportOf(last, settings)}</p>
${figuresOf(last)}`;
}

function figuresOf({ MBps, MBpsPerCore, wantedPerCore = {} }: HistoryEntry): Html | false {
  const keys = Object.keys(MBpsPerCore);
  if (keys.length === 0) return false;
  const judgedFirst = keys.sort((a, b) => Number(b in wantedPerCore) - Number(a in wantedPerCore));
  return html`<table><thead><tr><th>Figure</th><th>MB/s per core</th><th>wanted</th><th>MB/s in all</th></tr></thead>
<tbody>${judgedFirst.map((key) => {
    const [perCore, wanted, all] = [MBpsPerCore[key]!, wantedPerCore[key], MBps[key]];
    const figure = figureOfKey(key);
    // What is measured between hosts has no meaning per core.
    const shown = figure.directory === '' ? '' : numberText(perCore);
    const below = wanted !== undefined && perCore < wanted && html` <b>below wanted</b>`;
    return html`<tr><td>${figureWords(figure)}</td><td>${shown}${below}</td>
<td>${wanted === undefined ? '' : plainText(wanted)}</td><td>${all === undefined ? '' : numberText(all)}</td></tr>`;
  })}</tbody></table>`;
}

/** The word tells it; the colour only helps. Both are readable on the dashboard's light and dark ground. */
function verdictOf({ verdict }: HistoryEntry): Html {
  const colour = { passed: '#1d8102', failed: '#d13212', incomplete: '#8a6d00' }[verdict];
  const style = `color:#fff;background:${colour};padding:0 8px;border-radius:8px`;
  return html`<span style="${style}">${verdictWords(verdict)}</span>`;
}

function reportOf({ reportKey }: HistoryEntry, { region, bucket }: Settings): Html | string {
  if (reportKey === undefined) return 'no report';
  const page = objectPage(region, bucket, reportKey);
  if (page === undefined) return `s3://${bucket}/${reportKey}`;
  return html`<a href="${page}" target="_blank" rel="noopener">report in S3</a>`;
}
