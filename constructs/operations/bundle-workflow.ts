import { Duration } from 'aws-cdk-lib';
import type * as lambda from 'aws-cdk-lib/aws-lambda';
import * as sfn from 'aws-cdk-lib/aws-stepfunctions';
import * as tasks from 'aws-cdk-lib/aws-stepfunctions-tasks';
import type { Construct } from 'constructs';

/** The function's answer to a wrong request; asking again changes nothing. */
const REFUSED = 'BundleRefused';

const MINUTES = 6;

type Call = (id: string, payload: { [name: string]: unknown }, resultPath: string) => tasks.LambdaInvoke;

/** Calls of the function, each of which is tried again. */
function callsOf(scope: Construct, collector: lambda.IFunction): Call {
  return (id, payload, resultPath) => {
    const task = new tasks.LambdaInvoke(scope, id, {
      lambdaFunction: collector,
      payload: sfn.TaskInput.fromObject({ id: sfn.JsonPath.stringAt('$$.Execution.Name'), ...payload }),
      payloadResponseOnly: true,
      resultPath,
      taskTimeout: sfn.Timeout.duration(Duration.minutes(MINUTES)),
      retryOnServiceExceptions: false,
    });
    task.addRetry({ errors: [REFUSED], maxAttempts: 0 });
    task.addRetry({
      errors: [sfn.Errors.ALL],
      interval: Duration.seconds(2),
      maxAttempts: 4,
      backoffRate: 2,
      jitterStrategy: sfn.JitterType.FULL,
    });
    return task;
  };
}

/**
 * Looks what there is, asks the hosts, collects the rest while they answer, waits for them, and writes what is there. A
 * part that fails, or hosts that cannot be asked, end nothing: the list says that they are missing.
 */
export function bundleDefinition(scope: Construct, collector: lambda.IFunction): sfn.IChainable {
  const call = callsOf(scope, collector);
  const request = new sfn.Pass(scope, 'Request', {
    parameters: { 'input.$': '$$.Execution.Input', state: { next: 0 } },
  });
  const begin = call(
    'Look what there is',
    { action: 'begin', input: sfn.JsonPath.objectAt('$.input') },
    '$.found',
  );
  const ask = call('Ask the hosts', { action: 'ask' }, '$.asked');
  const collect = call(
    'Collect',
    { action: 'collect', next: sfn.JsonPath.numberAt('$.state.next') },
    '$.state',
  );
  const look = call('Look at the hosts', { action: 'look' }, '$.hosts');
  const index = call('Write what is there', { action: 'index' }, '$.made');
  const wait = new sfn.Wait(scope, 'Wait for hosts', {
    time: sfn.WaitTime.secondsPath('$.hosts.waitSeconds'),
  });
  const skip = new sfn.Pass(scope, 'Leave the part out', {
    parameters: { 'next.$': 'States.MathAdd($.state.next, 1)' },
    resultPath: '$.state',
  });
  const left = new sfn.Choice(scope, 'Is a part left?')
    .when(sfn.Condition.numberLessThanJsonPath('$.state.next', '$.found.parts'), collect)
    .otherwise(look);
  ask.addCatch(left, { resultPath: '$.asked' });
  collect.addCatch(skip, { resultPath: '$.problem' });
  look.addCatch(index, { resultPath: '$.problem' });
  request.next(begin);
  begin.next(ask);
  ask.next(left);
  collect.next(left);
  skip.next(left);
  look.next(
    new sfn.Choice(scope, 'Have all hosts answered?')
      .when(sfn.Condition.stringEquals('$.hosts.outcome', 'wait'), wait.next(look))
      .otherwise(index),
  );
  index.next(
    new sfn.Pass(scope, 'Tell where it is', { inputPath: '$.made' }).next(new sfn.Succeed(scope, 'Done')),
  );
  return request;
}
