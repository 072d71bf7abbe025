import { type Context, Durations } from './context';
import { SimulationError } from './errors';
import { StateError } from './stepfunctions/paths';
import { Worker } from './transport/worker';

/** A function: what it does with an event, in the process that is given. */
export interface SimulatedFunction {
  readonly name: string;
  readonly timeoutSeconds: number;
  run(event: unknown, worker: Worker): Promise<unknown>;
}

/**
 * How often Lambda repeats an asynchronous event whose function failed, and how long it waits (Lambda developer guide,
 * "Asynchronous invocation").
 */
const ASYNC_RETRY_MS: readonly number[] = [60_000, 120_000];

/**
 * How long Lambda waits with an asynchronous event that it could not hand over: from a second on, growing (the same
 * chapter).
 */
const UNBEGUN_RETRY_MS = 1_000;

/** How long Lambda keeps a process that has nothing to do; it does not say, minutes is what is seen. */
const IDLE_MS = 10 * 60_000;

/**
 * Lambda: runs a function in a process of its own and for at most its time-out. What a process left behind when it died
 * was sent and will arrive; nothing else of it goes on.
 */
export class SimulatedLambda {
  /** Invocations so far. */
  invocations = 0;
  /** Processes that run now. */
  readonly workers = new Set<Worker>();
  private readonly durations: Durations;
  /** Until when each idle process of a function is kept. */
  private readonly idle = new Map<string, number[]>();

  constructor(
    private readonly context: Context,
    private readonly functions: { readonly [name: string]: SimulatedFunction },
  ) {
    this.durations = new Durations(context, 'lambda');
  }

  /**
   * Calls a function and waits for what it returns. Payloads travel as JSON.
   *
   * @throws StateError with the error's name, Sandbox.Timedout after its time-out, or Runtime.ExitError when the
   * process died
   */
  async invoke(functionName: string, payload: unknown, about: string, retried?: 'unheard'): Promise<unknown> {
    const fn = this.functions[functionName];
    if (fn === undefined) throw new SimulationError(`there is no function ${functionName}`);
    const fault = retried === undefined ? this.context.faults.onInvocation?.(fn.name) : undefined;
    if (fault === 'twice') return this.unheard(functionName, payload, about);
    if (fault === 'refused') {
      await this.context.scheduler.sleep(this.durations.of(({ coldStart }) => coldStart));
      throw new StateError('Lambda.ServiceException', 'The service encountered an internal error');
    }
    const worker = new Worker(`${fn.name}/${about}/${this.invocations}`);
    this.invocations += 1;
    const warm = this.takeIdle(functionName);
    await this.context.scheduler.sleep(
      this.durations.of(({ invoke, coldStart }) => (warm ? invoke : coldStart)),
    );
    this.workers.add(worker);
    return new Promise((resolve, reject) => {
      const cancel = this.context.scheduler.after(
        fn.timeoutSeconds * 1000,
        () => {
          reject(new StateError('Sandbox.Timedout', `Task timed out after ${fn.timeoutSeconds} seconds`));
          worker.die();
        },
        `${fn.name} time-out`,
      );
      const end = (): void => {
        cancel();
        this.workers.delete(worker);
        if (worker.alive) this.idle.get(functionName)!.push(this.context.scheduler.now() + IDLE_MS);
        worker.finish();
      };
      worker.onDeath(() => {
        end();
        reject(new StateError('Runtime.ExitError', 'Runtime exited with error: signal: killed'));
      });
      fn.run(copy(payload), worker).then(
        (answer) => {
          if (!worker.alive) return;
          end();
          resolve(copy(answer));
        },
        (error: Error) => {
          if (error instanceof SimulationError) this.context.scheduler.fail(error);
          if (!worker.alive) return;
          end();
          reject(new StateError(error.name, error.message));
        },
      );
    });
  }

  /** The function runs, and the answer to its caller is lost: one that repeats the call has two of them at work. */
  private async unheard(functionName: string, payload: unknown, about: string): Promise<never> {
    this.invoke(functionName, payload, about, 'unheard').catch((error) => {
      if (!(error instanceof StateError)) this.context.scheduler.fail(error as Error);
    });
    await this.context.scheduler.sleep(this.durations.of(({ coldStart }) => coldStart));
    throw new StateError('Lambda.ServiceException', 'The service encountered an internal error');
  }

  private takeIdle(functionName: string): boolean {
    const idle = (this.idle.get(functionName) ?? []).filter((until) => until > this.context.scheduler.now());
    const warm = idle.pop() !== undefined;
    this.idle.set(functionName, idle);
    return warm;
  }

  /**
   * Hands an event over and does not wait: a function that fails is called again, twice.
   *
   * @param until when the event has its greatest age, milliseconds since 1970: an older one is dropped. @default -
   * hours, which none here needs
   */
  invokeLater(
    functionName: string,
    payload: unknown,
    about: string,
    until = Number.POSITIVE_INFINITY,
    retry = 0,
  ): void {
    if (this.context.scheduler.now() > until) return;
    this.invoke(functionName, payload, about).catch((error) => {
      if (!(error instanceof StateError)) {
        this.context.scheduler.fail(error as Error);
        return;
      }
      // What Lambda could not begin its queue begins soon again.
      const ms = error.name === 'Lambda.ServiceException' ? UNBEGUN_RETRY_MS : ASYNC_RETRY_MS[retry];
      if (ms === undefined) return;
      this.context.scheduler.after(
        ms,
        () =>
          this.invokeLater(
            functionName,
            payload,
            about,
            until,
            error.name === 'Lambda.ServiceException' ? retry : retry + 1,
          ),
        'async retry',
      );
    });
  }
}

/** What is left of a value that travelled as JSON: members that are undefined are gone. */
function copy(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value ?? null;
  if (Array.isArray(value)) return value.map(copy);
  if (value instanceof Date) throw new SimulationError('a Date in a payload is not simulated');
  const copied: { [name: string]: unknown } = {};
  for (const name in value) {
    const member = (value as { [name: string]: unknown })[name];
    if (member !== undefined) copied[name] = typeof member === 'object' ? copy(member) : member;
  }
  return copied;
}
