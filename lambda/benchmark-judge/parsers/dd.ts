import { lines, type Parsed } from './parsed';

/** What one dd did. */
export interface DdOutput {
  readonly bytes: number;
  readonly seconds: number;
  readonly MBps: number;
  /** Whole and partial blocks; undefined where the lines are not there. */
  readonly recordsIn?: { readonly whole: number; readonly partial: number };
  readonly recordsOut?: { readonly whole: number; readonly partial: number };
}

// The last line of dd, by coreutils 9 in English, by an old one, by busybox, and in German:
//   68719476736 bytes (69 GB, 64 GiB) copied, 45.6667 s, 1.5 GB/s
//   68719476736 bytes (69 GB) copied, 45.6667 s, 1.5 GB/s
//   68719476736 bytes (64.0GB) copied, 45.666700 seconds, 1.4GB/s
//   68719476736 Bytes (69 GB, 64 GiB) kopiert, 45,6667 s, 1,5 GB/s
// Words differ by language, and so does the decimal sign. What does not: the bytes come first, then something in parentheses, then the
// seconds, then a rate. The rate has to be there for the seconds to be whole, and the rate itself is too coarse to be used.
const SUMMARY =
  /^\s*(\d+)\s+[^\d\s(][^(]*\([^)]*\)[^\d]*?(\d+(?:[.,]\d+)?(?:e[+-]?\d+)?)\s*[^\d\s,;]+[,;]?\s+[\d.,]+(?:e[+-]?\d+)?\s*\S+\/\S+\s*$/i;
// Below a thousand bytes there are no parentheses: `512 bytes copied, 0.000137 s, 3.7 MB/s`.
const SHORT_SUMMARY =
  /^\s*(\d{1,3})\s+[^\d(]+?(\d+(?:[.,]\d+)?(?:e[+-]?\d+)?)\s*[^\d\s,;]+[,;]?\s+[\d.,]+(?:e[+-]?\d+)?\s*\S+\/\S+\s*$/i;
// `1024+0 records in`, `1024+0 Datensätze ein`: in, then out.
const RECORDS = /^\s*(\d+)\+(\d+)\s+\D+$/;

/** Reads what one dd wrote to its standard error. */
export function parseDd(text: string): Parsed<DdOutput> {
  const records: { whole: number; partial: number }[] = [];
  let summary: RegExpExecArray | null = null;
  for (const line of lines(text)) {
    const counted = RECORDS.exec(line);
    if (counted) records.push({ whole: Number(counted[1]), partial: Number(counted[2]) });
    // With status=progress there are several. The one of the whole run comes after the records, the others before.
    summary = counted ? null : (SUMMARY.exec(line) ?? SHORT_SUMMARY.exec(line) ?? summary);
  }
  if (records.length < 2) return { problem: 'dd printed no count of records: it did not come to its end' };
  if (!summary) return { problem: 'dd printed no summary' };
  const [bytes, seconds] = [Number(summary[1]), Number(summary[2]!.replace(',', '.'))];
  if (!(seconds > 0)) return { problem: 'dd measured no time' };
  const [recordsIn, recordsOut] = records.slice(-2) as [(typeof records)[0], (typeof records)[0]];
  return { value: { bytes, seconds, MBps: bytes / seconds / 1e6, recordsIn, recordsOut } };
}
