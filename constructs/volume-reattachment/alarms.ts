import { Duration } from 'aws-cdk-lib';
import * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch';
import type * as lambda from 'aws-cdk-lib/aws-lambda';
import type * as sns from 'aws-cdk-lib/aws-sns';
import type * as sqs from 'aws-cdk-lib/aws-sqs';
import type * as sfn from 'aws-cdk-lib/aws-stepfunctions';
import { Construct } from 'constructs';
import { tellTopic } from '../private/alarm-topic';

/** Rings also when nobody asks servers whether they serve. */
export const UNPROBED = { alarm: 'ServerUnprobed', metric: 'UnprobedServers' } as const;

/** What the alarms watch. */
export interface TierAlarmsProps {
  readonly tier: string;
  readonly tierTag: string;
  readonly workflow: sfn.StateMachine;
  readonly deadLetterQueue: sqs.Queue;
  readonly reconciler: lambda.Function;
  readonly schedule: Duration;
  /** How many spares there are to be. */
  readonly spares: number;
  /** What else a server may be, outside of the placement group. */
  readonly fallbackTypes: readonly string[];
  /** The type of the tier. */
  readonly serverType: string;
  /** How often servers are asked whether they serve; undefined when nobody asks. */
  readonly probeInterval?: Duration;
  readonly alarmTopic?: sns.ITopic;
}

/** The alarms of a tier. Each one means that a person is needed. */
export class TierAlarms extends Construct {
  /** Those that ring also when nobody measures: before anybody does, they would. */
  readonly ofMissingData: cloudwatch.Alarm[];

  constructor(scope: Construct, id: string, props: TierAlarmsProps) {
    super(scope, id);
    // At least one pass falls into each period, or the reconciler is dead.
    const passes = Duration.minutes(Math.max(5, props.schedule.toMinutes()));
    const { tierTag, probeInterval } = props;
    const of = `Tier ${props.tier}`;
    const alarms = [
      unserved(this, of, tierTag, passes),
      ...failingFunctions(this, of, props),
      ...attachments(this, of, tierTag, passes),
      ...keptLaunches(this, of, tierTag, passes),
      ...(probeInterval ? services(this, of, tierTag, probeInterval) : []),
    ];
    if (props.fallbackTypes.length > 0) alarms.push(fallbackServer(this, of, props, passes));
    if (props.spares > 0) alarms.push(spareMissing(this, props, passes));
    tellTopic(alarms, props.alarmTopic);
    this.ofMissingData = alarms.filter(
      ({ node }) =>
        (node.defaultChild as cloudwatch.CfnAlarm).treatMissingData === cloudwatch.TreatMissingData.BREACHING,
    );
  }
}

/** The one that rings for whatever else nobody thought of. */
function unserved(scope: Construct, of: string, tierTag: string, passes: Duration): cloudwatch.Alarm {
  return tierMetric('UnservedSlots', tierTag, passes).createAlarm(scope, 'Unserved', {
    alarmDescription:
      `${of}: a slot has not been served for ${3 * passes.toMinutes()} minutes, or nobody looked. ` +
      "See the volume map's rows.",
    threshold: 1,
    evaluationPeriods: 3,
    comparisonOperator: cloudwatch.ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
    treatMissingData: cloudwatch.TreatMissingData.BREACHING,
  });
}

/** The workflow, the events that start it, and the function that it calls. */
function failingFunctions(
  scope: Construct,
  of: string,
  { workflow, deadLetterQueue, reconciler }: TierAlarmsProps,
): cloudwatch.Alarm[] {
  const period = Duration.minutes(5);
  return [
    alarmAbove(
      workflow.metricFailed({ period }),
      scope,
      'WorkflowFailed',
      `${of}: a repair did not end in time. The execution's last pass says which slot and why.`,
    ),
    alarmAbove(
      workflow.metricTimedOut({ period }),
      scope,
      'WorkflowTimedOut',
      `${of}: an execution of the workflow hung.`,
    ),
    alarmAbove(
      deadLetterQueue.metricApproximateNumberOfMessagesVisible({ period, statistic: 'Maximum' }),
      scope,
      'DeadLetters',
      `${of}: an event could not start the workflow. The schedule catches up, but find out why.`,
    ),
    alarmAbove(
      reconciler.metricErrors({ period }),
      scope,
      'ReconcilerErrors',
      `${of}: the reconciler keeps failing. See its log.`,
      3,
    ),
  ];
}

/** What servers that serve may lose again. */
function attachments(scope: Construct, of: string, tierTag: string, period: Duration): cloudwatch.Alarm[] {
  return [
    alarmAbove(
      tierMetric('UnstableSlots', tierTag, period),
      scope,
      'SlotUnstable',
      `${of}: servers of a slot serve it and fail again, one after the other: four times within three hours. ` +
        "The row's attribute servings has the times.",
    ),
    alarmAbove(
      tierMetric('AttachmentsNotKept', tierTag, period).with({ statistic: 'Maximum' }),
      scope,
      'AttachmentNotKept',
      `${of}: somebody had volumes or the address of a slot deleted with the server that has them ` +
        '(DeleteOnTermination). The reconciler takes it back; find out who, before a server ends first.',
    ),
  ];
}

