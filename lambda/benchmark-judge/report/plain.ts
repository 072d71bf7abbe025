import type { BenchmarkResult } from '../../shared/benchmark/result';
import { figureWords, numberText } from '../../shared/benchmark/words';
import { html } from '../../shared/report/html';

/** The report without charts and style, for when the other one cannot be drawn: the verdict must be found. */
export function plainReport(result: BenchmarkResult): string {
  const { benchmark, verdict, runId, reasons, figures, notRepresentative } = result;
  return html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Storage benchmark ${benchmark}: ${verdict}</title></head>
<body>
<h1>Storage benchmark ${benchmark}: ${verdict}</h1>
${notRepresentative !== undefined && html`<p><b>Not representative.</b> ${notRepresentative}</p>`}
<p>Run ${runId}. The report with charts could not be drawn; <code>result.json</code> beside this file has
all figures.</p>
<ul>${reasons.map((reason) => html`<li>${reason}</li>`)}</ul>
<ul>${figures.map(
    (figure) => html`<li>${figureWords(figure)}: ${numberText(figure.MBps)} MB/s,
${numberText(figure.MBpsPerCore)} MB/s per core</li>`,
  )}</ul>
</body></html>
`.text;
}
