import { OptionError, readOptions, wholeNumber } from '../../cli/arguments';
import { ENVIRONMENT_OPTIONS, environmentOf } from '../kit/program';
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

export const USAGE = `Deploys SAS Grid on Lustre to the embedded AWS and harms it for a while: terminates, stops and
hangs servers, kills the functions that repair them in the middle, refuses calls as too many, loses, repeats and delays
events. Afterwards every slot has to be served, the map has to agree with EC2, what clients were told is written has to
be there, and nothing forbidden may have happened at any moment. Needs no AWS account and never calls one.

Usage: npx tsx proof/chaos/run.ts [options]

  --seconds N      how long it is abused, 1 to ${LONGEST_SECONDS} (default: ${DEFAULT_SECONDS}); deploying and settling
                   come on top
  --seed N         a whole number from 0; the same seed draws the same abuses of the same slots at the same moments.
                   What becomes of them does not follow from it: the embedded AWS is made of real processes. Default:
                   another one each time, which is printed
  --short          leaves out lost events, which only the schedule of five minutes makes up for, and what lasts long
  --prove          afterwards puts broken reconcilers in the place of the right one, and expects each to be caught:
                   ${BREAKS.map(({ name }) => name).join(', ')}
  --prove-one NAME the same with one of them
  --out DIR        folder for logs and report.json (default: out/chaos)
  --state DIR      folder for the state of the embedded AWS, emptied first (default: <out>/state)
  --python FILE    Python with proof/localcloud/requirements.txt (default: $SAS_GRID_PYTHON or .venv/bin/python)
  --help           this text

Exit code: 0 when everything held; 1 when something did not, or the test could not run; 2 for a wrong option;
130 when interrupted.`;

/**
 * Reads the command line.
 * @throws OptionError for unknown options and values out of range
 */
export function parseChaosOptions(args: string[], env: NodeJS.ProcessEnv = {}): ChaosOptions {
  const { values, flags } = readOptions(args, {
    ...ENVIRONMENT_OPTIONS,
    seconds: 'value',
    seed: 'value',
    short: 'flag',
    prove: 'flag',
    'prove-one': 'value',
  });
  const known = BREAKS.map(({ name }) => name);
  const one = values['prove-one'];
  if (one !== undefined && !known.includes(one)) {
    throw new OptionError(`--prove-one is '${one}'; allowed: ${known.join(', ')}`);
  }
  const { seconds = String(DEFAULT_SECONDS), seed = String(Math.floor(Math.random() * 1_000_000)) } = values;
  return {
    ...environmentOf({ values, flags }, 'out/chaos', env),
    seconds: wholeNumber('--seconds', seconds, 1, LONGEST_SECONDS),
    seed: wholeNumber('--seed', seed, 0, 2 ** 32 - 1),
    short: flags.has('short'),
    mistakes: one ? [one] : flags.has('prove') ? known : [],
  };
}
