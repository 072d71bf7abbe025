import { PUBLISHED_MIXED } from '../../../constructs/sizing/data/published-results';
import type { MixedSummary } from '../../shared/benchmark/result';
import { durationText, numberText } from '../../shared/benchmark/words';
import { type Html, html } from '../../shared/report/html';
import { table } from './parts';

const KINDS: Record<string, string> = { compute: 'computing', memory: 'memory', io: 'I/O' };

/** The mixed workload as the papers' tables show theirs, and its steps. */
export function mixedCard(mixed: MixedSummary): Html {
  return html`<section class="card"><h2>Mixed workload</h2>
<p>Sums over all jobs; ratio is processor time (user and system) to real time, of each job. Near 1 a job is kept busy;
far below it waits, for storage for example. The papers' runs had other hosts, other data and SAS itself: compare the
ratios rather than the times.</p>
${sums(mixed)}
${steps(mixed)}
</section>`;
}

const ratio = (value: number): string => value.toFixed(2);
const minutes = (value: number): string => numberText(value);

/** The run beside those of the papers. */
const sums = (mixed: MixedSummary): Html =>
  table(
    'Real, user and system time',
    [
      { head: 'Run', wide: true },
      { head: 'Real, min', number: true },
      { head: 'User, min', number: true },
      { head: 'System, min', number: true },
      { head: 'GB read and written', number: true },
      { head: 'Mean ratio', number: true },
      { head: 'Standard deviation', number: true },
      { head: 'Range', number: true },
    ],
    [
      [
        'this run',
        minutes(mixed.realMinutes),
        minutes(mixed.userMinutes),
        minutes(mixed.systemMinutes),
        numberText(mixed.gigabytes),
        ratio(mixed.ratioMean),
        ratio(mixed.ratioStandardDeviation),
        ratio(mixed.ratioRange),
      ],
      ...PUBLISHED_MIXED.map((paper) => [
        `paper 001: ${paper.name}`,
        minutes(paper.realMinutes),
        minutes(paper.userMinutes),
        minutes(paper.systemMinutes),
        '',
        ratio(paper.ratioMean),
        ratio(paper.ratioStandardDeviation),
        ratio(paper.ratioRange),
      ]),
    ],
  );

const steps = (mixed: MixedSummary): Html =>
  table(
    'Steps of the workload',
    [
      { head: 'Step' },
      { head: 'Kind' },
      { head: 'Jobs', number: true },
      { head: 'Real', number: true },
      { head: 'User', number: true },
      { head: 'System', number: true },
      { head: 'Ratio', number: true },
    ],
    mixed.steps.map((step) => [
      step.name,
      KINDS[step.kind] ?? step.kind,
      step.jobs,
      durationText(step.realSeconds),
      durationText(step.userSeconds),
      durationText(step.systemSeconds),
      ratio(step.ratio),
    ]),
  );
