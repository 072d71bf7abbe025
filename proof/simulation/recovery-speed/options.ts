import { readOptions, wholeNumber } from '../../../cli/arguments';

/** What the command line asked for. */
export interface SpeedOptions {
  /** How often one server is lost. */
  readonly runs: number;
  readonly seed: number;
  /** Servers of the tier that loses all of them. */
  readonly servers: number;
  /** Document that gets the result between its markers. */
  readonly write?: string;
  readonly report: string;
  readonly help: boolean;
}

export const USAGE = `Measures in simulated time how fast the re-attachment recovers from the loss of one server,
without and with a hot spare, and of all servers of a tier.

Usage: make recovery-speed SPEED_OPTIONS="..."
       npx tsx proof/simulation/recovery-speed/cli.ts [options]

  --runs N       how often one server is lost, each time with another seed (default: 100)
  --seed S       the first seed (default: 1)
  --servers N    servers of the tier that loses all of them, with eight volumes each (default: 128)
  --write FILE   put the result into FILE, between its markers
  --report FILE  where the report goes (default: out/recovery-speed/report.json)
  --help         this text

Exit codes: 0 the goals are met, 1 one is missed, 2 wrong options, 70 the measurement itself broke.`;

/** @throws OptionError for unknown options and values out of range */
export function parseOptions(args: string[]): SpeedOptions {
  const { values, flags } = readOptions(args, {
    runs: 'value',
    seed: 'value',
    servers: 'value',
    write: 'value',
    report: 'value',
    help: 'flag',
  });
  return {
    runs: wholeNumber('--runs', values.runs ?? '100', 1, 100_000),
    seed: wholeNumber('--seed', values.seed ?? '1', 0, 2 ** 52),
    servers: wholeNumber('--servers', values.servers ?? '128', 8, 128),
    write: values.write,
    report: values.report ?? 'out/recovery-speed/report.json',
    help: flags.has('help'),
  };
}
