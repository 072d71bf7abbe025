// One pass of the workflow: completes lifecycle actions, answers CloudFormation on its second pass.
const { AutoScalingClient, CompleteLifecycleActionCommand } = require('@aws-sdk/client-auto-scaling');

// A role that the stack has just made may not count yet.
const permitted = async (call) => {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await call();
    } catch (error) {
      if (!error.name.startsWith('AccessDenied') || attempt === 20) throw error;
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  }
};

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
    Data: { Answer: `after ${pass} passes` },
  };
  await fetch(ResponseURL, { method: 'PUT', body: JSON.stringify(body) });
  return { ...event, done: true };
};
