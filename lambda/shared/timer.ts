/** Time, as a function knows it, and waiting. */
export interface Timer {
  /** Milliseconds since 1970. */
  now(): number;
  sleep(milliseconds: number): Promise<void>;
}
