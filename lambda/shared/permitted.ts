import { describeError, errorName, type Log } from './log';
import type { Timer } from './timer';

const PATIENCE_MS = 60_000;
const PAUSE_MS = 1_000;

/** With which EC2, DynamoDB, Step Functions and CloudFormation refuse a call for a permission. */
const REFUSALS: readonly string[] = ['AccessDenied', 'AccessDeniedException', 'UnauthorizedOperation'];

/**
 * Does something that may be done any number of times, and again while a permission is missing: a role that the same
 * deployment has made or changed may not count everywhere yet. AWS says no time; seconds are usual.
 *
 * @param patienceMs for how long from the first refusal on, milliseconds
 * @throws what was thrown last, when that is something else or the time is up
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/troubleshoot.html "Changes that I make are not always
 * immediately visible"
 */
export async function untilPermitted<T>(
  what: () => Promise<T>,
  timer: Timer,
  log: Log,
  patienceMs = PATIENCE_MS,
): Promise<T> {
  let end: number | undefined;
  for (;;) {
    try {
      return await what();
    } catch (error) {
      if (!REFUSALS.includes(errorName(error))) throw error;
      end ??= timer.now() + patienceMs;
      if (timer.now() >= end) throw error;
      log.info('not permitted yet', { error: describeError(error) });
      await timer.sleep(PAUSE_MS);
    }
  }
}
