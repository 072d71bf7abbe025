import { parseArgs } from 'node:util';
import { whole } from '../options';

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

/** @throws Error for unknown options and values out of range */
export function parseOptions(args: string[]): SpeedOptions {
  const { values } = parseArgs({
    args,
    strict: true,
    options: {
      runs: { type: 'string', default: '100' },
      seed: { type: 'string', default: '1' },
      servers: { type: 'string', default: '128' },
      write: { type: 'string' },
      report: { type: 'string', default: 'out/recovery-speed/report.json' },
      help: { type: 'boolean', default: false, short: 'h' },
    },
  });
  return {
    runs: whole('runs', values.runs, 1, 100_000),
    seed: whole('seed', values.seed, 0, 2 ** 52),
    servers: whole('servers', values.servers, 8, 128),
    write: values.write,
    report: values.report,
    help: values.help,
  };
}
