import type { Random } from '../../core/random';
import { SimulationError } from '../errors';
import type {
  ChoiceRule,
  ChoiceState,
  PayloadTemplate,
  Retrier,
  State,
  StateMachine,
  TaskState,
} from './definition';
import { jsonata } from './jsonata';
import { fill, isPresent, place, StateError, valueAt } from './paths';

/** How an execution ended. */
export interface Ending {
  readonly status: 'SUCCEEDED' | 'FAILED';
  readonly output?: unknown;
  readonly error?: string;
  readonly cause?: string;
}

/** What an execution needs of its surroundings. */
export interface Surroundings {
  now(): number;
  sleep(ms: number): Promise<void>;
  /** Calls a function; a `StateError` is how it failed. */
  invoke(functionName: string, payload: unknown): Promise<unknown>;
  /** Before a task: entering a state takes its time. */
  transition(): Promise<void>;
  readonly random: Random;
  /** False as soon as the execution was stopped: it takes no further step. */
  isRunning(): boolean;
}

/** Events of one execution's history, at most (AWS Step Functions quotas). */
const MOST_EVENTS = 25_000;

/** History events of one visit of a state: entered and exited, and for a task scheduled, started, ended. */
const EVENTS_OF_STATE = 2;
const EVENTS_OF_TASK = 3;

/**
 * Members that each kind of state may have here; another one is an error, so that nothing of a definition is ignored.
 */
const KNOWN: { readonly [type: string]: readonly string[] } = {
  Pass: ['Result', 'Parameters', 'ResultPath', 'Next', 'End'],
  Wait: ['Seconds', 'SecondsPath', 'Next', 'End'],
  Task: ['Resource', 'Parameters', 'ResultSelector', 'ResultPath', 'Retry', 'Catch', 'Next', 'End'],
  Choice: ['Choices', 'Default', 'QueryLanguage'],
  Succeed: [],
  Fail: ['Error', 'Cause'],
};
const KNOWN_RETRIER = [
  'ErrorEquals',
  'IntervalSeconds',
  'MaxAttempts',
  'BackoffRate',
  'MaxDelaySeconds',
  'JitterStrategy',
];

/**
 * Refuses what the interpreter does not know of a definition.
 *
 * @throws SimulationError
 */
export function checkDefinition(machine: StateMachine): void {
  const refuse = (what: string): never => {
    throw new SimulationError(`${what} of a state machine is not simulated`);
  };
  for (const name of Object.keys(machine)) {
    if (!['StartAt', 'TimeoutSeconds', 'States', 'Comment'].includes(name)) refuse(name);
  }
  for (const [name, state] of Object.entries(machine.States)) {
    const known = KNOWN[state.Type] ?? refuse(`the type ${state.Type}`);
    for (const member of Object.keys(state)) {
      if (!['Type', 'Comment', ...known].includes(member)) refuse(`${member} in ${name} (${state.Type})`);
    }
    if (state.Type !== 'Task') continue;
    if (!/:states:::lambda:invoke$/.test(state.Resource)) refuse(`the resource ${state.Resource}`);
    for (const retrier of state.Retry ?? []) {
      for (const member of Object.keys(retrier))
        if (!KNOWN_RETRIER.includes(member)) refuse(`${member} of a Retry`);
    }
    for (const catcher of state.Catch ?? []) {
      for (const member of Object.keys(catcher)) {
        if (!['ErrorEquals', 'ResultPath', 'Next'].includes(member)) refuse(`${member} of a Catch`);
      }
    }
  }
}

/** One execution of a state machine (https://states-language.net/spec.html). */
export class Execution {
  private readonly description: {
    readonly Name: string;
    readonly StartTime: string;
    readonly Input: unknown;
  };
  private events = 1;

  constructor(
    private readonly machine: StateMachine,
    readonly name: string,
    private readonly input: unknown,
    private readonly around: Surroundings,
  ) {
    this.description = { Name: name, StartTime: new Date(around.now()).toISOString(), Input: input };
  }

  /** Runs to the end; never resolves when it is stopped before. */
  async run(): Promise<Ending> {
    let state = this.machine.StartAt;
    let data = this.input;
    for (;;) {
      const step = await this.enter(state, data);
      if ('status' in step) return step;
      state = step.next;
      data = step.data;
    }
  }

  private async enter(name: string, data: unknown): Promise<Ending | { next: string; data: unknown }> {
    const state = this.machine.States[name];
    if (state === undefined) throw new SimulationError(`there is no state ${name}`);
    this.events += EVENTS_OF_STATE;
    if (this.events > MOST_EVENTS) {
      return {
        status: 'FAILED',
        error: 'States.Runtime',
        cause: 'the execution reached the limit of its history',
      };
    }
    const entered = this.around.now();
    const State = {
      Name: name,
      // Written down only for a state that asks for it.
      get EnteredTime() {
        return new Date(entered).toISOString();
      },
    };
    const context = { Execution: this.description, State };
    try {
      return await this.step(state, data, context);
    } catch (error) {
      if (!(error instanceof StateError)) throw error;
      return { status: 'FAILED', error: error.name, cause: error.detail };
    }
  }

