import { jsonObject } from './json-in-text';
import { amount, type Fields, isFields, type Parsed } from './parsed';

/** One direction of a job. */
export interface FioFlow {
  readonly bytes: number;
  readonly seconds: number;
  readonly MBps: number;
  readonly iops: number;
}

/** A job of fio, or a group of jobs where it reported them together. */
export interface FioJob {
  readonly name: string;
  readonly group: number;
  /** `write`, `read`, `rw`, ... as the job was given it. Undefined where fio does not say. */
  readonly rw?: string;
  readonly engine?: string;
  readonly read?: FioFlow;
  readonly write?: FioFlow;
}

export interface FioOutput {
  readonly version: string;
  readonly jobs: FioJob[];
  /** Jobs that ended with an error, a sentence each. Their numbers are not in `jobs`. */
  readonly failures: string[];
}

/** Reads `fio --output-format=json`, with or without warnings around it. */
export function parseFio(text: string): Parsed<FioOutput> {
  const found = jsonObject(text, 'jobs');
  const jobs = found?.jobs;
  if (!found || !Array.isArray(jobs)) {
    const error = /^(?:fio: .*|.*\berr(?:or)?=\s*\d+.*)$/im.exec(text)?.[0];
    return { problem: error ? error.trim().slice(0, 200) : 'fio printed no whole result' };
  }
  const version = String(found['fio version'] ?? '');
  const globals = isFields(found['global options']) ? found['global options'] : {};
  const failures: string[] = [];
  const read: FioJob[] = [];
  for (const job of jobs) {
    if (!isFields(job)) continue;
    const name = String(job.jobname ?? '');
    const error = amount(job.error) ?? 0;
    if (error > 0) failures.push(`fio's job ${name} ended with error ${error}`);
    else read.push(jobOf(job, name, globals, version));
  }
  if (read.length === 0 && failures.length > 0) return { problem: failures.join('; ') };
  return { value: { version, jobs: read, failures } };
}

function jobOf(job: Fields, name: string, globals: Fields, version: string): FioJob {
  const options: Fields = { ...globals, ...(isFields(job['job options']) ? job['job options'] : {}) };
  const option = (...names: string[]) =>
    names.map((one) => options[one]).find((value): value is string => typeof value === 'string');
  return {
    name,
    group: amount(job.groupid) ?? 0,
    rw: option('rw', 'readwrite'),
    engine: option('ioengine'),
    read: flow(job.read, version),
    write: flow(job.write, version),
  };
}

/** Undefined for a direction that the job did not have. */
function flow(value: unknown, version: string): FioFlow | undefined {
  if (!isFields(value)) return undefined;
  const [moved, runtime, iops] = [amount(value.io_bytes), amount(value.runtime), amount(value.iops)];
  if (moved === undefined || !runtime) return undefined;
  // fio 2 counts io_bytes in KiB, whatever the name; from 3 on they are bytes.
  const bytes = /^fio-2\./.test(version) ? moved * 1024 : moved;
  const seconds = runtime / 1000;
  return bytes > 0 || iops ? { bytes, seconds, MBps: bytes / seconds / 1e6, iops: iops ?? 0 } : undefined;
}
