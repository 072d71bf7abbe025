import { SNS_SUBJECT_CHARACTERS } from '../../constructs/facts/services';
import { objectPage } from '../shared/benchmark/console';
import type { BenchmarkResult, Figure } from '../shared/benchmark/result';
import {
  durationText,
  figureWords,
  numberText,
  plainText,
  statusWords,
  timeText,
} from '../shared/benchmark/words';
import { shortReasons } from './history';
import type { Settings } from './settings';

/** A subject is shorter, without line breaks and control characters. */
const SUBJECT_LENGTH = SNS_SUBJECT_CHARACTERS.value - 1;

/** Figures that a mail lists; the report has all. */
const MOST_FIGURES = 60;

/** Of the bytes that a message may have (SNS_MESSAGE_BYTES). With so few, no form in which SNS passes it on is cut. */
const MESSAGE_BYTES = 100_000;

export interface Message {
  readonly subject: string;
  readonly text: string;
}

/** What people are told of a run: few lines that a telephone shows, and where the report is. */
export function messageOf(
  result: BenchmarkResult,
  reportKey: string | undefined,
  settings: Settings,
): Message {
  const took = durationText((Date.parse(result.endedAt) - Date.parse(result.startedAt)) / 1000);
  const titledList = (title: string, lines: readonly string[]) =>
    lines.length === 0 ? [] : ['', title, ...shortReasons(lines).map((line) => `- ${line}`)];
  const lines = [
    `Storage benchmark ${result.benchmark}: ${result.verdict.toUpperCase()}`,
    ...(result.notRepresentative === undefined ? [] : [`NOT REPRESENTATIVE: ${result.notRepresentative}`]),
    ...titledList('Why:', result.reasons),
    ...titledList('Slower than before:', result.regressions),
    ...titledList('What went wrong besides:', result.problems ?? []),
    ...titledList('Test files may be left:', leftLines(result)),
    ...figureLines(result.figures),
    '',
    `Run ${result.runId}, ${timeText(result.startedAt)}, took ${took}. Started by: ${result.cause}.`,
    ...whereLines(reportKey, settings),
  ];
  return { subject: subjectOf(result), text: cutToMessageSize(`${lines.join('\n')}\n`) };
}

function subjectOf({ benchmark, verdict, notRepresentative }: BenchmarkResult): string {
  const what = notRepresentative === undefined ? '' : ' (not representative)';
  const subject = `${verdict.toUpperCase()}: storage benchmark ${benchmark}${what}`;
  return subject
    .replace(/[^\x20-\x7e]+/g, '?')
    .slice(0, SUBJECT_LENGTH)
    .trim();
}

/** Files of twice the memory of each host, which nobody else will remove: who is told of a run has to know of them. */
function leftLines({ cleanUp = [], hosts, runId }: BenchmarkResult): string[] {
  const nameOf = (id: string) => hosts.find(({ instanceId }) => instanceId === id)?.name ?? id;
  const lines = cleanUp
    .filter(({ status }) => status !== 'done')
    .map(({ instanceId, reason, status }) => `${nameOf(instanceId)}: ${reason ?? statusWords(status)}`);
  const where = `Look below the measured directories, in .sas-grid-benchmark/${runId}.`;
  return lines.length > 0 ? [where, ...lines] : [];
}

function figureLines(figures: readonly Figure[]): string[] {
  const judged = figures.filter(({ wanted }) => wanted !== undefined);
  if (judged.length === 0) return [];
  const verdictWords = ({ passed }: Figure) =>
    passed === undefined ? 'not judged' : passed ? 'reached' : 'MISSED';
  const missedFirst = [...judged].sort((a, b) => Number(a.passed ?? true) - Number(b.passed ?? true));
  const lines = missedFirst
    .slice(0, MOST_FIGURES)
    .map(
      (figure) =>
        `- ${figureWords(figure)}: ${numberText(figure.MBpsPerCore)}, wanted ${plainText(figure.wanted!)}: ` +
        `${verdictWords(figure)}`,
    );
  const more = judged.length > MOST_FIGURES ? [`- and ${judged.length - MOST_FIGURES} more`] : [];
  return ['', 'MB/s per physical core:', ...lines, ...more];
}

function whereLines(reportKey: string | undefined, { bucket, region, dashboardUrl }: Settings): string[] {
  const lines: string[] = [];
  if (reportKey === undefined) lines.push('', 'There is no report of this run: it could not be written.');
  else {
    lines.push('', `The report is s3://${bucket}/${reportKey}`);
    const page = objectPage(region, bucket, reportKey);
    // Not a presigned address: it would open the report to everybody who sees this mail, and be dead when somebody
    // looks for it.
    if (page !== undefined) lines.push(`In the console (sign in, then "Open"): ${page}`);
  }
  if (dashboardUrl !== undefined) lines.push(`Dashboard: ${dashboardUrl}`);
  return lines;
}

function cutToMessageSize(text: string): string {
  if (Buffer.byteLength(text) <= MESSAGE_BYTES) return text;
  // A character that is cut through becomes the replacement character.
  return `${Buffer.from(text).subarray(0, MESSAGE_BYTES).toString('utf8')}\n(cut off here; the report has all)\n`;
}
