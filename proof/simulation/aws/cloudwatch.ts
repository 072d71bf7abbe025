import type { Log } from '../../../lambda/shared/log';
import type { AlarmSpecification } from './deployment';

/** Metrics older than any alarm looks. */
const KEPT_MS = 2 * 3_600_000;

/** What a function wrote of its last round. */
export interface Round {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly fields: Readonly<Record<string, unknown>>;
}

/**
 * CloudWatch, as far as people hear of a tier by it: what functions log of their rounds, the metrics that are in their
 * logs (embedded metric format), and alarms of these. An alarm looks at whole periods (CloudWatch user guide, "Using
 * Amazon CloudWatch alarms").
 */
export class SimulatedCloudWatch {
  private readonly metrics = new Map<string, { readonly at: number; readonly value: number }[]>();
  private readonly last = new Map<string, Round>();

  constructor(private readonly now: () => number) {}

  /** The log of a function, which goes on to `beside`. */
  logOf(name: string, beside: Log): Log {
    return {
      info: (message, fields = {}) => {
        if (message === 'round') this.last.set(name, { at: this.now(), fields });
        beside.info(message, fields);
      },
      error: (message, fields) => beside.error(message, fields),
      metrics: (about, values) => {
        for (const [metric, value] of Object.entries(values)) this.publish(metric, value);
        beside.metrics(about, values);
      },
    };
  }

  /** The last round of a function; undefined when there was none. */
  roundOf(name: string): Round | undefined {
    return this.last.get(name);
  }

  /** Whether an alarm of the greatest value in each period rings. */
  rings({ metric, threshold, periods, periodSeconds, missingRings }: AlarmSpecification): boolean {
    const length = periodSeconds * 1000;
    const end = Math.floor(this.now() / length) * length;
    const breaches = (from: number): boolean => {
      const values = (this.metrics.get(metric) ?? []).filter(({ at }) => at >= from && at < from + length);
      return values.length === 0 ? missingRings : Math.max(...values.map(({ value }) => value)) >= threshold;
    };
    return Array.from({ length: periods }, (_, index) => end - (index + 1) * length).every(breaches);
  }

  private publish(metric: string, value: number): void {
    const at = this.now();
    const kept = (this.metrics.get(metric) ?? []).filter((each) => at - each.at < KEPT_MS);
    this.metrics.set(metric, [...kept, { at, value }]);
  }
}
