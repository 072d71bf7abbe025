/** An error as the SDK throws it: its name is the service's code. */
export class ServiceError extends Error {
  readonly $metadata: { readonly httpStatusCode?: number };
  readonly $fault: 'client' | 'server';

  /**
   * @param status of HTTP; null when there was no answer at all
   * @param details further members, such as CancellationReasons
   */
  constructor(name: string, message: string, status: number | null = 400, details: object = {}) {
    // Where it was thrown says nothing about AWS, and to find out takes long.
    const limit = Error.stackTraceLimit;
    Error.stackTraceLimit = 0;
    super(message);
    Error.stackTraceLimit = limit;
    this.name = name;
    this.$fault = status !== null && status >= 500 ? 'server' : 'client';
    this.$metadata = { httpStatusCode: status ?? undefined };
    Object.assign(this, details);
  }
}

/** The simulation does not know what AWS would do, or contradicts itself: it must not go on. */
export class SimulationError extends Error {
  override readonly name = 'SimulationError';
}

/**
 * Refuses an input with members that are not simulated: what is ignored here might matter there.
 *
 * @throws SimulationError
 */
export function onlyKnows(operation: string, input: object, known: readonly string[]): void {
  for (const name in input) {
    if (!known.includes(name) && (input as { [name: string]: unknown })[name] !== undefined) {
      throw new SimulationError(`${operation} with ${name} is not simulated`);
    }
  }
}
