import {
  type CloudWatchClient,
  GetMetricStatisticsCommand,
  PutMetricDataCommand,
  type StandardUnit,
} from '@aws-sdk/client-cloudwatch';
import type { Patience } from '../shared/client';
import { METRIC_NAMESPACE, unitOf } from '../shared/log';
import type { MetricsPort, WatchedMetric } from './handler';

export const PATIENCE = { attempts: 5, timeoutMs: 10_000 } as const satisfies Patience;

const DAY_SECONDS = 86_400;

/** Metrics of this library in CloudWatch. */
export class CloudWatchMetrics implements MetricsPort {
  constructor(
    private readonly client: CloudWatchClient,
    private readonly now: () => number,
  ) {}

  async hasData({ name, dimensions }: WatchedMetric): Promise<boolean> {
    const { Datapoints } = await this.client.send(
      new GetMetricStatisticsCommand({
        Namespace: METRIC_NAMESPACE,
        MetricName: name,
        Dimensions: dimensionsOf(dimensions),
        StartTime: new Date(this.now() - DAY_SECONDS * 1000),
        EndTime: new Date(this.now() + 60_000),
        Period: 3600,
        Statistics: ['SampleCount'],
      }),
    );
    return (Datapoints ?? []).length > 0;
  }

  async put({ name, dimensions }: WatchedMetric): Promise<void> {
    await this.client.send(
      new PutMetricDataCommand({
        Namespace: METRIC_NAMESPACE,
        MetricData: [
          {
            MetricName: name,
            Dimensions: dimensionsOf(dimensions),
            Value: 0,
            Unit: unitOf(name) as StandardUnit,
            Timestamp: new Date(this.now()),
          },
        ],
      }),
    );
  }
}

const dimensionsOf = (dimensions: WatchedMetric['dimensions']) =>
  Object.entries(dimensions).map(([Name, Value]) => ({ Name, Value }));
