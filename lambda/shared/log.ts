/** Where structured log lines and metrics go. */
export interface Log {
  info(message: string, fields?: Record<string, unknown>): void;
  error(message: string, fields?: Record<string, unknown>): void;
  /**
   * Metrics of one tier, or of what else the log is about, in CloudWatch's embedded metric format: a log line, not an
   * API call.
   */
  metrics(tier: string, values: Record<string, number>): void;
}

/** Namespace of all metrics. */
export const METRIC_NAMESPACE = 'CdkSasGrid';

const UNITS: readonly (readonly [string, string])[] = [
  ['Seconds', 'Seconds'],
  ['Percent', 'Percent'],
];

/** A metric has one unit: alarms of several do what nobody can say (CloudWatch API reference, PutMetricAlarm). */
export const unitOf = (name: string): string => UNITS.find(([end]) => name.endsWith(end))?.[1] ?? 'Count';

/**
 * A log that writes one JSON object a line.
 *
 * @param dimension what its metrics are about
 */
export function jsonLog(write: (line: string) => void, now: () => number, dimension = 'Tier'): Log {
  const line =
    (level: string) =>
    (message: string, fields: Record<string, unknown> = {}) =>
      write(JSON.stringify({ level, message, ...fields }));
  return {
    info: line('INFO'),
    error: line('ERROR'),
    metrics: (tier, values) =>
      write(
        JSON.stringify({
          _aws: {
            Timestamp: now(),
            CloudWatchMetrics: [
              {
                Namespace: METRIC_NAMESPACE,
                Dimensions: [[dimension]],
                Metrics: Object.keys(values).map((name) => ({ Name: name, Unit: unitOf(name) })),
              },
            ],
          },
          [dimension]: tier,
          ...values,
        }),
      ),
  };
}

/** The name and message of whatever was thrown. */
export function describeError(error: unknown): string {
  if (error instanceof Error) return `${error.name}: ${error.message}`;
  return String(error);
}

/** The name of whatever was thrown: for errors of the AWS SDK their code. */
export function errorName(error: unknown): string {
  return error instanceof Error ? error.name : '';
}
