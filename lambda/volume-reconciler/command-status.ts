import type { CommandStatus } from './ports';

/** What Systems Manager says of a command on one host, in whichever answer. */
export interface Invocation {
  readonly Status?: string;
  readonly StatusDetails?: string;
  readonly ResponseCode?: number;
  /** What the program said. */
  readonly said?: string;
}

const UNDER_WAY: readonly string[] = ['Pending', 'InProgress', 'Delayed', 'Cancelling'];

/**
 * The program ran and failed, or ran out of its time; with or without the blanks of Systems Manager's user guide
 * ("Understanding command statuses"). A program that a signal ended has no exit code either.
 */
const FAILED = /^(Failed|Execution ?Timed ?Out)$/i;

const MAX_DETAIL = 300;

/**
 * What became of a command. Only the host's program says that a host fails: by its exit code, or because it ran out of
 * its time. Whatever else ends a command without success (not delivered in time, undeliverable, cancelled, denied,
 * throttled, a status of tomorrow) says nothing about the host.
 */
export function statusOf({ Status, StatusDetails, ResponseCode, said }: Invocation): CommandStatus {
  const status = Status ?? 'Pending';
  if (status === 'Success') return { state: 'success', exitCode: 0 };
  if (UNDER_WAY.includes(status)) return { state: 'pending' };
  const words = (said ?? '').trim();
  const detail = words === '' ? (StatusDetails ?? status) : words.slice(-MAX_DETAIL);
  // Systems Manager gives -1 when the program did not run to its end.
  const exitCode = (ResponseCode ?? -1) >= 0 ? ResponseCode : undefined;
  const ran = (status === 'Failed' && exitCode) || FAILED.test(StatusDetails ?? status);
  return ran ? { state: 'failed', exitCode, detail } : { state: 'undelivered', detail };
}
