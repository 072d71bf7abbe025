/**
 * A run that is not begun, for a reason that a person has to know. The workflow knows it by its name, and does not try
 * again.
 */
export class BenchmarkRefused extends Error {
  override readonly name = 'BenchmarkRefused';
}

/** The run would not end in its time. The workflow takes it for what it is: a refusal. */
export class TimeIsShort extends BenchmarkRefused {}

/** The lock is another run's by now: this run must not go on. */
export class LockLost extends Error {
  override readonly name = 'LockLost';
}
