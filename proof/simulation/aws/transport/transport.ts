import { AutoScalingClient } from '@aws-sdk/client-auto-scaling';
import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { EC2Client } from '@aws-sdk/client-ec2';
import { SFNClient } from '@aws-sdk/client-sfn';
import { SSMClient } from '@aws-sdk/client-ssm';
import type { Patience } from '../../../../lambda/shared/client';
import type { Random } from '../../core/random';
import type { Call, CallFault, Service } from '../call';
import { type Context, Durations, Ids } from '../context';
import { ServiceError, SimulationError } from '../errors';
import { type Command, operationOf } from './commands';
import { deniedError, RetryQuota, serverError, throttlingError, timeoutError } from './retries';
import { Throttle } from './throttle';
import type { Worker } from './worker';

/** A service's side: does the call now, or throws a `ServiceError`. */
export type Handler = (operation: string, input: object, call: Call) => object;

export type Handlers = { readonly [service in Service]: Handler };

/** The SDK's clients as one invocation has them. */
export interface Clients {
  readonly ec2: EC2Client;
  readonly autoScaling: AutoScalingClient;
  readonly dynamodb: DynamoDBClient;
  readonly ssm: SSMClient;
  readonly sfn: SFNClient;
}

/** How patient the clients of a function are, where they differ. */
export interface PatienceOf {
  readonly usual: Patience;
  readonly ec2?: Patience;
  readonly ssm?: Patience;
}

/** One call with its attempts. */
interface Sending {
  readonly service: Service;
  readonly operation: string;
  readonly input: object;
  readonly worker: Worker;
  /** Undefined for a call that nothing repeats. */
  readonly quota: RetryQuota | undefined;
  readonly timeoutMs: number;
  readonly resolve: (answer: object) => void;
  readonly reject: (error: Error) => void;
}

/**
 * The way from the SDK's clients to the simulated services: takes its time, repeats as the SDK does, is throttled, and
 * fails where a fault says so. A call is done at one moment, when its time is over; what was sent arrives even if the
 * sender has died.
 */
export class Transport {
  /** Attempts of all workers. */
  calls = 0;
  readonly callsBy = new Map<string, number>();
  readonly throttle = new Throttle();
  private readonly durations: Durations;
  private readonly random: Random;
  private readonly ids = new Ids();

  constructor(
    private readonly context: Context,
    private readonly handlers: Handlers,
  ) {
    this.durations = new Durations(context, 'calls');
    this.random = context.random('retries');
  }

  /**
   * Clients for one invocation, as patient as its function makes them. They are instances of the SDK's classes, which
   * its paginators ask for.
   */
  clients(worker: Worker, { usual, ec2 = usual, ssm = usual }: PatienceOf): Clients {
    return {
      ec2: this.client(EC2Client.prototype, 'ec2', worker, ec2),
      autoScaling: this.client(AutoScalingClient.prototype, 'autoscaling', worker, usual),
      dynamodb: this.client(DynamoDBClient.prototype, 'dynamodb', worker, usual),
      ssm: this.client(SSMClient.prototype, 'ssm', worker, ssm),
      sfn: this.client(SFNClient.prototype, 'sfn', worker, usual),
    };
  }

  cloudFormation(worker: Worker, patience: Patience): CloudFormationClient {
    return this.client(CloudFormationClient.prototype, 'cloudformation', worker, patience);
  }

  /** A request without the SDK, which nothing repeats. */
  once(
    worker: Worker,
    timeoutMs: number,
    service: Service,
    operation: string,
    input: object,
  ): Promise<object> {
    return new Promise((resolve, reject) =>
      this.attempt(
        { service, operation, input, worker, quota: undefined, timeoutMs, resolve, reject },
        1,
        undefined,
      ),
    );
  }

  private client<T extends object>(
    prototype: T,
    service: Service,
    worker: Worker,
    { attempts, timeoutMs }: Patience,
  ): T {
    const quota = new RetryQuota(attempts);
    const send = (command: Command): Promise<object> =>
      new Promise((resolve, reject) => {
        const operation = this.operationOf(command);
        const input = operation === 'TransactWriteItems' ? this.withToken(command.input) : command.input;
        this.attempt({ service, operation, input, worker, quota, timeoutMs, resolve, reject }, 1, undefined);
      });
    return Object.assign(Object.create(prototype), { send });
  }

  /** The code under test may take an error for one of AWS's: the run must end all the same. */
  private operationOf(command: Command): string {
    try {
      return operationOf(command);
    } catch (error) {
      this.context.scheduler.fail(error as Error);
      throw error;
    }
  }

  /** The SDK gives a transaction a token once, so that its own repeats are one transaction (ClientRequestToken). */
  private withToken(input: object): object {
    return { ClientRequestToken: this.ids.uuid(), ...input };
  }

