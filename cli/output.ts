import { printable } from './planner/words';
import type { Screen } from './terminal';

/** Where output goes. */
export interface Output {
  readonly out: Screen;
  readonly err: Screen;
  readonly env: NodeJS.ProcessEnv;
}

/** Says what is wrong, without anything that a terminal would obey. */
export function complain({ err }: Output, text: string): void {
  err.write(`${printable(text)}\n`);
}
