import { OptionError, readOptions } from '../../cli/arguments';
import { ENVIRONMENT_OPTIONS, environmentOf } from '../kit/program';
import { HARMS, type Harm, TERMINATION } from './harms';

/** What the command line asked for. */
export interface DemoOptions {
  /** The reference deployment: the name of a file in config/ without its extension. */
  readonly deployment: string;
  /** Only one failure, that of an object storage server. */
  readonly short: boolean;
  /** What is done to a server of each tier, in order. */
  readonly harms: readonly Harm[];
  /** Launch each product of a catalog twice, side by side. */
  readonly twice: boolean;
  /** Leave everything running after the checks, until the demo is interrupted. */
  readonly keep: boolean;
  /** The folder for logs and reports. */
  readonly out: string;
  /** The folder in which the embedded AWS keeps its state. */
  readonly state: string;
  /** The Python that has the embedded AWS's requirements. */
  readonly python: string;
  readonly help: boolean;
}

export const USAGE = `Deploys a reference deployment to the embedded AWS, terminates storage servers and verifies that
their replacements got their volumes and addresses back. Needs no AWS account and never calls one.

Usage: npx tsx proof/demo/run.ts [options]

  --deployment NAME  the reference deployment, a file of config/ (default: sas-grid-lustre)
  --short            terminate one object storage server only, not the MGS and the MDS as well
  --harm NAMES       what is done to the servers instead of terminating them, in this order, or 'all':
                     ${HARMS.map(({ name }) => name).join(', ')};
                     all but lost-power need virtual machines (make demo MACHINES=vm)
  --twice            of a catalog: launch each product twice, side by side
  --keep             leave the deployment running after the checks, until Ctrl-C
  --out DIR          folder for logs, report.json and report.html (default: out/demo)
  --state DIR        folder for the state of the embedded AWS, emptied first (default: <out>/state)
  --python FILE      Python with proof/localcloud/requirements.txt (default: $SAS_GRID_PYTHON or .venv/bin/python)
  --help             this text

Exit code: 0 when every check held; 1 when one did not, or the demo could not run; 2 for a wrong option;
130 when interrupted.`;

/**
 * Reads the command line.
 * @throws OptionError for unknown options and names that cannot be a deployment's.
 */
export function parseOptions(args: string[], env: NodeJS.ProcessEnv = {}): DemoOptions {
  const { values, flags } = readOptions(args, {
    ...ENVIRONMENT_OPTIONS,
    deployment: 'value',
    short: 'flag',
    harm: 'value',
    twice: 'flag',
    keep: 'flag',
  });
  const deployment = values.deployment ?? 'sas-grid-lustre';
  // The name becomes part of stack names and of a file name.
  if (!/^[a-z][a-z0-9-]{0,63}$/.test(deployment)) {
    throw new OptionError(
      `--deployment is '${deployment}'; allowed: lower-case letters, digits and dashes, starting with a letter. ` +
        'Use the name of a file in config/ without .yaml.',
    );
  }
  return {
    ...environmentOf({ values, flags }, 'out/demo', env),
    deployment,
    short: flags.has('short'),
    harms: harmsOf(values.harm),
    twice: flags.has('twice'),
    keep: flags.has('keep'),
  };
}

function harmsOf(names: string | undefined): readonly Harm[] {
  if (names === undefined) return [TERMINATION];
  if (names === 'all') return HARMS;
  return names.split(',').map((name) => {
    const found = HARMS.find((harm) => harm.name === name);
    if (found) return found;
    const allowed = ['all', ...HARMS.map((harm) => harm.name)].join(', ');
    throw new OptionError(`--harm has '${name}'; allowed: ${allowed}, several with commas between them`);
  });
}
