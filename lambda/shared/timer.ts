/** Time, so that tests own it. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
}

/** Time, as a function knows it, and waiting. */
export interface Timer extends Clock {
  sleep(milliseconds: number): Promise<void>;
}
