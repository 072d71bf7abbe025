import { Duration } from 'aws-cdk-lib';
import * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct, IDependable } from 'constructs';
import { METRIC_NAMESPACE } from '../game-day/metric';
import { tellTopic } from '../private/alarm-topic';
import { firstDataBefore } from '../private/first-data';
import type { OperationsProps } from './operations';

/** What of a deployment is too old from when on. */
export interface AgeAlarmProps {
  readonly alarmDescription: string;
  /** In seconds, with the dimension `Deployment`. */
  readonly metricName: string;
  readonly hours: number;
  /** What has it measured once an hour, or more often. */
  readonly measured: IDependable;
}

/** An alarm that rings when the newest of something is too old, and when nobody has looked for three hours. */
export function alarmOfAge(
  scope: Construct,
  id: string,
  { deployment, alarmTopic }: OperationsProps,
  { alarmDescription, metricName, hours, measured }: AgeAlarmProps,
): void {
  const dimensions = { Deployment: deployment };
  const alarm = new cloudwatch.Alarm(scope, id, {
    alarmDescription,
    metric: new cloudwatch.Metric({
      namespace: METRIC_NAMESPACE,
      metricName,
      dimensionsMap: dimensions,
      statistic: 'Minimum',
      period: Duration.hours(1),
    }),
    threshold: hours * 3600,
    evaluationPeriods: 3,
    comparisonOperator: cloudwatch.ComparisonOperator.GREATER_THAN_THRESHOLD,
    treatMissingData: cloudwatch.TreatMissingData.BREACHING,
  });
  firstDataBefore(alarm, { metricName, dimensions }, measured);
  tellTopic([alarm], alarmTopic);
}
