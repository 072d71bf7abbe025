import { jsonObject } from './json-in-text';
import { amount, type Fields, isFields, type Parsed } from './parsed';

export interface Iperf3Output {
  /** What the other side received, MB/s of 10^6 bytes. */
  readonly MBps: number;
  readonly seconds: number;
  readonly bytes: number;
  readonly streams: number;
  readonly retransmits?: number;
  /** Processors of this host and of the other one, percent. */
  readonly localCpuPercent?: number;
  readonly remoteCpuPercent?: number;
  readonly version?: string;
}

/** Reads `iperf3 --json` of a client. With `error` in it there is no value, even where it has counted before. */
export function parseIperf3(text: string): Parsed<Iperf3Output> {
  const found = jsonObject(text, 'end');
  // Older versions print it after the JSON.
  const error = found?.error ?? jsonObject(text, 'error')?.error ?? /^iperf3: error - (.+)$/m.exec(text)?.[1];
  if (typeof error === 'string') return { problem: `iperf3: ${error.trim().slice(0, 200)}` };
  if (!found) return { problem: 'iperf3 printed no whole result' };
  const [start, end] = [fields(found.start), fields(found.end)];
  const received = fields(end.sum_received);
  const [bits, seconds, bytes] = ['bits_per_second', 'seconds', 'bytes'].map((name) =>
    amount(received[name]),
  );
  if (!bits || !seconds || bytes === undefined) return { problem: 'iperf3 received nothing' };
  const cpu = fields(end.cpu_utilization_percent);
  const streams = amount(fields(start.test_start).num_streams);
  return {
    value: {
      MBps: bits / 8e6,
      seconds,
      bytes,
      streams: streams ?? (Array.isArray(end.streams) ? end.streams.length : 1),
      retransmits: amount(fields(end.sum_sent).retransmits),
      localCpuPercent: amount(cpu.host_total),
      remoteCpuPercent: amount(cpu.remote_total),
      version: typeof start.version === 'string' ? start.version : undefined,
    },
  };
}

function fields(value: unknown): Fields {
  return isFields(value) ? value : {};
}
