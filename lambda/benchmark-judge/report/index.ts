import type { BenchmarkResult } from '../../shared/benchmark/result';
import { timeText } from '../../shared/benchmark/words';
import { html, Html as Raw } from '../../shared/report/html';
import { historySection } from './history';
import { mixedCard } from './mixed';
import { overview } from './overview';
import { hostsCard, runCard } from './run';
import { shownFigures } from './shown';
import { STYLE } from './style';
import { summary } from './summary';
import { testCards } from './tests';

/**
 * The report of a run as one page that needs nothing else: no scripts, no fonts, no network. The policy in its head has
 * a browser refuse them, too, should a value ever get past the escaping.
 */
export function reportHtml(result: BenchmarkResult): string {
  const { benchmark, verdict, notRepresentative } = result;
  const figures = shownFigures(result);
  const subject = notRepresentative === undefined ? 'Storage' : 'Not representative: storage';
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy"
content="default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>${subject} benchmark ${benchmark} ${verdict}, ${timeText(result.startedAt)}</title>
<style>${new Raw(STYLE)}</style>
</head>
<body><main>
${
  notRepresentative !== undefined &&
  html`<div class="notice" role="note"><p>Not representative. ${notRepresentative}</p></div>`
}
${summary(result)}
${overview(result, figures)}
${testCards(result, figures)}
${result.mixed.map(mixedCard)}
${historySection(result)}
${hostsCard(result)}
${runCard(result)}
</main></body>
</html>
`;
  return page.text;
}
