import type { Terminal } from '../terminal';
import type { Execution, OperationAws } from './port';

/** How long until it is looked at again. */
const LOOK_SECONDS = 2;

const RUNNING: readonly string[] = ['RUNNING', 'PENDING_REDRIVE'];

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
  for (;;) {
    const found = await aws.execution(arn);
    if (!RUNNING.includes(found.status)) return found;
    const lock = await aws.lock(table);
    if (lock?.execution === arn && lock.step !== told) {
      told = lock.step;
      terminal.line(`  ${told}`);
    }
    await pause(LOOK_SECONDS);
  }
}
