import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { SFNClient, StartExecutionCommand } from '@aws-sdk/client-sfn';
import { HttpAnswers } from '../shared/answer';
import { clientOf } from '../shared/client';
import { errorName, jsonLog } from '../shared/log';
import type { Ports, StackPort, WorkflowPort } from './ports';

const CLIENT = clientOf({ attempts: 8, timeoutMs: 10_000 });

/** The workflow in Step Functions. */
class StepFunctionsWorkflow implements WorkflowPort {
  constructor(private readonly client: SFNClient) {}

  async start(stateMachineArn: string, name: string, input: unknown): Promise<void> {
    try {
      await this.client.send(
        new StartExecutionCommand({ stateMachineArn, name, input: JSON.stringify(input) }),
      );
    } catch (error) {
      // A duplicate of this request has started it.
      if (errorName(error) !== 'ExecutionAlreadyExists') throw error;
    }
  }
}

/** The stack that the benchmark belongs to. */
class CloudFormationStack implements StackPort {
  constructor(private readonly client: CloudFormationClient) {}

  async status(stackId: string): Promise<string> {
    const { Stacks } = await this.client.send(new DescribeStacksCommand({ StackName: stackId }));
    return Stacks?.[0]?.StackStatus ?? '';
  }
}

/** The ports on the real services. */
export function awsPorts(): Ports {
  const sleep = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds));
  return {
    log: jsonLog((line) => console.log(line), Date.now),
    timer: { now: Date.now, sleep },
    answers: new HttpAnswers(fetch, sleep),
    workflow: new StepFunctionsWorkflow(new SFNClient(CLIENT)),
    stack: new CloudFormationStack(new CloudFormationClient(CLIENT)),
  };
}
