import { Aws, Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch';
import type * as dynamodb from 'aws-cdk-lib/aws-dynamodb';
import * as iam from 'aws-cdk-lib/aws-iam';
import type * as lambda from 'aws-cdk-lib/aws-lambda';
import * as logs from 'aws-cdk-lib/aws-logs';
import type * as sns from 'aws-cdk-lib/aws-sns';
import * as sfn from 'aws-cdk-lib/aws-stepfunctions';
import * as tasks from 'aws-cdk-lib/aws-stepfunctions-tasks';
import { Construct } from 'constructs';
import { tellTopic } from '../private/alarm-topic';
import { nagText } from '../private/nag-text';
import { acknowledge } from '../volume-reattachment/acknowledge';

/** An operation of a deployment. */
export interface OperationWorkflowProps {
  /** `stop`, for example: the verb of the command. */
  readonly operation: string;
  readonly deployment: string;
  /** Takes one step at each call: the handler is given `takeStep` of lambda/shared/operation/step.ts. */
  readonly steps: lambda.Function;
  /** The deployment's table, with its lock. */
  readonly table: dynamodb.ITable;
  /** How long it may take; the function ends it in time itself. */
  readonly deadline: Duration;
  readonly alarmTopic?: sns.ITopic;
}

/**
 * A workflow that calls a function again and again until that says that it is done, refused or failed. Whoever stops
 * the execution leaves things as they are then; the next execution looks, and goes on.
 */
export class OperationWorkflow extends Construct {
  readonly stateMachine: sfn.StateMachine;

  constructor(scope: Construct, id: string, props: OperationWorkflowProps) {
    super(scope, id);
    const { operation, deployment } = props;
    this.stateMachine = new sfn.StateMachine(this, 'StateMachine', {
      // Names that CloudFormation gives do not begin with that of the stack: the right on executions rests on this one.
      stateMachineName: `${Aws.STACK_NAME}-${operation}`,
      comment: `${operation} of the deployment ${deployment}`,
      definitionBody: sfn.DefinitionBody.fromChainable(this.definition(props)),
      timeout: props.deadline.plus(Duration.hours(1)),
      tracingEnabled: true,
      logs: {
        destination: new logs.LogGroup(this, 'Logs', {
          // Step Functions writes every other name into the account's one policy for log delivery (Step Functions
          // Developer Guide, "Avoiding Amazon CloudWatch Logs resource policy size restrictions").
          logGroupName: `/aws/vendedlogs/states/${Aws.STACK_NAME}-${operation}`,
          retention: logs.RetentionDays.ONE_YEAR,
          removalPolicy: RemovalPolicy.DESTROY,
        }),
        level: sfn.LogLevel.ALL,
        includeExecutionData: true,
      },
    });
    this.allowLock(props);
    this.addAlarm(props);
    acknowledge(
      this.stateMachine,
      'AwsSolutions-IAM5[Resource::*]',
      'Log delivery of Step Functions and X-Ray know no resources (Step Functions Developer Guide, "Logging" ' +
        'and "X-Ray").',
    );
    const logicalId = Stack.of(this).getLogicalId(props.steps.node.defaultChild as lambda.CfnFunction);
    acknowledge(
      this.stateMachine,
      `AwsSolutions-IAM5[Resource::<${logicalId}.Arn>:*]`,
      'Any version of this one function.',
    );
  }

  private definition({ operation, steps }: OperationWorkflowProps): sfn.IChainable {
    const step = new tasks.LambdaInvoke(this, 'Step', {
      lambdaFunction: steps,
      payload: sfn.TaskInput.fromObject({
        operation,
        execution: sfn.JsonPath.stringAt('$$.Execution.Id'),
        startedAt: sfn.JsonPath.stringAt('$$.Execution.StartTime'),
        input: sfn.JsonPath.objectAt('$$.Execution.Input'),
      }),
      payloadResponseOnly: true,
      resultPath: '$',
      retryOnServiceExceptions: false,
    });
    // For a quarter of an hour: what a step did stays done.
    step.addRetry({
      errors: [sfn.Errors.ALL],
      interval: Duration.seconds(2),
      maxAttempts: 8,
      backoffRate: 2,
      maxDelay: Duration.minutes(3),
      jitterStrategy: sfn.JitterType.FULL,
    });
    const wait = new sfn.Wait(this, 'Wait', { time: sfn.WaitTime.secondsPath('$.waitSeconds') });
    const outcome = (name: string) => sfn.Condition.stringEquals('$.outcome', name);
    const fail = (name: string, error: string) => new sfn.Fail(this, name, { error, causePath: '$.message' });
    step.next(
      new sfn.Choice(this, 'Over?')
        .when(outcome('again'), wait.next(step))
        .when(outcome('done'), new sfn.Succeed(this, 'Done'))
        .when(outcome('refused'), fail('Refused', 'Refused'))
        .otherwise(fail('Failed', 'Failed')),
    );
    return step;
  }

  /** Its own items, and whether the execution that has the lock still runs. */
  private allowLock({ operation, steps, table }: OperationWorkflowProps): void {
    const own = 'dynamodb:GetItem';
    table.grant(steps, own, 'dynamodb:UpdateItem', 'dynamodb:DeleteItem');
    const { partition, region, account } = Stack.of(this);
    // By name, since the workflow waits for the function's role; another operation of the stack may have the lock.
    const executions = `arn:${partition}:states:${region}:${account}:execution:${Aws.STACK_NAME}-*`;
    steps.addToRolePolicy(
      new iam.PolicyStatement({
        sid: 'SeeWhoHasTheLock',
        actions: ['states:DescribeExecution'],
        resources: [executions],
      }),
    );
    acknowledge(
      steps.role!,
      `AwsSolutions-IAM5[Resource::${nagText(this, executions)}]`,
      'Which execution has the lock is not known before: that of any operation. ' +
        `${operation} only looks whether it runs.`,
    );
  }

  private addAlarm({ operation, deployment, alarmTopic }: OperationWorkflowProps): void {
    // It ends in time by its function's own word, and with whatever that function fails of.
    const failed = this.stateMachine.metricFailed({ period: Duration.minutes(5) });
    const alarm = failed.createAlarm(this, 'NotDone', {
      alarmDescription:
        `Deployment ${deployment}: ${operation} was refused or did not end well. The cause of its execution ` +
        'says why, and what to do.',
      threshold: 1,
      evaluationPeriods: 1,
      comparisonOperator: cloudwatch.ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      treatMissingData: cloudwatch.TreatMissingData.NOT_BREACHING,
    });
    tellTopic([alarm], alarmTopic);
  }
}
