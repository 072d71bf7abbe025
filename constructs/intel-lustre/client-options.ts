import type { LustreSoftware } from './software';
import type { LustreParameter } from './tuning';

/** What clients of the file system do differently from the papers' configuration. */
export interface LustreClientOptions {
  /**
   * How the client software gets onto the clients.
   *
   * @default - as on the servers
   */
  readonly software?: LustreSoftware;

  /**
   * Whether data is checked on its way between client and server. Without it a transfer error that TCP misses goes
   * unnoticed; it is faster (paper 000).
   *
   * @default true
   */
  readonly networkChecksums?: boolean;

  /**
   * How many locks a client keeps per target. Naming a number turns off sizing by the servers ("disable LRU size",
   * paper 000).
   *
   * @default - sized by the servers
   */
  readonly lockLruSize?: number;

  /**
   * All parameters, in the order in which they are set, instead of the papers'.
   *
   * @default - `LustreTuning.papersClient()`
   */
  readonly tuning?: LustreParameter[];
}
