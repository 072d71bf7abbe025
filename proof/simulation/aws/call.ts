/**
 * A service that a function calls. `cloudformation` is the answer to a custom resource, which is put to an address that
 * CloudFormation signed (operation PutAnswer); the function itself repeats it.
 */
export type Service = 'ec2' | 'autoscaling' | 'dynamodb' | 'ssm' | 'sfn' | 'cloudformation';

/** One attempt of one API call. A call that the SDK repeats has several. */
export interface Call {
  /** Counts the attempts of all workers, from 0. */
  readonly index: number;
  /** The invocation of a function that makes it: `<function>/<execution or request>/<number>`. */
  readonly worker: string;
  readonly service: Service;
  /** For example AttachVolume. */
  readonly operation: string;
  readonly input: object;
  /** When it was sent, milliseconds since 1970. */
  readonly at: number;
  /** From 1. */
  readonly attempt: number;
}

/** What is done to one call; undefined: nothing. */
export type CallFault =
  /** Refused without effect, with the service's own error for too many requests. */
  | { readonly kind: 'throttle' }
  /** Refused, since the role may not do it: it was changed a moment ago. */
  | { readonly kind: 'denied' }
  /** The client gives up waiting; the call was not done (before) or was done (after). */
  | { readonly kind: 'timeout-before' | 'timeout-after' }
  /** An error of the server, 5xx; the call was not done (before) or was done (after). */
  | { readonly kind: 'server-error-before' | 'server-error-after' }
  /** The worker dies; what it sent earlier arrives, nothing after it is sent or heard. */
  | { readonly kind: 'crash-before' | 'crash-after' }
  /**
   * The answer is heard later by so many milliseconds, and says what was so when the call was done: the process stood
   * still meanwhile, and with it the clock of the call's time-out.
   */
  | { readonly kind: 'slow'; readonly ms: number }
  /** The call is done later by so many milliseconds: the process stood still before it was on its way. */
  | { readonly kind: 'late'; readonly ms: number }
  /**
   * DynamoDB: another write of the same items is under way. Transactions are cancelled, single writes refused; for
   * other calls it is nothing.
   */
  | { readonly kind: 'conflict' };

/** Something that EventBridge or CloudFormation delivers at least once. */
export interface DeliveredEvent {
  readonly kind: 'autoscaling' | 'schedule' | 'cloudformation';
  /** EventBridge's detail-type; for CloudFormation the type of the request. */
  readonly detailType: string;
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** What is done to one event; undefined members: nothing. */
export interface EventFault {
  readonly drop?: boolean;
  /**
   * How often it is delivered.
   *
   * @default 1
   */
  readonly copies?: number;
  /**
   * How much later, the same for all copies but one more time for each further one.
   *
   * @default 0
   */
  readonly delayMs?: number;
}

/**
 * What is done to one invocation of a function: `refused` without effect, as when Lambda itself fails or has no room
 * (Lambda.ServiceException); or `twice`: the function runs, and whoever called it does not hear of it and calls again,
 * or Lambda's queue hands the event over twice (Lambda developer guide, "Asynchronous invocation": "your function might
 * receive the same event multiple times").
 */
export type InvocationFault = 'refused' | 'twice';

/** What goes wrong. Asked in the order in which things happen, so that a seeded one is reproducible. */
export interface Faults {
  onCall(call: Call): CallFault | undefined;
  /**
   * How old a describe's answer may be, in milliseconds; 0 is fresh. Each resource is shown as it was then. Asked for
   * describes of EC2 and Auto Scaling only: what DynamoDB reads consistently is never old.
   */
  staleness(call: Call): number;
  /** Which share of that age a resource of this answer has, from 0 to 1. @default - all are as old as each other */
  apart?(call: Call): ((id: string) => number) | undefined;
  onEvent(event: DeliveredEvent): EventFault | undefined;
  /** @param worker the function's name */
  onInvocation?(worker: string): InvocationFault | undefined;
  /**
   * How far the clock of a process is off, milliseconds; asked once, when it begins (`now`, milliseconds since 1970).
   * @default - it is right
   */
  clockError?(worker: string, now: number): number;
}

/** Nothing goes wrong. */
export const NO_FAULTS: Faults = {
  onCall: () => undefined,
  staleness: () => 0,
  onEvent: () => undefined,
};

/** The oldest answer that a describe can be made to give, in milliseconds. */
export const OLDEST_ANSWER_MS = 120_000;
