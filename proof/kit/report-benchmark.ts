import { seconds } from '../../cli/terminal';
import { type Html, html } from '../../lambda/shared/report/html';
import type { BenchmarkReport } from './report';

/** What the run of the benchmark found, in short: it has a page of its own. */
export function benchmarkSummary(report: BenchmarkReport): Html {
  const number = (value: number) => value.toFixed(value < 10 ? 1 : 0);
  return html`<p><b>${report.notRepresentative}</b> Small files, few processes: what this shows is that the workflow
measures on every host, judges, and cleans up. It took ${seconds(report.seconds)};
<a href="${report.page}">its page</a> has the charts.</p>
<div class="scroll"><table><thead><tr><th>Path</th><th>Phase</th><th class="number">hosts</th>
<th class="number">MB/s</th><th class="number">per core</th><th class="number">wanted</th></tr></thead>
<tbody>${report.figures.map(
    ({
      directory,
      phase,
      hosts,
      MBps,
      MBpsPerCore,
      wanted,
    }) => html`<tr><td><code>${directory}</code></td><td>${phase}</td>
<td class="number">${hosts}</td><td class="number">${number(MBps)}</td><td class="number">${number(MBpsPerCore)}</td>
<td class="number">${wanted === undefined ? '' : number(wanted)}</td></tr>`,
  )}</tbody></table></div>
<p class="muted">Verdict, were this AWS: ${report.verdict}. ${report.reasons.join(' ')}</p>`;
}
