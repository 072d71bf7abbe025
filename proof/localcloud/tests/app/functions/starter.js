// Starts the workflow that will answer CloudFormation; answers deletions at once.
const { SFNClient, StartExecutionCommand } = require('@aws-sdk/client-sfn');
const { permitted } = require('./permitted');

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
