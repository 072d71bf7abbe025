import { OptionError, readOptions, wholeNumber } from '../../cli/arguments';

/** What the command line asked for. */
export interface Options {
  /** The volume map; undefined when `deployment` is to be asked for it. */
  readonly table?: string;
  readonly deployment?: string;
  readonly region?: string;
  /** Only this tier. */
  readonly tier?: string;
  /** How many recoveries are shown, the last ones. */
  readonly last: number;
  readonly json: boolean;
  readonly help: boolean;
}

const LAST = 20;
/** More than a map keeps. */
const MOST = 1_000_000;

export const USAGE = `Shows how long the recoveries of a deployment took, phase by phase, from its volume map.

Usage: npx tsx scripts/recovery-time.ts (--table TABLE | --deployment NAME) [options]
       make recovery-time DEPLOYMENT=NAME [RECOVERY_OPTIONS="--json"]

  --table TABLE      the volume map: the output VolumeMapTable of the storage's stack
  --deployment NAME  reads that output of the stack NAME-storage
  --region REGION    the Region (default: that of your AWS configuration)
  --tier TIER        only this tier, for example oss
  --last N           how many recoveries are listed (default: ${LAST}); the percentiles are of the same ones
  --json             JSON instead of tables
  --help             this text

It needs AWS credentials with dynamodb:Scan on the table, kms:Decrypt on its key and, for --deployment,
cloudformation:DescribeStacks. It changes nothing.

Phases: detect (failure to notice), launch (notice to the launch of the replacement, 0 for a spare), fence (notice
until the old server was seen terminated), detach (until its volumes were free), wait (until a server took the slot),
attach, serve, complete.
Detect, fence, wait, attach, serve and complete make up the whole; launch and detach run beside them.

Exit code: 0 also when there was no recovery yet; 1 when the map could not be read; 2 for a wrong option.`;

/**
 * Reads the command line.
 * @throws OptionError
 */
export function parseOptions(args: string[]): Options {
  const { values, flags } = readOptions(args, {
    table: 'value',
    deployment: 'value',
    region: 'value',
    tier: 'value',
    last: 'value',
    json: 'flag',
    help: 'flag',
  });
  const { table, deployment, region, tier } = values;
  const help = flags.has('help');
  if (!help && (table === undefined) === (deployment === undefined)) {
    throw new OptionError('Name the volume map: exactly one of --table and --deployment.');
  }
  const last = wholeNumber('--last', values.last ?? String(LAST), 1, MOST);
  return { table, deployment, region, tier, last, json: flags.has('json'), help };
}
