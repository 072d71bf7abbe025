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

const MAX_DETAIL = 300;

export function statusOf({ Status, StatusDetails, ResponseCode, said }: Invocation): CommandStatus {
  const status = Status ?? 'Pending';
  if (status === 'Success') return { state: 'success', exitCode: 0 };
  if (UNDER_WAY.includes(status)) return { state: 'pending' };
  const words = (said ?? '').trim();
  const detail = words === '' ? (StatusDetails ?? status) : words.slice(-MAX_DETAIL);
  // Systems Manager gives -1 when the program did not run to its end.
  const exitCode = (ResponseCode ?? -1) >= 0 ? ResponseCode : undefined;
  return { state: 'failed', exitCode, detail };
}
