import type { Screen } from '../demo/terminal';

/** Where output goes. */
export interface Output {
  readonly out: Screen;
  readonly err: Screen;
  readonly env: NodeJS.ProcessEnv;
}