  private async step(
    state: State,
    data: unknown,
    context: object,
  ): Promise<Ending | { next: string; data: unknown }> {
    switch (state.Type) {
      case 'Succeed':
        return { status: 'SUCCEEDED', output: data };
      case 'Fail':
        return { status: 'FAILED', error: state.Error, cause: state.Cause };
      case 'Choice':
        return { next: choose(state, data, context), data };
      case 'Pass': {
        const own = state.Parameters === undefined ? data : fill(state.Parameters, data, context);
        return going(state, place(state.ResultPath, data, state.Result ?? own));
      }
      case 'Wait': {
        const seconds = state.Seconds ?? Number(valueAt(state.SecondsPath ?? '', data, context));
        if (!(seconds >= 0)) throw new StateError('States.Runtime', `a Wait of ${seconds} seconds`);
        await this.around.sleep(seconds * 1000);
        await this.onlyWhileRunning();
        return going(state, data);
      }
      case 'Task':
        return this.task(state, data, context);
    }
  }

  private async task(
    state: TaskState,
    data: unknown,
    context: object,
  ): Promise<{ next: string; data: unknown } | Ending> {
    const attempts = new Map<Retrier, number>();
    for (;;) {
      try {
        await this.around.transition();
        await this.onlyWhileRunning();
        this.events += EVENTS_OF_TASK;
        const answer = await this.invoke(state.Parameters ?? {}, data, context);
        await this.onlyWhileRunning();
        const result =
          state.ResultSelector === undefined ? answer : fill(state.ResultSelector, answer, context);
        return going(state, place(state.ResultPath, data, result));
      } catch (error) {
        if (!(error instanceof StateError)) throw error;
        const ms = this.retryDelay(state, error, attempts);
        if (ms !== undefined) {
          await this.around.sleep(ms);
          await this.onlyWhileRunning();
          continue;
        }
        const catcher = state.Catch?.find((each) => matches(each.ErrorEquals, error.name));
        if (catcher === undefined) throw error;
        const output = { Error: error.name, Cause: error.detail };
        return { next: catcher.Next, data: place(catcher.ResultPath, data, output) };
      }
    }
  }

  /**
   * lambda:invoke, whose answer wraps what the function returned (Step Functions developer guide, "Invoke an AWS Lambda
   * function").
   */
  private async invoke(parameters: PayloadTemplate, data: unknown, context: object): Promise<unknown> {
    const { FunctionName, Payload, ...more } = fill(parameters, data, context);
    const [unknown] = Object.keys(more);
    if (unknown !== undefined)
      throw new SimulationError(`the parameter ${unknown} of lambda:invoke is not simulated`);
    const answer = await this.around.invoke(String(FunctionName), Payload);
    return { ExecutedVersion: '$LATEST', Payload: answer, StatusCode: 200 };
  }

  /** How long until the next attempt; undefined when there is none. */
  private retryDelay(
    state: TaskState,
    error: StateError,
    attempts: Map<Retrier, number>,
  ): number | undefined {
    const retrier = state.Retry?.find((each) => matches(each.ErrorEquals, error.name));
    if (retrier === undefined) return undefined;
    const before = attempts.get(retrier) ?? 0;
    if (before >= (retrier.MaxAttempts ?? 3)) return undefined;
    attempts.set(retrier, before + 1);
    const seconds = (retrier.IntervalSeconds ?? 1) * (retrier.BackoffRate ?? 2) ** before;
    const ms = 1000 * Math.min(seconds, retrier.MaxDelaySeconds ?? Number.POSITIVE_INFINITY);
    return retrier.JitterStrategy === 'FULL' ? Math.floor(this.around.random.next() * ms) : ms;
  }

  /** A stopped execution takes no further step, also when the function that it called answers later. */
  private onlyWhileRunning(): Promise<void> | undefined {
    return this.around.isRunning() ? undefined : new Promise(() => undefined);
  }
}

const NOT_FOR_ALL = ['States.Runtime', 'States.DataLimitExceeded'];

/**
 * States.ALL stands for every error but those that no retry can help (developer guide, "Error handling in Step
 * Functions").
 */
const matches = (names: readonly string[], error: string): boolean =>
  names.includes(error) || (names.includes('States.ALL') && !NOT_FOR_ALL.includes(error));

function going(
  state: { Next?: string; End?: boolean },
  data: unknown,
): { next: string; data: unknown } | Ending {
  if (state.End) return { status: 'SUCCEEDED', output: data };
  if (state.Next === undefined) throw new SimulationError('a state with neither Next nor End');
  return { next: state.Next, data };
}

function choose(state: ChoiceState, data: unknown, context: object): string {
  const isJsonata = state.QueryLanguage === 'JSONata';
  for (const rule of state.Choices) {
    const is = isJsonata
      ? jsonata(rule.Condition ?? '', { input: data, context }) === true
      : holds(rule, data, context, ['Next']);
    if (is) return rule.Next!;
  }
  if (state.Default === undefined) throw new StateError('States.NoChoiceMatched', 'no choice matched');
  return state.Default;
}

function holds(rule: ChoiceRule, data: unknown, context: object, more: readonly string[] = []): boolean {
  const members = Object.keys(rule).filter((name) => name !== 'Variable' && !more.includes(name));
  const [operator] = members;
  if (operator === undefined || members.length > 1)
    throw new SimulationError(`a choice with ${members.join(', ')}`);
  if (operator === 'And') return rule.And!.every((each) => holds(each, data, context));
  if (operator === 'Or') return rule.Or!.some((each) => holds(each, data, context));
  if (operator === 'Not') return !holds(rule.Not!, data, context);
  if (operator === 'IsPresent') return isPresent(rule.Variable!, data, context) === rule.IsPresent;
  const value = valueAt(rule.Variable!, data, context);
  if (operator === 'StringEquals') return value === rule.StringEquals;
  if (operator === 'NumericEquals') return value === rule.NumericEquals;
  throw new SimulationError(`the choice operator ${operator} is not simulated`);
}
