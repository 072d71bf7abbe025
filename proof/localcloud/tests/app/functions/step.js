// One pass of the workflow: completes lifecycle actions, answers CloudFormation on its second pass.
const { AutoScalingClient, CompleteLifecycleActionCommand } = require('@aws-sdk/client-auto-scaling');
const { permitted } = require('./permitted');

class Busy extends Error {
  constructor() {
    super('try again');
    this.name = 'Busy';
  }
}

exports.handler = async (event) => {
  if (event.cause === 'launch') {
    const { AutoScalingGroupName, LifecycleHookName, LifecycleActionToken } = event.detail;
    const complete = new CompleteLifecycleActionCommand({
      AutoScalingGroupName,
      LifecycleHookName,
      LifecycleActionToken,
      LifecycleActionResult: 'CONTINUE',
    });
    await permitted(() => new AutoScalingClient({}).send(complete));
    return { done: true };
  }
  const pass = (event.pass ?? 0) + 1;
  if (pass === 1) return { ...event, pass };
  if (!globalThis.refusedOnce) {
    globalThis.refusedOnce = true;
    throw new Busy();
  }
  const { StackId, RequestId, LogicalResourceId, ResponseURL } = event.answer;
  const body = {
    Status: 'SUCCESS',
    StackId,
    RequestId,
    LogicalResourceId,
    PhysicalResourceId: 'answered',
    Data: {
      Answer: `after ${pass} passes`,
      Asked: new URL(ResponseURL).searchParams.get('X-Amz-Date'),
    },
  };
  await fetch(ResponseURL, { method: 'PUT', body: JSON.stringify(body) });
  return { ...event, done: true };
};
