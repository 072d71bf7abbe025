import { Annotations, Duration } from 'aws-cdk-lib';
import * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch';
import * as iam from 'aws-cdk-lib/aws-iam';
import type * as sns from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import { tellTopic } from '../private/alarm-topic';
import { SERVICE_LIMITS } from '../sizing';

// Both are the archive program's, too: constructs/host/bin/sas-grid-nfs-archive.
const NAMESPACE = 'CdkSasGrid';
const METRIC = 'ArchiveCompleted';

/** What the alarm watches over, and whom it tells. */
export interface ArchiveAlarmProps {
  /** Bucket and prefix, joined by a slash. */
  readonly archive: string;
  /** Hours between two copies. */
  readonly everyHours: number;
  readonly alarmTopic?: sns.ITopic;
}

/**
 * Rings when nothing was copied in the time of two copies: a failed run is told at once, but one that never starts
 * fails nothing. It rings until the first copy of a new server has ended, too. Not made when CloudWatch does not look
 * back that far; a warning says so.
 */
export function archiveAlarm(scope: Construct, { archive, everyHours, alarmTopic }: ArchiveAlarmProps): void {
  const hours = 2 * everyHours;
  const furthest = SERVICE_LIMITS.alarmHours.value;
  if (hours > furthest) {
    Annotations.of(scope).addWarningV2(
      'cdk-sas-grid:archiveAlarm',
      `no alarm will tell when the archive is not written any more: archive.every is ${everyHours} hours, and ` +
        `CloudWatch looks back no further than ${furthest}. Archive at least every ${furthest / 2} hours, or look ` +
        "at the association's last run in Systems Manager.",
    );
    return;
  }
  const alarm = new cloudwatch.Alarm(scope, 'NotWritten', {
    alarmDescription:
      `Nothing was copied to ${archive} for ${hours} hours: see the last run of the association in ` +
      'Systems Manager',
    metric: new cloudwatch.Metric({
      namespace: NAMESPACE,
      metricName: METRIC,
      dimensionsMap: { Archive: archive },
      statistic: 'Sum',
      period: Duration.hours(1),
    }),
    threshold: 1,
    evaluationPeriods: hours,
    comparisonOperator: cloudwatch.ComparisonOperator.LESS_THAN_THRESHOLD,
    treatMissingData: cloudwatch.TreatMissingData.BREACHING,
  });
  tellTopic([alarm], alarmTopic);
}

/** The right to tell CloudWatch of a copy. Metrics have no ARN; the condition limits it to the library's namespace. */
export function allowArchiveMetric(): iam.PolicyStatement {
  return new iam.PolicyStatement({
    actions: ['cloudwatch:PutMetricData'],
    resources: ['*'],
    conditions: { StringEquals: { 'cloudwatch:namespace': NAMESPACE } },
  });
}
