import { SERVICE_LIMITS } from '../../constructs/sizing/service-limits';

/** What an execution may have, less what waiting for hosts, retries and the end take. */
const EVENTS = SERVICE_LIMITS.workflowHistoryEvents.value - 5_000;

/** Sending: five of the task, two of each choice and of the counting. */
const EVENTS_OF_A_STEP = 11;

/** Two of the pause, five of the task, two of the choice. */
const EVENTS_OF_A_LOOK = 9;

const LEAST_PAUSE = 2;
const MOST_PAUSE = 60;

/** However many steps there are: who is overdue is cancelled by a look. */
const LONGEST_PAUSE = 300;

const PACES = [1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10, 12, 16];

/**
 * Seconds until the next look. Pauses grow with the time that a step takes: a test of seconds is not held up, one of
 * hours is not asked a thousand times.
 *
 * @param pace how many times as long as they would be in a run of few steps
 */
export function pauseOf(elapsedSeconds: number, pace = 1): number {
  const pause = Math.max(LEAST_PAUSE, Math.min(MOST_PAUSE, Math.round(elapsedSeconds / 10)));
  return Math.min(LONGEST_PAUSE, Math.ceil(pause * pace));
}

function looksOf(seconds: number, pace: number): number {
  let looks = 1;
  for (let elapsed = LEAST_PAUSE; elapsed < seconds; elapsed += pauseOf(elapsed, pace)) looks += 1;
  return looks;
}

/**
 * The pace at which a run's execution has room for all its events, also when each step takes as long as it may and the
 * run as long as it may; undefined when there is none.
 *
 * @param timeouts of the steps, in seconds
 * @param longest of the whole run, in seconds
 */
export function paceOf(timeouts: readonly number[], longest: number): number | undefined {
  const all = timeouts.reduce((sum, one) => sum + one, 0);
  const share = Math.min(1, longest / Math.max(1, all));
  return PACES.find((pace) => {
    const looks = timeouts.reduce((sum, seconds) => sum + looksOf(seconds * share, pace), 0);
    return EVENTS_OF_A_STEP * timeouts.length + EVENTS_OF_A_LOOK * looks <= EVENTS;
  });
}
