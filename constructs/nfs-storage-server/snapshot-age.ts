import { Duration, Validations } from 'aws-cdk-lib';
import * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch';
import * as events from 'aws-cdk-lib/aws-events';
import * as targets from 'aws-cdk-lib/aws-events-targets';
import * as iam from 'aws-cdk-lib/aws-iam';
import type * as kms from 'aws-cdk-lib/aws-kms';
import type * as sns from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { METRIC_NAMESPACE } from '../game-day/metric';
import { tellTopic } from '../private/alarm-topic';
import { bundledFunction } from '../private/bundled-function';
import { firstDataBefore } from '../private/first-data';

/** Whose snapshots are watched. */
export interface SnapshotAgeProps {
  readonly tierTag: string;
  readonly volumeIds: string[];
  /** The tag of the snapshots; its value is that of `tierTag`. */
  readonly snapshotTag: string;
  /** Hours between two sets of snapshots. */
  readonly everyHours: number;
  /** Encrypts the function's log. */
  readonly key: kms.IKey;
  readonly alarmTopic?: sns.ITopic;
}

/**
 * Measures each hour how old the newest complete set of snapshots is, and rings when two in a row are missing. A policy
 * in ERROR, a role that was changed, a key that may not be used and a quota end snapshots without a word.
 */
export class SnapshotAge extends Construct {
  constructor(scope: Construct, id: string, props: SnapshotAgeProps) {
    super(scope, id);
    const measures = bundledFunction(this, 'Function', 'snapshot-age', props.key, {
      description: `Measures how old the newest snapshots of ${scope.node.path} are`,
      timeout: Duration.minutes(4),
      memorySize: 256,
      environment: {
        TIER_TAG: props.tierTag,
        VOLUMES: props.volumeIds.join(','),
        SNAPSHOT_TAG_KEY: props.snapshotTag,
      },
    });
    measures.addToRolePolicy(
      new iam.PolicyStatement({
        sid: 'Look',
        actions: ['ec2:DescribeSnapshots', 'ec2:DescribeVolumes'],
        resources: ['*'],
      }),
    );
    Validations.of(measures.role!).acknowledge({
      id: 'AwsSolutions-IAM5[Resource::*]',
      reason: 'Describe actions of EC2 know no resources (AWS Service Authorization Reference).',
    });
    const hourly = new events.Rule(this, 'Interval', {
      description: `Age of the snapshots of ${scope.node.path}`,
      schedule: events.Schedule.rate(Duration.hours(1)),
      targets: [new targets.LambdaFunction(measures, { maxEventAge: Duration.hours(1) })],
    });
    const hours = 2 * props.everyHours + 1;
    const alarm = new cloudwatch.Alarm(this, 'SnapshotsMissing', {
      alarmDescription:
        `The newest complete set of snapshots of the NFS server is older than ${hours} hours, or nobody has ` +
        "looked for 3: see the policy's state in Data Lifecycle Manager, its role, the key " +
        'and the quota of snapshots',
      metric: new cloudwatch.Metric({
        namespace: METRIC_NAMESPACE,
        metricName: 'SnapshotAgeSeconds',
        dimensionsMap: { Tier: props.tierTag },
        statistic: 'Minimum',
        period: Duration.hours(1),
      }),
      threshold: hours * 3600,
      evaluationPeriods: 3,
      comparisonOperator: cloudwatch.ComparisonOperator.GREATER_THAN_THRESHOLD,
      treatMissingData: cloudwatch.TreatMissingData.BREACHING,
    });
    const dimensions = { Tier: props.tierTag };
    firstDataBefore(alarm, { metricName: 'SnapshotAgeSeconds', dimensions }, hourly);
    tellTopic([alarm], props.alarmTopic);
  }
}
