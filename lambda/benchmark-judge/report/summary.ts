import type { BenchmarkResult, Figure } from '../../shared/benchmark/result';
import { durationText, numberText, plainText, timeText, useWords } from '../../shared/benchmark/words';
import { type Html, html } from '../../shared/report/html';
import { counted, facts, list, verdictBadge } from './parts';

/** What a person has to know who reads nothing else: the verdict, why, and the figures that count. */
export function summary(result: BenchmarkResult): Html {
  const { benchmark, verdict, reasons, regressions, problems = [] } = result;
  return html`<section class="card verdict ${verdict}">
<div class="title"><h1>Storage benchmark ${benchmark}</h1>${verdictBadge(verdict)}</div>
<p>${sentence(result)}</p>
${reasons.length > 0 && list(reasons)}
${regressions.length > 0 && html`<h2>Slower than before</h2>${list(regressions)}`}
${problems.length > 0 && html`<h2>What went wrong besides</h2>${list(problems)}`}
${tiles(result)}
${facts([
  ['Run', `${result.runId}, started ${timeText(result.startedAt)} (${result.cause})`],
  ['Took', durationText(secondsOf(result))],
  ['Hosts', `${counted(result.hosts.length, 'host')}${coresOf(result)}`],
  ['Version', `cdk-sas-grid ${result.packageVersion}`],
])}
</section>`;
}

export const secondsOf = ({ startedAt, endedAt }: BenchmarkResult): number =>
  (Date.parse(endedAt) - Date.parse(startedAt)) / 1000;

function coresOf({ hosts }: BenchmarkResult): string {
  const known = hosts.flatMap(({ physicalCores }) => physicalCores ?? []);
  if (known.length === 0) return '';
  const cores = counted(
    known.reduce((sum, cores) => sum + cores, 0),
    'physical core',
  );
  return known.length === hosts.length ? `, ${cores}` : `, ${cores} on the ${known.length} that said so`;
}

function sentence({ verdict, figures }: BenchmarkResult): string {
  const judged = figures.filter(({ wanted }) => wanted !== undefined);
  const missed = judged.filter(({ passed }) => passed === false).length;
  if (verdict === 'passed')
    return (
      `The storage gives what is wanted: ${counted(judged.length, 'figure')} of ${judged.length} reached, ` +
      'measured on every host.'
    );
  if (verdict === 'failed')
    return `The storage gives less than is wanted: ${missed} of ${counted(judged.length, 'judged figure')} missed.`;
  return (
    'Nothing that was measured is too slow, but something that is judged was not measured, or not so that it can ' +
    'be relied on.'
  );
}

/** For each path the worst of its write and of its read figures, in the share of what is wanted. */
function tiles({ figures, tests }: BenchmarkResult): Html | false {
  const worst = new Map<string, Figure>();
  for (const figure of figures) {
    if (figure.wanted === undefined) continue;
    const key = `${figure.directory ?? ''} ${directionOf(figure)}`;
    const other = worst.get(key);
    if (other === undefined || shareOf(figure) < shareOf(other)) worst.set(key, figure);
  }
  if (worst.size === 0) return false;
  const useOf = ({ testId }: Figure) => tests.find(({ id }) => id === testId)?.path?.use;
  return html`<div class="tiles">${[...worst.values()].map((figure) => {
    const use = useOf(figure);
    return html`<div class="tile${stateOf(figure)}"><span>${figure.directory ?? ''} ${directionOf(figure)}${
      use !== undefined && html`, ${useWords(use)}`
    }</span><b>${numberText(figure.MBpsPerCore)} <small>MB/s per core</small></b>
<span>${wordOf(figure)}; wanted ${plainText(figure.wanted!)}</span></div>`;
  })}</div>`;
}

const directionOf = ({ phase }: Figure) => (/read/.test(phase) ? 'read' : 'write');
const shareOf = ({ MBpsPerCore, wanted }: Figure) => MBpsPerCore / wanted!;
const stateOf = ({ passed }: Figure) => (passed ? '' : passed === false ? ' failed' : ' incomplete');
const wordOf = ({ passed }: Figure) => (passed ? 'reached' : passed === false ? 'missed' : 'not certain');
