/**
 * How often is looked. An execution of a standard workflow ends after 25,000 events, without a clean-up and a verdict (AWS Step Functions Developer
 * Guide, "Service quotas"). So looks become rarer while a step goes on, and while the run does; the more steps a run has, the shorter it may be.
 */

/** A test of seconds is not held up, one of hours is not asked a thousand times. */
const LEAST_PAUSE = 2;
const MOST_PAUSE = 60;

/** Parts of the time since the step, and since the run, began. */
const OF_THE_STEP = 1 / 10;
const OF_THE_RUN = 1 / 100;

/** A pause, the function, a choice. */
const EVENTS_OF_A_LOOK = 9;

/** Sending, the ways to the next step, and a look at the beginning and one after the end. */
const EVENTS_OF_A_STEP = 31;

/** The others are for hosts that are waited for, for calls that are repeated, and for the end. */
const MOST_EVENTS = 21_000;

/** However few steps it has. */
const LONGEST_RUN_SECONDS = 30 * 3600;

/** Seconds until the next look. */
export function pauseOf(stepSeconds: number, runSeconds: number): number {
  const wanted = Math.round(Math.max(stepSeconds * OF_THE_STEP, runSeconds * OF_THE_RUN));
  return Math.max(LEAST_PAUSE, Math.min(MOST_PAUSE, wanted));
}

/** How long the tests of a run with so many steps may take. */
export function longestRunSeconds(steps: number): number {
  let seconds = 0;
  for (
    let events = steps * EVENTS_OF_A_STEP;
    events < MOST_EVENTS && seconds < LONGEST_RUN_SECONDS;
    events += EVENTS_OF_A_LOOK
  ) {
    seconds += pauseOf(0, seconds);
  }
  return Math.min(seconds, LONGEST_RUN_SECONDS);
}
