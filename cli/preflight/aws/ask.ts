import { RATE_LIMITED } from './codes';

/** How long a call may take, its repetitions after throttling included. */
const CALL_MS = 15_000;

/** How often a call is made until it is not refused as one too many. */
export const ATTEMPTS = 6;

/** Something that nobody could find out. It is never taken for passed. */
export class Unchecked extends Error {
  public override readonly name = 'Unchecked';

  constructor(
    message: string,
    /** What the caller lacks the right to. */
    readonly action?: string,
  ) {
    super(message);
  }
}

/** Whether an error is one. */
export function isUnchecked(error: unknown): error is Unchecked {
  return error instanceof Error && error.name === 'Unchecked';
}

const DENIED = /^(AccessDenied(Exception)?|UnauthorizedOperation|AuthorizationError|NotAuthorized)$/;

/** The name of an error of AWS. */
export const errorName = (error: unknown): string => (error instanceof Error ? error.name : '');

/**
 * Makes a call that ends within a bound.
 *
 * @param action The right that it needs, such as `ec2:DescribeImages`
 * @throws Unchecked when it is refused, throttled to the end, or gets no answer
 * @throws whatever else AWS says
 */
export async function ask<T>(action: string, call: (abortSignal: AbortSignal) => Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const controller = new AbortController();
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      controller.abort();
      reject(new Unchecked(`${action} got no answer in ${CALL_MS / 1000} s`));
    }, CALL_MS);
  });
  try {
    return await Promise.race([call(controller.signal), late]);
  } catch (error) {
    throw unchecked(action, error);
  } finally {
    clearTimeout(timer);
  }
}

function unchecked(action: string, error: unknown): unknown {
  const name = errorName(error);
  if (DENIED.test(name)) return new Unchecked(`the right to ${action} is missing`, action);
  if (RATE_LIMITED.test(name))
    return new Unchecked(`${action} was refused ${ATTEMPTS} times as one too many`);
  const { code = '', message } = error as NodeJS.ErrnoException;
  if (/^E[A-Z_]+$/.test(code)) return new Unchecked(`${action} reached nobody: ${message || code}`);
  return error;
}
