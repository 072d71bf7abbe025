import { Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import * as events from 'aws-cdk-lib/aws-events';
import * as targets from 'aws-cdk-lib/aws-events-targets';
import type * as kms from 'aws-cdk-lib/aws-kms';
import type * as lambda from 'aws-cdk-lib/aws-lambda';
import * as sqs from 'aws-cdk-lib/aws-sqs';
import * as sfn from 'aws-cdk-lib/aws-stepfunctions';
import * as tasks from 'aws-cdk-lib/aws-stepfunctions-tasks';
import { Construct } from 'constructs';
import { encryptedLogs } from '../private/bundled-function';
import { acknowledge } from './acknowledge';

/**
 * Passes that may fail one after the other, each with its own retries, before the workflow gives up; the schedule tries
 * again.
 */
const MAX_FAILURES = 5;

/**
 * Whether the workflow gives up after a pass that failed. The deadline is looked at here as well: a pass that fails
 * says nothing about it. In JSONata, since JSONPath cannot add seconds to a time.
 */
const GIVE_UP = [
  `$states.input.result.failures >= ${MAX_FAILURES}`,
  'or',
  '$toMillis($states.context.State.EnteredTime) >=',
  '$toMillis($states.context.Execution.StartTime) + 1000 * $states.input.deadlineSeconds',
].join(' ');

/** Properties of the workflow. */
export interface RecoveryWorkflowProps {
  readonly reconciler: lambda.IFunction;
  readonly seed: lambda.IFunction;
  readonly groupName: string;
  readonly key: kms.IKey;
  /** How long an execution goes on; the schedule starts the next. */
  readonly deadline: Duration;
  readonly schedule: Duration;
  /** Whether EC2's own events of instances that end start it too. */
  readonly watchInstances: boolean;
}

/**
 * The workflow that calls the reconciler until all slots are served, and what starts it: the group's own events and a
 * schedule.
 *
 * EC2's state changes start nothing, unless the tier has spares. They cannot be filtered by tag, so that an account
 * with thousands of instances would start the workflow thousands of times; and they bring nothing forward, since a slot
 * can move on only when the group has launched a replacement, of which the group's own events tell. A spare is there
 * already: with one they bring forward what the group notices up to minutes later.
 */
export class RecoveryWorkflow extends Construct {
  readonly stateMachine: sfn.StateMachine;
  readonly deadLetterQueue: sqs.Queue;
  readonly rules: events.Rule[];

  constructor(scope: Construct, id: string, props: RecoveryWorkflowProps) {
    super(scope, id);
    this.stateMachine = new sfn.StateMachine(this, 'StateMachine', {
      definitionBody: sfn.DefinitionBody.fromChainable(this.definition(props)),
      stateMachineType: sfn.StateMachineType.STANDARD,
      timeout: props.deadline.plus(Duration.hours(1)),
      tracingEnabled: true,
      logs: {
        destination: encryptedLogs(this, 'Logs', props.key, {
          // Step Functions writes every other name into the account's one policy for log delivery, which ends at 5,120
          // characters (Step Functions Developer Guide, "Avoiding Amazon CloudWatch Logs resource policy size
          // restrictions").
          logGroupName: `/aws/vendedlogs/states/${props.groupName}`,
          // A group with this name that outlives the stack would keep the stack from being deployed again. What
          // happened to the servers is in the reconciler's log, which has a generated name and stays.
          removalPolicy: RemovalPolicy.DESTROY,
        }),
        level: sfn.LogLevel.ALL,
        // The input may hold the address at which CloudFormation waits, which is as good as a password while it is
        // valid.
        includeExecutionData: false,
      },
    });
    this.deadLetterQueue = new sqs.Queue(this, 'DeadLetters', {
      encryption: sqs.QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: Duration.days(14),
    });
    this.rules = [this.lifecycleRule(props), this.scheduleRule(props)];
    if (props.watchInstances) this.rules.push(this.instanceRule(props));
    this.acknowledgeFindings(props);
  }

  private definition(props: RecoveryWorkflowProps): sfn.IChainable {
    const seconds = props.deadline.toSeconds();
    const wellFormed = new sfn.Choice(this, 'Has a cause and a deadline?');
    const byHand = new sfn.Pass(this, 'Started by hand', {
      result: sfn.Result.fromObject({ cause: 'started by hand', deadlineSeconds: seconds }),
    });
    const begin = new sfn.Pass(this, 'Begin', {
      result: sfn.Result.fromObject({ outcome: 'pending', waitSeconds: 0, pass: 0, failures: 0 }),
      resultPath: '$.result',
    });
    const reconcile = this.reconcileTask(props.reconciler);
    const wait = new sfn.Wait(this, 'Wait', { time: sfn.WaitTime.secondsPath('$.result.waitSeconds') });
    const finish = this.finish(props.seed);

    const countFailure = new sfn.Pass(this, 'Count the failure', {
      parameters: {
        outcome: 'failed',
        waitSeconds: 15,
        'pass.$': '$.result.pass',
        'failures.$': 'States.MathAdd($.result.failures, 1)',
      },
      resultPath: '$.result',
    });
    const tooMany = sfn.Choice.jsonata(this, 'Failed too often?')
      .when(sfn.Condition.jsonata(`{% ${GIVE_UP} %}`), finish)
      .otherwise(wait);
    reconcile.addCatch(countFailure.next(tooMany), { resultPath: '$.error' });

    const is = (outcome: string) => sfn.Condition.stringEquals('$.result.outcome', outcome);
    const owesAnswer = sfn.Condition.isPresent('$.answer');
    const goOn = new sfn.Choice(this, 'All served?')
      .when(sfn.Condition.or(...['served', 'asleep', 'released', 'ignored', 'out-of-time'].map(is)), finish)
      // Somebody else is at it, or will be as soon as the map is seeded; only CloudFormation's own execution waits for
      // the end.
      .when(
        sfn.Condition.and(sfn.Condition.or(is('busy'), is('unseeded')), sfn.Condition.not(owesAnswer)),
        finish,
      )
      .when(sfn.Condition.numberEquals('$.result.waitSeconds', 0), reconcile)
      .otherwise(wait);
    wait.next(reconcile);
    reconcile.next(goOn);
    begin.next(reconcile);
    byHand.next(begin);
    return wellFormed
      .when(
        sfn.Condition.and(sfn.Condition.isPresent('$.cause'), sfn.Condition.isPresent('$.deadlineSeconds')),
        begin,
      )
      .otherwise(byHand);
  }

  private reconcileTask(reconciler: lambda.IFunction): tasks.LambdaInvoke {
    const task = new tasks.LambdaInvoke(this, 'Reconcile', {
      lambdaFunction: reconciler,
      payload: sfn.TaskInput.fromObject({
        action: 'reconcile',
        execution: sfn.JsonPath.stringAt('$$.Execution.Name'),
        startedAt: sfn.JsonPath.stringAt('$$.Execution.StartTime'),
        deadlineSeconds: sfn.JsonPath.numberAt('$.deadlineSeconds'),
        cause: sfn.JsonPath.objectAt('$.cause'),
        previous: sfn.JsonPath.objectAt('$.result'),
      }),
      resultSelector: {
        'outcome.$': '$.Payload.outcome',
        'waitSeconds.$': '$.Payload.waitSeconds',
        'pass.$': '$.Payload.pass',
        'servedSlots.$': '$.Payload.servedSlots',
        'slots.$': '$.Payload.slots',
        failures: 0,
      },
      resultPath: '$.result',
      retryOnServiceExceptions: false,
    });
    task.addRetry({
      errors: [sfn.Errors.ALL],
      interval: Duration.seconds(2),
      maxAttempts: 2,
      backoffRate: 2,
      jitterStrategy: sfn.JitterType.FULL,
    });
    return task;
  }

  /** Answers CloudFormation if it asked, and ends. */
  private finish(seed: lambda.IFunction): sfn.State {
    const served = new sfn.Succeed(this, 'Done');
    const failed = new sfn.Fail(this, 'Not served in time', {
      error: 'NotServed',
      cause: 'Not all slots of the tier are served; the output of the last pass says which and why.',
    });
    const verdict = new sfn.Choice(this, 'In time?')
      .when(sfn.Condition.stringEquals('$.result.outcome', 'out-of-time'), failed)
      .when(sfn.Condition.stringEquals('$.result.outcome', 'failed'), failed)
      .otherwise(served);
    const answer = new tasks.LambdaInvoke(this, 'Answer CloudFormation', {
      lambdaFunction: seed,
      payload: sfn.TaskInput.fromObject({
        action: 'answer',
        answer: sfn.JsonPath.objectAt('$.answer'),
        result: sfn.JsonPath.objectAt('$.result'),
      }),
      resultPath: sfn.JsonPath.DISCARD,
      retryOnServiceExceptions: false,
    });
    answer.addRetry({
      errors: [sfn.Errors.ALL],
      interval: Duration.seconds(2),
      maxAttempts: 6,
      backoffRate: 2,
      jitterStrategy: sfn.JitterType.FULL,
    });
    return new sfn.Choice(this, 'Does CloudFormation wait?')
      .when(sfn.Condition.isPresent('$.answer'), answer.next(verdict))
      .otherwise(verdict);
  }

  private lifecycleRule(props: RecoveryWorkflowProps): events.Rule {
    const input = {
      cause: {
        'detail-type': events.EventField.detailType,
        id: events.EventField.eventId,
        time: events.EventField.time,
        detail: { AutoScalingGroupName: events.EventField.fromPath('$.detail.AutoScalingGroupName') },
      },
      deadlineSeconds: props.deadline.toSeconds(),
    };
    return new events.Rule(this, 'GroupEvents', {
      description: `Launches and terminations of ${this.node.path}`,
      eventPattern: {
        source: ['aws.autoscaling'],
        detailType: [
          'EC2 Instance-launch Lifecycle Action',
          'EC2 Instance-terminate Lifecycle Action',
          'EC2 Instance Launch Successful',
          'EC2 Instance Terminate Successful',
        ],
        detail: { AutoScalingGroupName: [props.groupName] },
      },
      targets: [this.target(events.RuleTargetInput.fromObject(input))],
    });
  }

  private scheduleRule(props: RecoveryWorkflowProps): events.Rule {
    const input = { cause: 'schedule', deadlineSeconds: props.deadline.toSeconds() };
    return new events.Rule(this, 'Schedule', {
      description: `Catches what events missed of ${this.node.path}`,
      schedule: events.Schedule.rate(props.schedule),
      targets: [this.target(events.RuleTargetInput.fromObject(input))],
    });
  }

  private instanceRule(props: RecoveryWorkflowProps): events.Rule {
    const input = { cause: 'an instance of the account ends', deadlineSeconds: props.deadline.toSeconds() };
    return new events.Rule(this, 'InstanceEvents', {
      description: `Instances that end, for a spare of ${this.node.path}`,
      eventPattern: {
        source: ['aws.ec2'],
        detailType: ['EC2 Instance State-change Notification'],
        // Every termination and every stop begins with one of these, and the execution goes on until the slot is
        // served.
        detail: { state: ['shutting-down', 'stopping'] },
      },
      targets: [this.target(events.RuleTargetInput.fromObject(input))],
    });
  }

  private target(input: events.RuleTargetInput): targets.SfnStateMachine {
    return new targets.SfnStateMachine(this.stateMachine, {
      input,
      deadLetterQueue: this.deadLetterQueue,
      retryAttempts: 10,
      maxEventAge: Duration.hours(1),
    });
  }

  private acknowledgeFindings(props: RecoveryWorkflowProps): void {
    acknowledge(
      this.deadLetterQueue,
      'AwsSolutions-SQS3',
      'This is the dead-letter queue of the rules; an alarm watches it.',
    );
    acknowledge(
      this.stateMachine,
      'AwsSolutions-IAM5[Resource::*]',
      'Log delivery of Step Functions and X-Ray know no resources (Step Functions Developer Guide, "Logging" ' +
        'and "X-Ray").',
    );
    for (const fn of [props.reconciler, props.seed]) {
      const logicalId = Stack.of(this).getLogicalId(fn.node.defaultChild as lambda.CfnFunction);
      acknowledge(
        this.stateMachine,
        `AwsSolutions-IAM5[Resource::<${logicalId}.Arn>:*]`,
        'Any version of this one function.',
      );
    }
  }
}
