/** By these names services say that there are too many calls. */
export const RATE_LIMITED =
  /^(Throttling(Exception)?|RequestLimitExceeded|TooManyRequestsException|SlowDown)$/;
