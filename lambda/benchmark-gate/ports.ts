import type { AnswerPort } from '../shared/answer';
import type { Log } from '../shared/log';
import type { Timer } from '../shared/timer';

/** The benchmark's workflow. */
export interface WorkflowPort {
  /** Starts an execution; one of the same name is not started twice. */
  start(stateMachineArn: string, name: string, input: unknown): Promise<void>;
}

/** CloudFormation. */
export interface StackPort {
  /** Status of a stack, for example UPDATE_ROLLBACK_IN_PROGRESS. */
  status(stackId: string): Promise<string>;
}

/** All that the gate reaches. */
export interface Ports {
  readonly log: Log;
  readonly timer: Timer;
  readonly answers: AnswerPort;
  readonly workflow: WorkflowPort;
  readonly stack: StackPort;
}
