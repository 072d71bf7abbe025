import { CustomResource, Duration, Stack } from 'aws-cdk-lib';
import type * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch';
import * as iam from 'aws-cdk-lib/aws-iam';
import type * as lambda from 'aws-cdk-lib/aws-lambda';
import { Construct, type IDependable } from 'constructs';
import { METRIC_NAMESPACE } from '../game-day/metric';
import { acknowledge } from '../volume-reattachment/acknowledge';
import { bundledFunction } from './bundled-function';

const FUNCTION = 'CdkSasGridFirstData';

/** What an alarm watches, of the namespace of this library. */
export interface WatchedMetric {
  readonly metricName: string;
  readonly dimensions: { readonly [name: string]: string };
}

/**
 * An alarm that rings when nobody measures would ring until there is a first measurement, in every first deployment.
 * So its metric gets a first data point before it is made, and after what measures. The alarm rings all the same when
 * that never comes: a data point counts for the alarm's periods only.
 *
 * @param measured what has somebody measure again and again
 */
export function firstDataBefore(alarm: cloudwatch.Alarm, metric: WatchedMetric, measured: IDependable): void {
  const { scope, id } = alarm.node;
  const first = new CustomResource(scope!, `${id}FirstData`, {
    serviceToken: functionOf(alarm).functionArn,
    resourceType: 'Custom::SasGridFirstData',
    serviceTimeout: Duration.minutes(10),
    properties: { MetricName: metric.metricName, Dimensions: metric.dimensions },
  });
  first.node.addDependency(measured);
  alarm.node.addDependency(first);
}

/** One for each stack. */
function functionOf(alarm: Construct): lambda.Function {
  const stack = Stack.of(alarm);
  const found = stack.node.tryFindChild(FUNCTION) as FirstData | undefined;
  return (found ?? new FirstData(stack, FUNCTION)).function;
}

class FirstData extends Construct {
  readonly function: lambda.Function;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    this.function = bundledFunction(this, 'Function', 'first-data', undefined, {
      description: 'Gives metrics a first data point, before their alarms are made',
      timeout: Duration.minutes(4),
      memorySize: 256,
    });
    const add = (actions: string[], conditions?: iam.Conditions) =>
      this.function.addToRolePolicy(new iam.PolicyStatement({ actions, resources: ['*'], conditions }));
    add(['cloudwatch:PutMetricData'], { StringEquals: { 'cloudwatch:namespace': METRIC_NAMESPACE } });
    add(['cloudwatch:GetMetricStatistics']);
    acknowledge(
      this.function.role!,
      'AwsSolutions-IAM5[Resource::*]',
      'Metrics have no ARN; what is written is limited to the namespace of this library.',
    );
  }
}
