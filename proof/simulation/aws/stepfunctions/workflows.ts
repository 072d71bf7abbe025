import type { StartExecutionCommandInput } from '@aws-sdk/client-sfn';
import { type Context, Durations, Ids } from '../context';
import { onlyKnows, ServiceError, SimulationError } from '../errors';
import type { StateMachine } from './definition';
import { checkDefinition, Execution } from './interpreter';

/** An execution of the workflow. */
export interface ExecutionTruth {
  readonly name: string;
  readonly input: string;
  readonly startedAt: number;
  status: 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'TIMED_OUT';
  endedAt?: number;
  output?: unknown;
  error?: string;
  cause?: string;
}

/**
 * Step Functions with one state machine. Its executions run the definition as it is; the tasks call functions.
 *
 * Names: a standard execution of the same name and input that runs is the same one; any other is refused (API
 * reference, StartExecution).
 */
export class SimulatedStepFunctions {
  /** All there ever were, by name. */
  readonly executions = new Map<string, ExecutionTruth>();
  /** How many run now. */
  running = 0;
  private readonly durations: Durations;
  private readonly ids = new Ids();

  constructor(
    private readonly context: Context,
    readonly arn: string,
    private readonly machine: StateMachine,
    private readonly invoke: (functionName: string, payload: unknown, execution: string) => Promise<unknown>,
  ) {
    checkDefinition(machine);
    this.durations = new Durations(context, 'workflows');
  }

  handle(operation: string, input: object): object {
    if (operation !== 'StartExecution')
      throw new SimulationError(`Step Functions' ${operation} is not simulated`);
    onlyKnows('StartExecution', input, ['stateMachineArn', 'name', 'input']);
    const { stateMachineArn, name, input: text = '{}' } = input as StartExecutionCommandInput;
    if (stateMachineArn !== this.arn) {
      throw new ServiceError(
        'StateMachineDoesNotExist',
        `State Machine Does Not Exist: '${stateMachineArn}'`,
      );
    }
    const known = name === undefined ? undefined : this.executions.get(name);
    if (known !== undefined && (known.status !== 'RUNNING' || known.input !== text)) {
      throw new ServiceError('ExecutionAlreadyExists', `Execution Already Exists: '${name}'`);
    }
    const execution = known ?? this.start(JSON.parse(text), name);
    return { executionArn: `${this.arn}:${execution.name}`, startDate: new Date(execution.startedAt) };
  }

  /** Starts an execution for an event; by default with a name of its own. */
  start(input: unknown, name = this.ids.uuid()): ExecutionTruth {
    const { context } = this;
    const startedAt = context.scheduler.now();
    const truth: ExecutionTruth = { name, input: JSON.stringify(input), startedAt, status: 'RUNNING' };
    this.executions.set(name, truth);
    this.running += 1;
    const end = (status: ExecutionTruth['status'], rest: Partial<ExecutionTruth>): void => {
      if (truth.status !== 'RUNNING') return;
      cancel();
      this.running -= 1;
      Object.assign(truth, rest, { status, endedAt: context.scheduler.now() });
      context.observer.onExecution?.(name, status);
    };
    // Its time-out stops the execution, not the function that it is waiting for.
    const seconds = this.machine.TimeoutSeconds;
    const cancel =
      seconds === undefined
        ? () => undefined
        : context.scheduler.after(
            seconds * 1000,
            () => end('TIMED_OUT', { error: 'States.Timeout' }),
            'time-out',
          );
    const execution = new Execution(this.machine, name, input, {
      now: () => context.scheduler.now(),
      sleep: (ms) => context.scheduler.sleep(ms),
      transition: () => context.scheduler.sleep(this.durations.of((timings) => timings.transition)),
      invoke: (functionName, payload) => this.invoke(functionName, payload, name),
      random: this.jitter,
      isRunning: () => truth.status === 'RUNNING',
    });
    context.observer.onExecution?.(name, 'RUNNING');
    execution.run().then(
      ({ status, ...rest }) => end(status, rest),
      (error: Error) => context.scheduler.fail(error),
    );
    return truth;
  }

  /** Somebody starts the workflow in the console, with nothing. */
  startByHand(): ExecutionTruth {
    return this.start({});
  }

  private get jitter() {
    this.random ??= this.context.random('jitter');
    return this.random;
  }

  private random?: ReturnType<Context['random']>;
}
