import { CUSTOM_RESOURCE_SECONDS } from '../facts/services';

/**
 * How the hour that CloudFormation waits for a resource is divided, so that the workflow's answer comes within it
 * whatever the hosts do (constructs/storage-benchmark, lambda/benchmark-runner). All in seconds.
 */

/** CloudFormation waits so long for a custom resource, and no longer. */
export const CLOUDFORMATION_WAITS = CUSTOM_RESOURCE_SECONDS.value;

/**
 * CloudFormation's clock runs before the workflow's: its request is handed on for so long, then the function that takes
 * it has so long.
 */
export const REQUEST_AGE = 180;
export const GATE_TIMEOUT = 60;

/** What nobody uses: clocks, and Step Functions between the states. */
export const MARGIN = 60;

/** The workflow has so long from its own start. */
export const ANSWER_SECONDS = CLOUDFORMATION_WAITS - REQUEST_AGE - GATE_TIMEOUT - MARGIN;

/**
 * Ending what runs then: a command that is cancelled ends within two minutes or not at all, and what it said is
 * awaited.
 */
export const STOP_SECONDS = 150;

/** Cleaning up: programs go on with it by themselves when it takes longer. */
export const CLEAN_UP_SECONDS = 180;

/** Calls of a function: each may take so long, and so many are made when it fails. */
export interface Calls {
  readonly seconds: number;
  readonly attempts: number;
}

/** The calls of the end while CloudFormation waits. */
export const LAST_CALLS = {
  finish: { seconds: 30, attempts: 2 },
  judge: { seconds: 90, attempts: 2 },
  tell: { seconds: 30, attempts: 3 },
} as const satisfies { [name: string]: Calls };

/** The pause before a second call; each one after it is twice as long. */
export const FIRST_PAUSE = 2;

/** The longest that calls take with the pauses between them. */
export const longestSeconds = ({ seconds, attempts }: Calls): number =>
  attempts * seconds + FIRST_PAUSE * (2 ** (attempts - 1) - 1);

/** The calls between the steps, from the end of the tests on. */
const BETWEEN = 20;

/**
 * What the runner keeps of its time for the end: nothing is begun after what is left without it, and what runs is
 * ended.
 */
export const KEPT_SECONDS =
  STOP_SECONDS +
  CLEAN_UP_SECONDS +
  BETWEEN +
  longestSeconds(LAST_CALLS.finish) +
  longestSeconds(LAST_CALLS.judge) +
  longestSeconds(LAST_CALLS.tell);

/** What the tests have, with the wait for their hosts. */
export const TESTS_SECONDS = ANSWER_SECONDS - KEPT_SECONDS;
