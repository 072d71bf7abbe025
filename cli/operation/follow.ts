import type { Terminal } from '../terminal';
import { type Execution, type OperationAws, UNKNOWN } from './port';

/** How long until it is looked at again. */
const LOOK_SECONDS = 2;

/** Step Functions may not know at once what it has just started: its answers are eventually consistent. */
const UNSEEN_LOOKS = 10;

const RUNNING: readonly string[] = ['RUNNING', 'PENDING_REDRIVE'];

/** Whether an execution goes on. */
export const isRunning = ({ status }: Execution): boolean => RUNNING.includes(status);

/** What somebody who waits has. */
export interface Watching {
  readonly terminal: Terminal;
  readonly pause: (seconds: number) => Promise<unknown>;
}

/** Waits for the end of an execution, and tells each step once. */
export async function follow(
  aws: OperationAws,
  table: string,
  arn: string,
  { terminal, pause }: Watching,
): Promise<Execution> {
  let told = '';
  let unseen = 0;
  for (;;) {
    const found = await aws.execution(arn);
    if (!isRunning(found) && !(found.status === UNKNOWN && ++unseen < UNSEEN_LOOKS)) return found;
    const lock = await aws.lock(table);
    if (lock?.execution === arn && lock.step !== told) {
      told = lock.step;
      terminal.line(`  ${told}`);
    }
    await pause(LOOK_SECONDS);
  }
}
