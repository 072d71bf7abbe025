import { cpus } from 'node:os';
import { table } from '../../cli/terminal';
import { duration } from './faults/describe';
import type { SummaryData } from './summary';

/** What the command did, for the report and the document. */
export interface Report {
  readonly finishedAt: string;
  readonly firstSeed: number;
  /** Only seeds with faults of these kinds were run (`--with`). */
  readonly having: readonly string[];
  /** How many were asked for; `summary.runs` were done. */
  readonly askedRuns: number;
  readonly seconds: number;
  /** Calls of the command over which the runs are spread (`--resume`). */
  readonly sessions: number;
  /** What was run (`codeOf`). */
  readonly code: string;
  readonly workers: number;
  readonly machine: string;
  readonly mutation?: string;
  readonly summary: SummaryData;
}

export const machine = (): string => `${cpus().length} cores, Node ${process.version}`;

const number = (value: number): string => Math.round(value).toLocaleString('en-US');

const rate = (value: number): string => (value < 10 ? value.toFixed(1) : number(value));

/** The result in a few lines. */
function rows({ summary, seconds, sessions, firstSeed, having, workers, code }: Report): string[][] {
  const { runs, calls, simulatedMs, worst, worstShare, failed } = summary;
  const seeds =
    having.length > 0
      ? `of the seeds from ${firstSeed} those with ${having.join(', ')}`
      : `seeds ${firstSeed} to ${firstSeed + runs - 1}`;
  return [
    ['runs', `${number(runs)}, ${seeds}`],
    ['violations', number(failed)],
    ['API calls', number(calls)],
    ['simulated time', `${number(simulatedMs / 3_600_000)} hours`],
    ['runs with a person, by design', number(summary.personNeeded)],
    ['launches that ran into the time-out of their hook', number(summary.hooksTimedOut)],
    ['longest until all was served, after the last fault', `${duration(worst.ms)} (seed ${worst.seed})`],
    ['the same as a share of its bound', `${Math.round(100 * worstShare.share)} % (seed ${worstShare.seed})`],
    [
      'rate',
      `${rate(runs / seconds)} runs/s with ${workers} ${workers === 1 ? 'worker' : 'workers'}, in ${number(seconds)} s`,
    ],
    ...(sessions > 1 ? [['calls of the command', number(sessions)]] : []),
    ['code', code],
  ];
}

/** How often each kind of fault struck, most frequent first. */
function faultRows({ summary }: Report): string[][] {
  return Object.entries(summary.injected)
    .sort(([, a], [, b]) => b - a)
    .map(([kind, count]) => [kind, number(count)]);
}

/** The report for a terminal. */
export function text(report: Report): string[] {
  return [...table(['', ''], rows(report)), '', ...table(['fault', 'struck'], faultRows(report))];
}

const markdownTable = (headers: string[], lines: string[][]): string[] =>
  [headers, headers.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |`);

/** The report as a part of a document. */
export function markdown(report: Report, command: string): string {
  const { summary, askedRuns, firstSeed } = report;
  const asked =
    summary.runs < askedRuns
      ? `\nOf ${number(askedRuns)} runs that were asked for, ${number(summary.runs)} were done.`
      : '';
  const failures = summary.failures.map(
    (failure) => `- seed ${failure.seed}: ${failure.invariant}: ${failure.message}`,
  );
  return [
    `Made on ${report.machine}, finished ${report.finishedAt.slice(0, 10)}; first seed ${firstSeed}.${asked}`,
    '',
    '```sh',
    command.replaceAll(' --', ' \\\n  --'),
    '```',
    '',
    ...markdownTable(['What', 'Result'], rows(report)),
    '',
    ...markdownTable(['Fault', 'Struck'], faultRows(report)),
    ...(failures.length > 0 ? ['', 'Violations:', '', ...failures] : []),
  ].join('\n');
}
