import { type Parsed, toolLines } from './parsed';

/** What `lst stat` showed of a group, over its samples. */
export interface LnetOutput {
  readonly group: string;
  /** MB/s of 10^6 bytes and of one node of the group: sent, received. */
  readonly sentMBps: number;
  readonly receivedMBps: number;
  /** How many samples it is the mean of. */
  readonly samples: number;
}

// [LNet Bandwidth of clients]
// [W] Avg: 16.60 MB/s Min: 16.10 MB/s Max: 17.1 MB/s
// [R] Avg: 40.49 MB/s Min: 40.30 MB/s Max: 40.68 MB/s
const HEAD = /\[LNet Bandwidth of ([^\]]+)\]/;
const LINE = /\[([RW])\]\s+Avg:\s+(\d+(?:\.\d+)?)\s+(Mi?B)\/s\s+Min:.*\s(?:Mi?B)\/s\s*$/;

/**
 * Reads `lst stat` of LNet's self-test, a value for each group.
 *
 * The format is from the Lustre Operations Manual, "Testing Lustre Network Performance (LNet Self-Test)", command
 * `stat`. There is no recording of a real one in the tests. What older versions call MB there are 2^20 bytes, as newer
 * ones say (MiB); only `--mbs` gives 10^6.
 */
export function parseLnet(text: string): Parsed<LnetOutput[]> {
  const sums = new Map<string, { R: number[]; W: number[] }>();
  let group: string | undefined;
  for (const line of toolLines(text)) {
    const head = HEAD.exec(line)?.[1];
    if (head) group = head.trim();
    // Rates in RPCs come under a head of their own.
    else if (/^\s*\[LNet /.test(line)) group = undefined;
    const found = LINE.exec(line);
    if (!found || group === undefined) continue;
    const samples = sums.get(group) ?? { R: [], W: [] };
    sums.set(group, samples);
    samples[found[1] as 'R' | 'W'].push((Number(found[2]) * 2 ** 20) / 1e6);
  }
  const groups = [...sums].filter(([, { R, W }]) => R.length > 0 && W.length > 0);
  if (groups.length === 0) return { problem: 'lst printed no bandwidth' };
  return {
    value: groups.map(([name, { R, W }]) => ({
      group: name,
      sentMBps: mean(W),
      receivedMBps: mean(R),
      samples: Math.min(R.length, W.length),
    })),
  };
}

function mean(values: number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
