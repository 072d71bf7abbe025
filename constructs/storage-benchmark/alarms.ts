import { Duration } from 'aws-cdk-lib';
import * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch';
import type { IStateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import type { Construct } from 'constructs';
import { verdictMetric } from './dashboard';

/** The benchmark that the alarms watch. */
interface WatchedBenchmark extends Construct {
  readonly benchmarkName: string;
  readonly dashboardUrl: string;
  readonly stateMachine: IStateMachine;
}

/** Alarms for a run that did not pass, that could not be done, or that hung. */
export function benchmarkAlarms(benchmark: WatchedBenchmark): cloudwatch.Alarm[] {
  const { benchmarkName, dashboardUrl } = benchmark;
  return [
    verdictMetric(benchmarkName)
      .with({ period: Duration.minutes(5) })
      .createAlarm(benchmark, 'NotPassed', {
        alarmDescription:
          `The last run of the benchmark ${benchmarkName} did not pass. ` +
          `Its report says why: ${dashboardUrl}`,
        threshold: 1,
        comparisonOperator: cloudwatch.ComparisonOperator.LESS_THAN_THRESHOLD,
        evaluationPeriods: 1,
        // Until the next run says otherwise.
        treatMissingData: cloudwatch.TreatMissingData.IGNORE,
      }),
    // A run that is not begun, or not judged, has no verdict.
    executionAlarm(
      benchmark,
      'NotDone',
      'ExecutionsFailed',
      `A run of the benchmark ${benchmarkName} did not pass, or could not be done. Look at the execution: its error ` +
        'says which, and why.',
    ),
    executionAlarm(
      benchmark,
      'Hangs',
      'ExecutionsTimedOut',
      `A run of the benchmark ${benchmarkName} hung, and did not clean up. Look at the execution, and for ` +
        '.sas-grid-benchmark on the file systems.',
    ),
  ];
}

function executionAlarm(
  benchmark: WatchedBenchmark,
  id: string,
  metricName: string,
  alarmDescription: string,
): cloudwatch.Alarm {
  const metric = new cloudwatch.Metric({
    namespace: 'AWS/States',
    metricName,
    dimensionsMap: { StateMachineArn: benchmark.stateMachine.stateMachineArn },
    statistic: cloudwatch.Stats.SUM,
    period: Duration.minutes(5),
  });
  return metric.createAlarm(benchmark, id, {
    alarmDescription,
    threshold: 1,
    comparisonOperator: cloudwatch.ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
    evaluationPeriods: 1,
    treatMissingData: cloudwatch.TreatMissingData.NOT_BREACHING,
  });
}
