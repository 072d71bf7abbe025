import type { Random } from '../../core/random';
import type { Service } from '../call';
import { ServiceError } from '../errors';

/**
 * The SDK's standard retries, as the pinned version has them (@smithy/core, submodule retry: StandardRetryStrategy,
 * THROTTLING_ERROR_CODES and TRANSIENT_ERROR_CODES).
 */
const LONGEST_DELAY_MS = 20_000;
const DELAY_MS: { readonly [service in Service]?: number } = { dynamodb: 25 };
const USUAL_DELAY_MS = 50;
const THROTTLED_DELAY_MS = 1000;
const QUOTA = 500;
const COST = 14;
const THROTTLED_COST = 5;
const THROTTLED = [
  'RequestLimitExceeded',
  'Throttling',
  'ThrottlingException',
  'TransactionInProgressException',
];

/** What one client remembers of its retries: it stops when too many were needed. */
export class RetryQuota {
  private tokens = QUOTA;

  constructor(private readonly maxAttempts: number) {}

  /**
   * How long to wait before the next attempt, in milliseconds; undefined when there is none.
   *
   * @param attempt the one that failed, from 1
   */
  next(
    error: ServiceError,
    service: Service,
    attempt: number,
    random: Random,
  ): { ms: number; cost: number } | undefined {
    const throttled = THROTTLED.includes(error.name);
    const { httpStatusCode: status } = error.$metadata;
    const transient =
      error.name === 'TimeoutError' || (status !== undefined && status >= 500 && status <= 504);
    if ((!throttled && !transient) || attempt >= this.maxAttempts) return undefined;
    const cost = throttled ? THROTTLED_COST : COST;
    if (this.tokens < cost) return undefined;
    this.tokens -= cost;
    const base = throttled ? THROTTLED_DELAY_MS : (DELAY_MS[service] ?? USUAL_DELAY_MS);
    return { ms: Math.floor(random.next() * Math.min(LONGEST_DELAY_MS, base * 2 ** (attempt - 1))), cost };
  }

  /** A call went well; `cost` is what its last retry had cost. */
  refund(cost: number | undefined): void {
    this.tokens = Math.min(QUOTA, this.tokens + (cost ?? 1));
  }
}

/** The error with which each service refuses one request too many. */
export function throttlingError(service: Service): ServiceError {
  switch (service) {
    case 'ec2':
      return new ServiceError('RequestLimitExceeded', 'Request limit exceeded.', 503);
    case 'cloudformation':
      return new ServiceError('SlowDown', 'Please reduce your request rate.', 503);
    case 'autoscaling':
      return new ServiceError('Throttling', 'Rate exceeded');
    default:
      return new ServiceError('ThrottlingException', 'Rate exceeded');
  }
}

/** The error of a server that failed. */
export function serverError(service: Service): ServiceError {
  const names: { [service in Service]: string } = {
    ec2: 'InternalError',
    autoscaling: 'InternalFailure',
    dynamodb: 'InternalServerError',
    ssm: 'InternalServerError',
    sfn: 'InternalFailure',
    cloudformation: 'InternalError',
  };
  return new ServiceError(names[service], 'An internal error has occurred', 500);
}

/** The error with which each service refuses what a role may not do. */
export function deniedError(service: Service, operation: string): ServiceError {
  const names: { [service in Service]?: string } = {
    ec2: 'UnauthorizedOperation',
    autoscaling: 'AccessDenied',
  };
  const status = service === 'ec2' || service === 'autoscaling' ? 403 : 400;
  return new ServiceError(
    names[service] ?? 'AccessDeniedException',
    `not authorized to perform: ${operation}`,
    status,
  );
}

/** The client waited long enough. */
export function timeoutError(): ServiceError {
  return new ServiceError('TimeoutError', 'The request timed out', null);
}
