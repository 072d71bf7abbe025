import { Stack } from 'aws-cdk-lib';
import * as iam from 'aws-cdk-lib/aws-iam';
import * as scheduler from 'aws-cdk-lib/aws-scheduler';
import type * as sfn from 'aws-cdk-lib/aws-stepfunctions';
import type { Construct } from 'constructs';

/** Starts an operation by EventBridge Scheduler, which knows time zones and their summers. */
export function scheduleOperation(
  scope: Construct,
  operation: string,
  { stateMachineArn }: sfn.IStateMachine,
  expression: string,
  timeZone: string,
): void {
  const role = new iam.Role(scope, `${operation}ScheduleRole`, {
    assumedBy: new iam.ServicePrincipal('scheduler.amazonaws.com', {
      conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(scope).account } },
    }),
  });
  role.addToPolicy(
    new iam.PolicyStatement({ actions: ['states:StartExecution'], resources: [stateMachineArn] }),
  );
  new scheduler.CfnSchedule(scope, `${operation}Schedule`, {
    description: `${operation} by the configuration`,
    scheduleExpression: expression,
    scheduleExpressionTimezone: timeZone,
    flexibleTimeWindow: { mode: 'OFF' },
    target: {
      arn: stateMachineArn,
      roleArn: role.roleArn,
      input: JSON.stringify({ cause: 'schedule' }),
      retryPolicy: { maximumRetryAttempts: 3, maximumEventAgeInSeconds: 900 },
    },
  });
}
