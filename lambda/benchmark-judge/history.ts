import { DYNAMODB_ITEM_BYTES } from '../../constructs/facts/services';
import type { BenchmarkResult, Figure, HistoryEntry } from '../shared/benchmark/result';
import { standingFigures } from './analysis/history';

/** Names and values: half of what an item holds leaves room for its encoding. */
const ITEM_BYTES = DYNAMODB_ITEM_BYTES.value / 2;

const MOST_REASONS = 20;
const REASON_LENGTH = 500;
const TEXT_LENGTH = 2_000;

/** The item of a run. */
export function historyEntryOf(result: BenchmarkResult, resultKey: string, reportKey: string): HistoryEntry {
  const entry = {
    benchmark: result.benchmark,
    runId: result.runId,
    startedAt: result.startedAt,
    verdict: result.verdict,
    packageVersion: result.packageVersion,
    configuration: wholeConfiguration(result.configuration),
    resultKey,
    reportKey,
    reasons: shortReasons(result.reasons),
    notRepresentative: result.notRepresentative?.slice(0, TEXT_LENGTH),
  };
  return { ...entry, ...numbersOf([...standingFigures(result.figures)], ITEM_BYTES - bytesOf(entry)) };
}

/** It is compared with that of other runs: a part of it would be like runs that are not. */
const wholeConfiguration = (configuration = '') =>
  Buffer.byteLength(configuration) > ITEM_BYTES / 2 ? '' : configuration;

/** As many as the state of a workflow, an item or a mail takes. */
export function shortReasons(reasons: readonly string[]): string[] {
  const short = reasons
    .slice(0, MOST_REASONS)
    .map((reason) => (reason.length > REASON_LENGTH ? `${reason.slice(0, REASON_LENGTH - 1)}…` : reason));
  if (reasons.length > MOST_REASONS) short.push(`and ${reasons.length - MOST_REASONS} more`);
  return short;
}

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

type Numbers = Required<Pick<HistoryEntry, 'MBps' | 'MBpsPerCore' | 'wantedPerCore'>>;

/** Judged figures first: should there be more than an item holds, those that are only measured are left out. */
function numbersOf(figures: [string, Figure][], room: number): Numbers {
  const numbers: Numbers = { MBps: {}, MBpsPerCore: {}, wantedPerCore: {} };
  let left = room;
  const judgedFirst = figures.sort(
    (a, b) => Number(b[1].wanted !== undefined) - Number(a[1].wanted !== undefined),
  );
  for (const [key, { MBps, MBpsPerCore, wanted }] of judgedFirst) {
    // The key stands in three maps, each with a number of at most two dozen characters.
    left -= 3 * (Buffer.byteLength(key) + 30);
    if (left < 0) break;
    numbers.MBps[key] = MBps;
    numbers.MBpsPerCore[key] = MBpsPerCore;
    if (wanted !== undefined && Number.isFinite(wanted)) numbers.wantedPerCore[key] = wanted;
  }
  return numbers;
}
