import { type Parsed, toolLines } from './parsed';

/** What one dd did. */
export interface DdOutput {
  readonly bytes: number;
  readonly seconds: number;
  /** MB/s of 10^6 bytes. */
  readonly MBps: number;
  /** Whole and partial blocks. */
  readonly recordsIn: Blocks;
  readonly recordsOut: Blocks;
}

interface Blocks {
  readonly whole: number;
  readonly partial: number;
}

// The last line of dd, by coreutils 9 in English, by an old one, by busybox, and in German:
//   68719476736 bytes (69 GB, 64 GiB) copied, 45.6667 s, 1.5 GB/s
//   68719476736 bytes (69 GB) copied, 45.6667 s, 1.5 GB/s
//   68719476736 bytes (64.0GB) copied, 45.666700 seconds, 1.4GB/s
//   68719476736 Bytes (69 GB, 64 GiB) kopiert, 45,6667 s, 1,5 GB/s
// Below a thousand bytes there are no parentheses: `512 bytes copied, 0.000137 s, 3.7 MB/s`. Words differ by language,
// and so does the decimal sign. What does not: the bytes come first, then the seconds, then a rate, which has to be
// there for the seconds to be whole.
const NUMBER = String.raw`\d+(?:[.,]\d+)?(?:e[+-]?\d+)?`;
const SUMMARY = new RegExp(
  String.raw`^\s*(\d+)\s+[^\d\s(][^\d(]*(?:\([^)]*\)[^\d]*?)?(${NUMBER})\s*[^\d\s,;]+[,;]?\s+(${NUMBER})\s*(\S+/\S+)\s*$`,
  'i',
);
// `1024+0 records in`, `1024+0 Datensätze ein`: in, then out.
const RECORDS = /^\s*(\d+)\+(\d+)\s+\D+$/;

/** Reads what one dd wrote to its standard error. */
export function parseDd(text: string): Parsed<DdOutput> {
  const records: Blocks[] = [];
  let summary: RegExpExecArray | null = null;
  for (const line of toolLines(text)) {
    const counted = RECORDS.exec(line);
    if (counted) records.push({ whole: Number(counted[1]), partial: Number(counted[2]) });
    // With status=progress there are several. The one of the whole run comes after the records, the others before.
    summary = counted ? null : (SUMMARY.exec(line) ?? summary);
  }
  const [recordsIn, recordsOut] = records.slice(-2);
  if (!recordsIn || !recordsOut)
    return { problem: 'dd printed no count of records: it did not come to its end' };
  // busybox as some distributions build it.
  if (!summary) return { problem: 'dd printed no summary' };
  const [, bytes, time, rate, unit] = summary as unknown as [string, string, string, string, string];
  const seconds = secondsOf(Number(bytes), time, rate, unit);
  if (!(seconds > 0)) return { problem: `dd measured no time: ${summary[0].trim()}` };
  return {
    value: { bytes: Number(bytes), seconds, MBps: Number(bytes) / seconds / 1e6, recordsIn, recordsOut },
  };
}

/** Some builds round the seconds so coarsely that the rate says more of them (uutils 0.0.17: `0.2 s, 823 MB/s`). */
function secondsOf(bytes: number, time: string, rate: string, unit: string): number {
  const [seconds, perSecond] = [decimal(time), decimal(rate)];
  const prefix = /^([kMGT]?)(i?)[BO]\/s/i.exec(unit);
  if (!prefix || !(perSecond > 0) || coarseness(time) <= coarseness(rate)) return seconds;
  const power = ['', 'k', 'm', 'g', 't'].indexOf(prefix[1]!.toLowerCase());
  const told = bytes / (perSecond * (prefix[2] ? 1024 : 1000) ** power);
  // `0.5 s` may be meant as it stands, and then the rate says the same.
  return Math.abs(told - seconds) > told * (coarseness(rate) + 0.01) ? told : seconds;
}

/** By how much of itself a printed number may be off. */
function coarseness(printed: string): number {
  const [digits = '', exponent = '0'] = printed.toLowerCase().split('e');
  const fraction = /[.,](\d+)/.exec(digits)?.[1] ?? '';
  return (0.5 * 10 ** (Number(exponent) - fraction.length)) / decimal(printed);
}

function decimal(printed: string): number {
  return Number(printed.replace(',', '.'));
}
