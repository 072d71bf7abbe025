import { type Parsed, toolLines } from './parsed';

/** The best of what the targets of a server did, MB/s of 10^6 bytes, all targets together. */
export interface ObdfilterOutput {
  readonly targets: number;
  readonly writeMBps?: number;
  readonly rewriteMBps?: number;
  readonly readMBps?: number;
  /** With how many objects and threads, a line each. */
  readonly lines: number;
}

// ost  3 sz 25165824K rsz 1024K obj   12 thr   48 write  568.41 [ 160.92, 216.89] rewrite  571.09 [ 181.92, 199.90]
// read 1203.70 [ 381.77, 412.80] ost  3 sz 25165824K rsz 1024K obj   12 thr   48 write  568.41           SHORT rewrite
// 571.09           SHORT read 1203.70           SHORT
const LINE = /^\s*ost\s+(\d+)\s+sz\s+\d+K\s+rsz\s+\d+K?\s+obj\s+\d+\s+thr\s+\d+\s+(.*)$/;
const TEST = /\b(write|rewrite|read)\s+(\d+(?:\.\d+)?)\s+(?:\[[^\]]*\]|SHORT)/g;

/**
 * Reads the summary of obdfilter-survey.
 *
 * The format is from the Lustre Operations Manual, "Testing OST Performance (obdfilter-survey)", and from what the
 * script prints. There is no recording of a real one in the tests. Its MB are 2^20 bytes. A test that failed has ERROR
 * or nothing for its numbers, and is left out.
 */
export function parseObdfilter(text: string): Parsed<ObdfilterOutput> {
  const best: { write?: number; rewrite?: number; read?: number } = {};
  let [targets, count] = [0, 0];
  for (const line of toolLines(text)) {
    const [, osts, tests] = LINE.exec(line) ?? [];
    if (tests === undefined) continue;
    count++;
    targets = Math.max(targets, Number(osts));
    for (const [, name, value] of tests.matchAll(TEST)) {
      const key = name as keyof typeof best;
      best[key] = Math.max(best[key] ?? 0, (Number(value) * 2 ** 20) / 1e6);
    }
  }
  if (Object.keys(best).length === 0) return { problem: 'obdfilter-survey printed no throughput' };
  return {
    value: {
      targets,
      writeMBps: best.write,
      rewriteMBps: best.rewrite,
      readMBps: best.read,
      lines: count,
    },
  };
}