  private attempt(sending: Sending, attempt: number, lastCost: number | undefined): void {
    const { service, operation, input, worker } = sending;
    // Nobody waits for the answer of a process that is dead.
    if (!worker.alive) return;
    const at = this.context.scheduler.now();
    const call: Call = { index: this.calls, worker: worker.name, service, operation, input, at, attempt };
    this.calls += 1;
    this.callsBy.set(operation, (this.callsBy.get(operation) ?? 0) + 1);
    const fault = this.context.faults.onCall(call);
    if (fault?.kind === 'crash-before') {
      this.told(call, fault.kind);
      worker.die();
      return;
    }
    const ms = this.durations.of((timings) => timings.call) + (fault?.kind === 'late' ? fault.ms : 0);
    this.context.scheduler.after(ms, () => this.arrive(sending, call, fault, lastCost), operation);
  }

  private arrive(
    sending: Sending,
    call: Call,
    fault: CallFault | undefined,
    lastCost: number | undefined,
  ): void {
    const { service, operation, worker, quota } = sending;
    let answer: object | ServiceError;
    let outcome = 'ok';
    try {
      answer = this.outcomeOf(call, fault);
      if (answer instanceof ServiceError) outcome = answer.name;
    } catch (error) {
      this.context.scheduler.fail(error instanceof Error ? error : new SimulationError(String(error)));
      return;
    }
    this.told(call, fault === undefined ? outcome : `${fault.kind} ${outcome}`);
    if (fault?.kind === 'crash-after') {
      worker.die();
      return;
    }
    let heard = answer;
    if (fault?.kind === 'timeout-after' || fault?.kind === 'timeout-before') heard = timeoutError();
    if (fault?.kind === 'server-error-after') heard = serverError(service);
    const deliver = (): void => {
      if (!worker.alive) return;
      if (!(heard instanceof ServiceError)) {
        quota?.refund(lastCost);
        sending.resolve(heard);
        return;
      }
      const retry = quota?.next(heard, service, call.attempt, this.random);
      if (retry === undefined) sending.reject(heard);
      else this.later(retry.ms, () => this.attempt(sending, call.attempt + 1, retry.cost), operation);
    };
    if (fault?.kind === 'slow') this.later(fault.ms, deliver, operation);
    else if (fault?.kind.startsWith('timeout')) this.later(sending.timeoutMs, deliver, operation);
    else deliver();
  }

  /** What the service answers, or the error with which it refuses; whether it is heard is another matter. */
  private outcomeOf(call: Call, fault: CallFault | undefined): object | ServiceError {
    const { service, operation, input } = call;
    if (fault?.kind === 'throttle')
      return operation === 'TransactWriteItems'
        ? cancelled(input, 'ThrottlingError')
        : throttlingError(service);
    if (fault?.kind === 'denied') return deniedError(service, operation);
    if (fault?.kind === 'server-error-before') return serverError(service);
    if (fault?.kind === 'timeout-before') return timeoutError();
    if (fault?.kind === 'conflict' && WRITES.test(operation)) return conflict(operation, input);
    if (service === 'ec2' && !this.throttle.admits(operation, input, this.context.scheduler.now())) {
      return throttlingError(service);
    }
    try {
      return this.handlers[service](operation, input, call);
    } catch (error) {
      if (error instanceof ServiceError) return error;
      throw error;
    }
  }

  private told(call: Call, outcome: string): void {
    this.context.observer.onCall?.(call, outcome);
  }

  private later(ms: number, what: () => void, label: string): void {
    this.context.scheduler.after(ms, what, label);
  }
}

/** DynamoDB's writes. */
const WRITES = /^(TransactWriteItems|(Update|Put|Delete)Item)$/;

/** Another transaction has the same items (DynamoDB developer guide, "Transaction conflict handling in DynamoDB"). */
function conflict(operation: string, input: object): ServiceError {
  if (operation === 'TransactWriteItems') return cancelled(input, 'TransactionConflict');
  return new ServiceError('TransactionConflictException', 'Transaction is ongoing for the item', 400);
}

/**
 * A transaction that is cancelled for what has nothing to do with its conditions; the SDK does not repeat it (API
 * reference, TransactWriteItems).
 */
function cancelled(input: object, code: 'TransactionConflict' | 'ThrottlingError'): ServiceError {
  const items = (input as { TransactItems?: unknown[] }).TransactItems ?? [];
  const reasons = items.map((_, index) => ({ Code: index === 0 ? code : 'None' }));
  return new ServiceError('TransactionCanceledException', 'Transaction cancelled', 400, {
    CancellationReasons: reasons,
  });
}
