import { Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import type * as kms from 'aws-cdk-lib/aws-kms';
import type * as lambda from 'aws-cdk-lib/aws-lambda';
import * as sfn from 'aws-cdk-lib/aws-stepfunctions';
import * as tasks from 'aws-cdk-lib/aws-stepfunctions-tasks';
import { Construct } from 'constructs';
import { type Calls, FIRST_PAUSE, LAST_CALLS } from '../private/benchmark-deadline';
import type { BenchmarkDefinition } from '../private/benchmark-definition';
import { encryptedLogs } from '../private/bundled-function';
import { acknowledge } from '../volume-reattachment/acknowledge';

/** Properties of the workflow. */
export interface BenchmarkWorkflowProps {
  readonly definition: BenchmarkDefinition;
  readonly bucketName: string;
  readonly runner: lambda.IFunction;
  readonly judge: lambda.IFunction;
  /** Answers CloudFormation; undefined when no deployment asks for a run. */
  readonly gate?: lambda.IFunction;
  /** Whether deployments wait for the verdict. */
  readonly waits: boolean;
  readonly key: kms.IKey;
}

/**
 * Longer than the longest run (30 hours, lambda/benchmark-runner/deadline.ts) with its clean-up: this ends only an
 * execution that hangs.
 */
const LONGEST_EXECUTION = Duration.hours(36);

/** The runner's answer to what must not be begun; asking again changes nothing. */
const REFUSED = 'BenchmarkRefused';

/**
 * Prepares a run, takes its steps one after the other (a document is sent, and looked at until it has ended on all
 * hosts), cleans up whatever happened, and lets the judge say what came of it. It carries counters and the run's id;
 * everything else lies in the bucket and in the table.
 */
export class BenchmarkWorkflow extends Construct {
  readonly stateMachine: sfn.StateMachine;

  constructor(scope: Construct, id: string, props: BenchmarkWorkflowProps) {
    super(scope, id);
    this.stateMachine = new sfn.StateMachine(this, 'StateMachine', {
      definitionBody: sfn.DefinitionBody.fromChainable(this.definition(props)),
      stateMachineType: sfn.StateMachineType.STANDARD,
      timeout: LONGEST_EXECUTION,
      tracingEnabled: true,
      logs: {
        // Step Functions writes other names into the account's one policy for log delivery, which ends at 5,120
        // characters (AWS Step Functions Developer Guide, "Avoiding Amazon CloudWatch Logs resource policy size
        // restrictions").
        destination: encryptedLogs(this, 'Logs', props.key, {
          logGroupName: `/aws/vendedlogs/states/${Stack.of(this).stackName}-${this.node.addr.slice(-8)}`,
          // With a name of its own it would be in the way of the stack's next deployment.
          removalPolicy: RemovalPolicy.DESTROY,
        }),
        level: sfn.LogLevel.ALL,
        // The input may hold the address at which CloudFormation waits, which is as good as a password while it is
        // valid.
        includeExecutionData: false,
      },
    });
    acknowledge(
      this.stateMachine,
      'AwsSolutions-IAM5[Resource::*]',
      'Log delivery of Step Functions and X-Ray know no resources (Step Functions Developer Guide, "Logging" ' +
        'and "X-Ray").',
    );
    for (const fn of [props.runner, props.judge, ...(props.gate ? [props.gate] : [])]) {
      const logicalId = Stack.of(this).getLogicalId(fn.node.defaultChild as lambda.CfnFunction);
      const finding = `AwsSolutions-IAM5[Resource::<${logicalId}.Arn>:*]`;
      acknowledge(this.stateMachine, finding, 'Any version of this one function.');
    }
  }

  private definition(props: BenchmarkWorkflowProps): sfn.IChainable {
    const begin = new sfn.Pass(this, 'Begin', {
      parameters: { 'input.$': '$$.Execution.Input', state: { step: 0, problem: '' } },
    });
    const notDone = this.notDone(props.gate);
    const prepare = this.runnerTask('Prepare', props, 'prepare', '$.prepared', {
      definition: props.definition,
      execution: {
        id: sfn.JsonPath.stringAt('$$.Execution.Id'),
        startedAt: sfn.JsonPath.stringAt('$$.Execution.StartTime'),
      },
      input: sfn.JsonPath.objectAt('$.input'),
    });
    prepare.addCatch(notDone, { resultPath: '$.error' });
    const hostsStart = new sfn.Wait(this, 'Wait for hosts that start', {
      time: sfn.WaitTime.secondsPath('$.prepared.waitSeconds'),
    });
    const loop = this.loop(props, this.endings(props, notDone));
    begin.next(prepare);
    prepare.next(
      new sfn.Choice(this, 'Are the hosts there?')
        .when(sfn.Condition.stringEquals('$.prepared.outcome', 'waiting'), hostsStart.next(prepare))
        .otherwise(loop),
    );
    return begin;
  }

  /** Takes the steps. What breaks the run off leads to its clean-up. */
  private loop(props: BenchmarkWorkflowProps, ending: sfn.State): sfn.State {
    const call = {
      runId: sfn.JsonPath.stringAt('$.prepared.runId'),
      step: sfn.JsonPath.numberAt('$.state.step'),
    };
    const start = this.runnerTask('Start', props, 'start', '$.progress', call);
    const check = this.runnerTask('Check', props, 'check', '$.progress', call);
    const left = new sfn.Choice(this, 'Is a step left?');
    const next = new sfn.Pass(this, 'Next step', {
      parameters: { 'step.$': 'States.MathAdd($.state.step, 1)', 'problem.$': '$.state.problem' },
      resultPath: '$.state',
    });
    const toCleanUp = new sfn.Pass(this, 'Go on to the clean-up', {
      parameters: { 'step.$': '$.prepared.cleanUpStep', 'problem.$': '$.state.problem' },
      resultPath: '$.state',
    });
    const brokenOff = new sfn.Choice(this, 'Is it cleaning up already?')
      .when(sfn.Condition.numberLessThanJsonPath('$.state.step', '$.prepared.cleanUpStep'), toCleanUp)
      .otherwise(next);
    for (const task of [start, check]) task.addCatch(brokenOff, { resultPath: '$.state.problem' });
    next.next(left);
    toCleanUp.next(left);
    const again = this.pause('Wait until it can be sent');
    const wait = this.pause('Wait');
    start.next(
      new sfn.Choice(this, 'Is it sent?')
        .when(sfn.Condition.stringEquals('$.progress.outcome', 'wait'), again.next(start))
        .when(sfn.Condition.stringEquals('$.progress.outcome', 'ended'), next)
        // The time of the run is over: hundreds of steps that are left would take some of what is kept for the end.
        .when(sfn.Condition.stringEquals('$.progress.outcome', 'over'), toCleanUp)
        .otherwise(wait),
    );
    wait.next(check);
    check.next(
      new sfn.Choice(this, 'Has it ended on all hosts?')
        .when(sfn.Condition.stringEquals('$.progress.outcome', 'ended'), next)
        .otherwise(wait),
    );
    const isLeft = sfn.Condition.numberLessThanJsonPath('$.state.step', '$.prepared.steps');
    return left.when(isLeft, start).otherwise(ending);
  }

  /** The end; a quicker one where CloudFormation waits. */
  private endings(props: BenchmarkWorkflowProps, notDone: sfn.State): sfn.State {
    const is = (verdict: string) => sfn.Condition.stringEquals('$.judged.verdict', verdict);
    const fail = (id: string, error: string) =>
      new sfn.Fail(this, id, { error, causePath: 'States.JsonToString($.judged.reasons)' });
    const verdict = new sfn.Choice(this, 'What is the verdict?')
      .when(is('passed'), new sfn.Succeed(this, 'Passed'))
      .when(is('incomplete'), fail('Incomplete', 'BenchmarkIncomplete'))
      .otherwise(fail('Failed', 'BenchmarkFailed'));
    const judged = sfn.JsonPath.objectAt('$.judged');
    const told = this.answered('Tell the verdict', props.gate, { judged }, verdict);
    const patient = this.ending(props, notDone, told, '', {
      finish: { seconds: 180, attempts: 7 },
      judge: { seconds: 360, attempts: 4 },
    });
    if (!props.waits) return patient;
    return new sfn.Choice(this, 'Does CloudFormation wait for the verdict?')
      .when(
        sfn.Condition.isPresent('$.input.answer'),
        this.ending(props, notDone, told, ' in time', LAST_CALLS),
      )
      .otherwise(patient);
  }

  /** Collects the outcomes, has them judged, and ends as the verdict is. */
  private ending(
    props: BenchmarkWorkflowProps,
    notDone: sfn.State,
    told: sfn.State,
    suffix: string,
    calls: { readonly finish: Calls; readonly judge: Calls },
  ): sfn.State {
    const call = {
      runId: sfn.JsonPath.stringAt('$.prepared.runId'),
      problem: sfn.JsonPath.objectAt('$.state.problem'),
    };
    const finish = this.runnerTask(`Finish${suffix}`, props, 'finish', '$.finished', call, calls.finish);
    const judge = new tasks.LambdaInvoke(this, `Judge${suffix}`, {
      lambdaFunction: props.judge,
      payload: sfn.TaskInput.fromObject({
        action: 'judge',
        bucket: props.bucketName,
        runKey: sfn.JsonPath.stringAt('$.finished.runKey'),
      }),
      resultSelector: {
        'verdict.$': '$.Payload.verdict',
        'reasons.$': '$.Payload.reasons',
        'resultKey.$': '$.Payload.resultKey',
        'reportKey.$': '$.Payload.reportKey',
        'problems.$': '$.Payload.problems',
      },
      resultPath: '$.judged',
      taskTimeout: sfn.Timeout.duration(Duration.seconds(calls.judge.seconds)),
      retryOnServiceExceptions: false,
    });
    retry(judge, calls.judge);
    finish.addCatch(notDone, { resultPath: '$.error' });
    judge.addCatch(notDone, { resultPath: '$.error' });
    finish.next(judge);
    judge.next(told);
    return finish;
  }

  /** What ends a run without a verdict. */
  private notDone(gate: lambda.IFunction | undefined): sfn.State {
    const fail = new sfn.Fail(this, 'Not done', { errorPath: '$.error.Error', causePath: '$.error.Cause' });
    return this.answered('Tell why not', gate, { error: sfn.JsonPath.objectAt('$.error') }, fail);
  }

  /** Answers CloudFormation first, if it waits (docs/adr/0003-workflow-answers-cloudformation.md). */
  private answered(
    id: string,
    gate: lambda.IFunction | undefined,
    told: { [name: string]: unknown },
    then: sfn.State,
  ): sfn.State {
    if (!gate) return then;
    const answer = new tasks.LambdaInvoke(this, id, {
      lambdaFunction: gate,
      payload: sfn.TaskInput.fromObject({
        action: 'answer',
        answer: sfn.JsonPath.objectAt('$.input.answer'),
        ...told,
      }),
      resultPath: sfn.JsonPath.DISCARD,
      taskTimeout: sfn.Timeout.duration(Duration.seconds(LAST_CALLS.tell.seconds)),
      retryOnServiceExceptions: false,
    });
    retry(answer, LAST_CALLS.tell);
    answer.next(then);
    return new sfn.Choice(this, `${id}: does CloudFormation wait?`)
      .when(sfn.Condition.isPresent('$.input.answer'), answer)
      .otherwise(then);
  }

  private runnerTask(
    id: string,
    { runner }: BenchmarkWorkflowProps,
    action: string,
    resultPath: string,
    payload: { [name: string]: unknown },
    calls: Calls = { seconds: 180, attempts: 7 },
  ): tasks.LambdaInvoke {
    const task = new tasks.LambdaInvoke(this, id, {
      lambdaFunction: runner,
      payload: sfn.TaskInput.fromObject({ action, ...payload }),
      payloadResponseOnly: true,
      resultPath,
      taskTimeout: sfn.Timeout.duration(Duration.seconds(calls.seconds)),
      retryOnServiceExceptions: false,
    });
    task.addRetry({ errors: [REFUSED, 'LockLost'], maxAttempts: 0 });
    retry(task, calls);
    return task;
  }

  private pause(id: string): sfn.Wait {
    return new sfn.Wait(this, id, { time: sfn.WaitTime.secondsPath('$.progress.waitSeconds') });
  }
}

function retry(task: tasks.LambdaInvoke, { attempts }: Calls): void {
  task.addRetry({
    errors: [sfn.Errors.ALL],
    interval: Duration.seconds(FIRST_PAUSE),
    maxAttempts: attempts - 1,
    backoffRate: 2,
    maxDelay: Duration.minutes(1),
    jitterStrategy: sfn.JitterType.FULL,
  });
}
