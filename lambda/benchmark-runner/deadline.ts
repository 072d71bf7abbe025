import { KEPT_SECONDS } from '../../constructs/private/benchmark-deadline';
import { namesOf } from './named';
import type { Instance } from './ports';
import { TimeIsShort } from './refusal';
import type { RunRequest } from './request';

/** Longer than a night and a day nobody keeps a grid free. */
export const LONGEST_RUN_SECONDS = 30 * 3600;

/** When the tests of a run have to have ended, in milliseconds since 1970. */
export function testsEndAt({ deadlineSeconds }: RunRequest, startedAt: number): number {
  const whole = deadlineSeconds === undefined ? LONGEST_RUN_SECONDS : deadlineSeconds - KEPT_SECONDS;
  return startedAt + 1000 * whole;
}

/** When nothing more begins and what runs is cancelled. So each run ends, with a clean-up and a verdict. */
export function deadlineOf(
  request: RunRequest,
  { startedAt, now }: { readonly startedAt: number; readonly now: number },
  seconds: number,
  silent: readonly Instance[],
): number {
  const gated = request.deadlineSeconds !== undefined;
  const deadline = testsEndAt(request, startedAt);
  const left = Math.max(0, Math.floor((deadline - now) / 1000));
  if (left >= seconds) return deadline;
  const unheard = silent.length > 0 ? ` Systems Manager does not hear from ${namesOf(silent)}.` : '';
  throw new TimeIsShort(
    gated
      ? `the run is expected to take ${seconds} s, and of the time that CloudFormation waits ${left} s are left ` +
          `for it.${unheard} Choose smaller files or fewer tests, or let the deployment not wait for the verdict.`
      : `the run is expected to take ${Math.ceil(seconds / 3600)} hours; allowed: ` +
          `${LONGEST_RUN_SECONDS / 3600}. Choose smaller files, fewer tests, or all hosts at the same time.`,
  );
}
