/** A condition of a Choice in JSONPath. */
export interface ChoiceRule {
  readonly Next?: string;
  readonly Variable?: string;
  readonly And?: readonly ChoiceRule[];
  readonly Or?: readonly ChoiceRule[];
  readonly Not?: ChoiceRule;
  readonly StringEquals?: string;
  readonly NumericEquals?: number;
  readonly IsPresent?: boolean;
  /** JSONata. */
  readonly Condition?: string;
}

export interface Retrier {
  readonly ErrorEquals: readonly string[];
  readonly IntervalSeconds?: number;
  readonly MaxAttempts?: number;
  readonly BackoffRate?: number;
  readonly MaxDelaySeconds?: number;
  readonly JitterStrategy?: 'FULL' | 'NONE';
}

export interface Catcher {
  readonly ErrorEquals: readonly string[];
  readonly ResultPath?: string | null;
  readonly Next: string;
}

interface Common {
  readonly Comment?: string;
  readonly QueryLanguage?: 'JSONPath' | 'JSONata';
}

interface Going extends Common {
  readonly Next?: string;
  readonly End?: boolean;
}

/** A payload template: members whose name ends with `.$` are paths or functions. */
export type PayloadTemplate = { readonly [name: string]: unknown };

export interface PassState extends Going {
  readonly Type: 'Pass';
  readonly Result?: unknown;
  readonly Parameters?: PayloadTemplate;
  readonly ResultPath?: string | null;
}

export interface WaitState extends Going {
  readonly Type: 'Wait';
  readonly Seconds?: number;
  readonly SecondsPath?: string;
}

export interface TaskState extends Going {
  readonly Type: 'Task';
  readonly Resource: string;
  readonly Parameters?: PayloadTemplate;
  readonly ResultSelector?: PayloadTemplate;
  readonly ResultPath?: string | null;
  readonly Retry?: readonly Retrier[];
  readonly Catch?: readonly Catcher[];
}

export interface ChoiceState extends Common {
  readonly Type: 'Choice';
  readonly Choices: readonly ChoiceRule[];
  readonly Default?: string;
}

export interface SucceedState extends Common {
  readonly Type: 'Succeed';
}

export interface FailState extends Common {
  readonly Type: 'Fail';
  readonly Error?: string;
  readonly Cause?: string;
}

export type State = PassState | WaitState | TaskState | ChoiceState | SucceedState | FailState;

/** A state machine in the Amazon States Language (https://states-language.net/spec.html). */
export interface StateMachine {
  readonly StartAt: string;
  readonly TimeoutSeconds?: number;
  readonly States: { readonly [name: string]: State };
}
