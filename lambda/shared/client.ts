/** How long a client goes on with one call. */
export interface Patience {
  /** The first one counts. */
  readonly attempts: number;
  /** How long an attempt may take, milliseconds. */
  readonly timeoutMs: number;
}

/** A connection that takes longer is tried again, milliseconds. In the region of a service it takes one. */
const CONNECTION_MS = 2_000;

/**
 * The configuration of a client of the SDK. By itself it waits for minutes for a service that has taken a request and
 * says nothing (300 s of DynamoDB, 900 s of others), which is longer than a function lives: nothing would be asked
 * again, and all else that the function has to do would wait with it.
 *
 * Standard retries with backoff; adaptive mode would keep state between calls, which a function must not have.
 *
 * @see https://docs.aws.amazon.com/sdk-for-javascript/v3/developer-guide/node-configuring-timeouts.html
 */
export function clientOf({ attempts, timeoutMs }: Patience) {
  return {
    maxAttempts: attempts,
    retryMode: 'standard',
    requestHandler: {
      connectionTimeout: CONNECTION_MS,
      requestTimeout: timeoutMs,
      // Otherwise the SDK only warns.
      throwOnRequestTimeout: true,
      // From the head of an answer on: the time above ends with it.
      socketTimeout: timeoutMs,
    },
  } as const;
}
