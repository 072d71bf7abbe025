import { parseArgs } from 'node:util';
import { OptionError } from '../kit/options';
import { BREAKS } from './broken';

/** What the command line asked for. */
export interface ChaosOptions {
  /** How long the deployment is abused. */
  readonly seconds: number;
  /** What is drawn: the same seed draws the same abuses. */
  readonly seed: number;
  /** Leaves out what takes minutes to be repaired. */
  readonly short: boolean;
  /** Puts broken reconcilers in the place of the right one afterwards, and expects that they are caught. */
  readonly mistakes: readonly string[];
  readonly out: string;
  readonly state: string;
  readonly python: string;
  readonly help: boolean;
}

const DEFAULT_SECONDS = 600;
const LONGEST_SECONDS = 24 * 3600;

export const USAGE = `Deploys SAS Grid on Lustre to the embedded AWS and harms it for a while: terminates, stops and hangs servers, kills the
functions that repair them in the middle, refuses calls as too many, loses, repeats and delays events. Afterwards every slot has to be served,
the map has to agree with EC2, what clients were told is written has to be there, and nothing forbidden may have happened at any moment.
Needs no AWS account and never calls one.

Usage: npx tsx proof/chaos/run.ts [options]

  --seconds N      how long it is abused, 1 to ${LONGEST_SECONDS} (default: ${DEFAULT_SECONDS}); deploying and settling come on top
  --seed N         a whole number from 0; the same seed draws the same abuses of the same slots at the same moments. What becomes of them
                   does not follow from it: the embedded AWS is made of real processes. Default: another one each time, which is printed
  --short          leaves out lost events, which only the schedule of five minutes makes up for, and what lasts long
  --prove          afterwards puts broken reconcilers in the place of the right one, and expects each to be caught:
                   ${BREAKS.map(({ name }) => name).join(', ')}
  --prove-one NAME the same with one of them
  --out DIR        folder for logs and report.json (default: out/chaos)
  --state DIR      folder for the state of the embedded AWS, emptied first (default: <out>/state)
  --python FILE    Python with proof/localcloud/requirements.txt (default: $SAS_GRID_PYTHON or .venv/bin/python)
  --help           this text

Exit code: 0 when everything held; 1 when something did not, or the test could not run; 2 for a wrong option; 130 when interrupted.`;

/**
 * Reads the command line.
 * @throws OptionError for unknown options and values out of range
 */
export function parseChaosOptions(args: string[], env: NodeJS.ProcessEnv = {}): ChaosOptions {
  let values: ReturnType<typeof parse>;
  try {
    values = parse(args);
  } catch (error) {
    throw new OptionError(`${(error as Error).message}\nUse --help to see the options.`);
  }
  const known = BREAKS.map(({ name }) => name);
  const one = values['prove-one'];
  if (one !== undefined && !known.includes(one)) {
    throw new OptionError(`--prove-one is '${one}'; allowed: ${known.join(', ')}`);
  }
  const out = values.out ?? 'out/chaos';
  return {
    seconds: whole('seconds', values.seconds, 1, LONGEST_SECONDS) ?? DEFAULT_SECONDS,
    seed: whole('seed', values.seed, 0, 2 ** 32 - 1) ?? Math.floor(Math.random() * 1_000_000),
    short: values.short ?? false,
    mistakes: one ? [one] : values.prove ? known : [],
    out,
    state: values.state ?? `${out}/state`,
    python: values.python ?? (env.SAS_GRID_PYTHON || '.venv/bin/python'),
    help: values.help ?? false,
  };
}

function whole(name: string, text: string | undefined, min: number, max: number): number | undefined {
  if (text === undefined) return undefined;
  const value = /^\d{1,12}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return value;
  throw new OptionError(`--${name} is '${text}'; allowed: a whole number from ${min} to ${max}`);
}

function parse(args: string[]) {
  return parseArgs({
    args,
    strict: true,
    allowPositionals: false,
    options: {
      seconds: { type: 'string' },
      seed: { type: 'string' },
      short: { type: 'boolean' },
      prove: { type: 'boolean' },
      'prove-one': { type: 'string' },
      out: { type: 'string' },
      state: { type: 'string' },
      python: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  }).values;
}
