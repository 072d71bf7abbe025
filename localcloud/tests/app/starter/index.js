// Starts the workflow that will answer CloudFormation; answers deletions at once.
const { SFNClient, StartExecutionCommand } = require('@aws-sdk/client-sfn');

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

exports.handler = async (event) => {
  if (event.RequestType === 'Delete') {
    const body = {
      Status: 'SUCCESS',
      StackId: event.StackId,
      RequestId: event.RequestId,
      LogicalResourceId: event.LogicalResourceId,
      PhysicalResourceId: event.PhysicalResourceId,
    };
    await fetch(event.ResponseURL, { method: 'PUT', body: JSON.stringify(body) });
    return;
  }
  const input = JSON.stringify({ answer: event });
  const start = new StartExecutionCommand({ stateMachineArn: process.env.MACHINE, input });
  await permitted(() => new SFNClient({}).send(start));
};
