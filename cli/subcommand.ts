import type { Output } from './output';

/** One verb of the command `cdk-sas-grid`. */
export interface Subcommand<Options> {
  readonly usage: string;
  /**
   * Reads what follows the verb.
   *
   * @throws OptionError that says what to type
   */
  readonly parse: (args: readonly string[]) => Options;
  /**
   * Does it. @returns the exit code
   *
   * @throws OptionError for what only turns out then, such as a file that is not there
   */
  readonly run: (options: Options, output: Output) => number | Promise<number>;
}
