import type { HostOutcome, MeasuredPath, TestName } from './plan';
import type { BenchmarkResult, LimitKind } from './result';

/** What people read for the words of the code, and how numbers are written: in reports, mails and dashboards. */

const TESTS: Record<TestName, string> = {
  'sas-io': 'SAS-style I/O',
  iozone: 'IOZone',
  fio: 'fio',
  'mixed-sas': 'Mixed SAS-like workload',
  network: 'Network',
  'raw-device': 'Raw devices',
  'lustre-server': 'Lustre servers',
};

const USES: Record<MeasuredPath['use'], string> = {
  temporary: 'temporary space',
  shared: 'shared space',
  io2: 'io2 volumes',
};

const LIMITS: Record<LimitKind, string> = {
  device: 'Disks or volumes',
  'instance-ebs': 'EBS bandwidth of the instances',
  'server-network': 'Network of the servers',
  'server-count': 'Number of servers',
  'client-network': 'Network of the measuring hosts',
  'client-cpu': 'Processors of the measuring hosts',
  provisioned: 'Bought throughput',
  cache: 'Memory answered',
  unknown: 'Not known',
};

const STATUSES: Record<HostOutcome['status'], string> = {
  done: 'done',
  refused: 'refused',
  failed: 'failed',
  'timed-out': 'not in time',
  lost: 'lost',
};

const PHASES: Record<string, string> = {
  'write-random-data': 'write, random data',
  'read-random-data': 'read, random data',
  'mixed-read': 'read while writing',
  'mixed-write': 'write while reading',
  tcp: 'TCP',
};

/** A result may come from another version of the package: a word that is not known here stands for itself. */
const word = <K extends string>(words: Record<K, string>, key: K): string =>
  Object.hasOwn(words, key) ? words[key] : key;

export const testWords = (test: TestName): string => word(TESTS, test);
export const useWords = (use: MeasuredPath['use']): string => word(USES, use);
export const limitWords = (kind: LimitKind): string => word(LIMITS, kind);
export const statusWords = (status: HostOutcome['status']): string => word(STATUSES, status);
export const phaseWords = (phase: string): string => word(PHASES, phase).replace(/-/g, ' ');
export const verdictWords = (verdict: BenchmarkResult['verdict']): string => verdict;

// Made once: each costs more than a hundred uses of it.
const fixed = (digits: number) =>
  new Intl.NumberFormat('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
const [WHOLE, TENTHS, HUNDREDTHS, THOUSANDTHS] = [fixed(0), fixed(1), fixed(2), fixed(3)];
const AS_IT_IS = new Intl.NumberFormat('en-US', { maximumFractionDigits: 2 });

/** `1,403`, `76.4`, `0.35`: three digits that mean something, and all before the point. */
export function numberText(value: number): string {
  if (!Number.isFinite(value)) return 'not known';
  const size = Math.abs(value);
  return (size >= 99.95 ? WHOLE : size >= 9.995 ? TENTHS : HUNDREDTHS).format(value);
}

/** What was asked for, as it was asked: `50`, not `50.0`. Also for counts and scales. */
export const plainText = (value: number): string => AS_IT_IS.format(value);

/** `1,403 MB/s`. */
export const rateText = (MBps: number): string => `${numberText(MBps)} MB/s`;

/** `+12 %`; a change of a part. */
export function changeText(change: number): string {
  const percent = Math.round(change * 100);
  return `${percent > 0 ? '+' : percent < 0 ? '\u2212' : '±'}${Math.abs(percent)} %`;
}

/** `42 s`, `12 min 5 s`, `3 h 20 min`. */
export function durationText(seconds: number): string {
  if (!Number.isFinite(seconds) || seconds < 0) return 'not known';
  const whole = Math.round(seconds);
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60)];
  if (hours > 0) return minutes > 0 ? `${hours} h ${minutes} min` : `${hours} h`;
  if (minutes > 0) return whole % 60 > 0 ? `${minutes} min ${whole % 60} s` : `${minutes} min`;
  return `${whole} s`;
}

/** `2026-11-22 10:15 UTC`. */
export function timeText(iso: string): string {
  const time = Date.parse(iso);
  if (Number.isNaN(time)) return iso;
  return `${new Date(time).toISOString().replace('T', ' ').slice(0, 16)} UTC`;
}

/** `1.44 TB`: powers of ten, as in MB/s. */
export function bytesText(bytes: number): string {
  const units = ['bytes', 'kB', 'MB', 'GB', 'TB', 'PB'];
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${unit === 0 ? value : numberText(value)} ${units[unit]}`;
}

/** `$1.40`; below a dime to a tenth of a cent, since runs cost little. */
export function dollarText(dollars: number): string {
  if (dollars > 0 && dollars < 0.0005) return 'less than $0.001';
  return `$${(dollars < 0.1 ? THOUSANDTHS : HUNDREDTHS).format(dollars)}`;
}

/** How the history names a figure. */
export const figureKey = (figure: { test: string; directory?: string; phase: string }): string =>
  `${figure.test}|${figure.directory ?? ''}|${figure.phase}`;

/** A figure by its key in the history. A directory may have the separator in its name. */
export function figureOfKey(key: string): { test: TestName; directory: string; phase: string } {
  const parts = key.split('|');
  const [test, phase] = [parts[0] as TestName, parts.at(-1) ?? ''];
  return { test, directory: parts.slice(1, -1).join('|'), phase };
}

/** `/saswork, write (SAS-style I/O)`. */
export function figureWords(figure: { test: TestName; directory?: string; phase: string }): string {
  const phase = phaseWords(figure.phase);
  if (figure.directory === undefined || figure.directory === '') return `${testWords(figure.test)}, ${phase}`;
  return `${figure.directory}, ${phase} (${testWords(figure.test)})`;
}
