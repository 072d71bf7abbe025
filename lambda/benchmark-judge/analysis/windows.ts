/** From when to when something moved bytes, in seconds by the clock of its host. */
export interface Window {
  readonly startedAt: number;
  readonly endedAt: number;
  readonly bytes: number;
}

/** Rates of several hosts, or of parts of one host's work, together. MB/s of 10^6 bytes. */
export interface Rates {
  readonly MBps: number;
  /** At most: the sum of what each did while it ran. More than `MBps` where they did not run at the same time. */
  readonly atMostMBps: number;
  readonly perHost: Record<string, number>;
  readonly seconds: number;
  /** How much of the longest host's time all hosts ran in; 1 for a single host. */
  readonly overlap: number;
}

/**
 * All bytes over the time in which any host was busy. With hosts that run together that is from the earliest start to
 * the latest end.
 *
 * The time between them counts only where someone was busy, so that a clock that is wrong by an hour does not make an
 * hour of it: hosts that ran together, by clocks that disagree, then come out as if they had run one after the other.
 * That is never more than they really did, and `atMostMBps` never less. What cannot be seen are hosts that ran apart
 * and whose clocks are wrong by just that: a host begins by its own clock.
 */
export function ratesOf(hosts: Readonly<Record<string, readonly Window[]>>): Rates | undefined {
  const perHost: Record<string, number> = {};
  const spans: Window[] = [];
  for (const [host, windows] of Object.entries(hosts)) {
    if (windows.length === 0) continue;
    perHost[host] = bytesOf(windows) / busySeconds(windows) / 1e6;
    spans.push({
      startedAt: Math.min(...windows.map((one) => one.startedAt)),
      endedAt: Math.max(...windows.map((one) => one.endedAt)),
      bytes: bytesOf(windows),
    });
  }
  const all = Object.values(hosts).flat();
  const seconds = busySeconds(all);
  if (!(seconds > 0) || !Object.values(perHost).every(Number.isFinite)) return undefined;
  const common =
    Math.min(...spans.map((one) => one.endedAt)) - Math.max(...spans.map((one) => one.startedAt));
  const longest = Math.max(...spans.map((one) => one.endedAt - one.startedAt));
  const MBps = bytesOf(all) / seconds / 1e6;
  return {
    MBps,
    atMostMBps: Math.max(
      MBps,
      Object.values(perHost).reduce((sum, rate) => sum + rate, 0),
    ),
    perHost,
    seconds,
    overlap: spans.length === 1 ? 1 : Math.max(0, common) / longest,
  };
}

function bytesOf(windows: readonly Window[]): number {
  return windows.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** How long at least one of them ran. */
export function busySeconds(windows: readonly Window[]): number {
  let [seconds, until] = [0, Number.NEGATIVE_INFINITY];
  for (const { startedAt, endedAt } of [...windows].sort((a, b) => a.startedAt - b.startedAt)) {
    if (endedAt > until) {
      seconds += endedAt - Math.max(startedAt, until);
      until = endedAt;
    }
  }
  return seconds;
}
