import { readOptions, wholeNumber } from '../../cli/arguments';

/** What the command line asked for. */
export interface BenchOptions {
  /** How often each synthesis and each start is repeated; the median counts. */
  readonly repetitions: number;
  /** Also measure a whole run of the demo. */
  readonly demo: boolean;
  /** Also deploy 128 object storage servers to the embedded AWS. */
  readonly scale: boolean;
  /** Update the table in docs/performance.md. */
  readonly write: boolean;
  readonly help: boolean;
}

export const USAGE = `Measures synthesis, Lambda bundles and recovery, prints a table and writes out/bench/report.json.

Usage: npx tsx proof/bench/run.ts [options]

  --repetitions N  runs per measurement, from 1 to 20; the median counts (default: 3)
  --demo           also time a whole demo (takes about two minutes)
  --scale          also deploy 128 object storage servers to the embedded AWS (takes a quarter of an hour and more)
  --write          put the table into docs/performance.md
  --help           this text

It is a report: the exit code is 0 whether or not a goal is met, and 1 when something could not be measured.`;

/** @throws OptionError for unknown options and values out of range */
export function parseOptions(args: string[]): BenchOptions {
  const { values, flags } = readOptions(args, {
    repetitions: 'value',
    demo: 'flag',
    scale: 'flag',
    write: 'flag',
    help: 'flag',
  });
  return {
    repetitions: wholeNumber('--repetitions', values.repetitions ?? '3', 1, 20),
    demo: flags.has('demo'),
    scale: flags.has('scale'),
    write: flags.has('write'),
    help: flags.has('help'),
  };
}