function fallbackServer(
  scope: Construct,
  of: string,
  { tierTag, serverType, fallbackTypes }: TierAlarmsProps,
  period: Duration,
): cloudwatch.Alarm {
  return alarmAbove(
    tierMetric('FallbackServers', tierTag, period).with({ statistic: 'Maximum' }),
    scope,
    'FallbackServer',
    `${of}: EC2 had no capacity for a server of the tier's type (${serverType}) in the placement group, and one of ` +
      `another type (${fallbackTypes.join(', ')}) serves outside of it. Nothing is down; it may be slower. The row ` +
      'of its slot says which it is. Terminate it when there is capacity again.',
  );
}

/** A recovery takes the spare, and a launch brings the next one: a person is needed only when that takes long. */
function spareMissing(
  scope: Construct,
  { tier, tierTag, spares }: TierAlarmsProps,
  period: Duration,
): cloudwatch.Alarm {
  const there = tierMetric('SpareServers', tierTag, period).with({ statistic: 'Maximum' });
  return there.createAlarm(scope, 'SpareMissing', {
    alarmDescription:
      `Tier ${tier}: a spare has been missing for an hour, so that the next recovery waits for a launch. See the ` +
      "group's activities.",
    threshold: spares,
    evaluationPeriods: Math.ceil(60 / period.toMinutes()),
    comparisonOperator: cloudwatch.ComparisonOperator.LESS_THAN_THRESHOLD,
    treatMissingData: cloudwatch.TreatMissingData.NOT_BREACHING,
  });
}

/** Launches that are kept for inspection. There is an alarm for each cause, so that it says why. */
function keptLaunches(scope: Construct, of: string, tierTag: string, period: Duration): cloudwatch.Alarm[] {
  const kept = `${of}: three launches in a row did not serve, and the last one is kept for inspection`;
  return [
    alarmAbove(
      tierMetric('UnreachableLaunchesKept', tierTag, period),
      scope,
      'UnreachableLaunchKept',
      `${kept}: Systems Manager never reached it. The image lacks the agent or does not start, or there is no ` +
        'route to Systems Manager.',
    ),
    alarmAbove(
      tierMetric('FailingLaunchesKept', tierTag, period),
      scope,
      'FailingLaunchKept',
      `${kept}: it is reached and does not get to serve. The reason in its slot's row has its own words.`,
    ),
    alarmAbove(
      tierMetric('EndedLaunches', tierTag, period),
      scope,
      'LaunchEnded',
      `${of}: four launches in a row or more ended without serving, also the one that was to be kept for ` +
        'inspection: by itself or by hand. The image stops, or a key or quota ends it: see the console output and ' +
        'the state reasons of ended instances.',
    ),
  ];
}

/** What the health probes see. */
function services(scope: Construct, of: string, tierTag: string, interval: Duration): cloudwatch.Alarm[] {
  const period = Duration.minutes(Math.max(5, interval.toMinutes()));
  return [
    alarmAbove(
      tierMetric('ServersDeclaredUnhealthy', tierTag, period).with({ statistic: 'Maximum' }),
      scope,
      'ServerDeclaredUnhealthy',
      `${of}: a server said that it does not serve, and is being replaced for it. The log of the prober has its words.`,
    ),
    alarmAbove(
      tierMetric('MissingServices', tierTag, period),
      scope,
      'ServiceMissing',
      `${of}: a server has said for ${3 * period.toMinutes()} minutes that it does not serve, and was not ` +
        'replaced. The log of the prober says why.',
      3,
    ),
    alarmAbove(
      tierMetric(UNPROBED.metric, tierTag, period),
      scope,
      UNPROBED.alarm,
      `${of}: a server could not be asked for ${3 * period.toMinutes()} minutes whether it serves, or nobody ` +
        'asked. A hanging service would not be seen.',
      3,
      cloudwatch.TreatMissingData.BREACHING,
    ),
  ];
}

/** A metric of the tier's functions, at its lowest in each period: what lasts a moment only needs nobody. */
function tierMetric(metricName: string, tierTag: string, period: Duration): cloudwatch.Metric {
  return new cloudwatch.Metric({
    namespace: 'CdkSasGrid',
    metricName,
    dimensionsMap: { Tier: tierTag },
    statistic: 'Minimum',
    period,
  });
}

function alarmAbove(
  metric: cloudwatch.IMetric,
  scope: Construct,
  id: string,
  alarmDescription: string,
  evaluationPeriods = 1,
  treatMissingData = cloudwatch.TreatMissingData.NOT_BREACHING,
): cloudwatch.Alarm {
  return new cloudwatch.Alarm(scope, id, {
    metric,
    alarmDescription,
    threshold: 1,
    evaluationPeriods,
    comparisonOperator: cloudwatch.ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
    treatMissingData,
  });
}
