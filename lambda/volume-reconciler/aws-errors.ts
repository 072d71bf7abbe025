import { errorName } from '../shared/log';
import type { Outcome } from './ports';

/** Waits for a call; the named errors are part of the protocol and become an outcome, any other is thrown. */
export async function outcomeOf(call: Promise<unknown>, expected: readonly string[]): Promise<Outcome> {
  try {
    await call;
    return { done: true };
  } catch (error) {
    const code = errorName(error);
    if (expected.includes(code)) {
      return { done: false, code, message: error instanceof Error ? error.message : undefined };
    }
    throw error;
  }
}
