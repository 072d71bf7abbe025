import { OptionError, readArguments } from '../arguments';
import { PROGRAM } from '../usage';

/** What `preflight` was asked for. */
export interface PreflightOptions {
  /** The deployment: its name, with which the names of its stacks begin. */
  readonly deployment: string;
  readonly format: 'text' | 'json';
  /** A folder that `cdk synth` has written. Left out: the templates are made now. */
  readonly templates?: string;
  /** The profile of the AWS configuration. Left out: as the environment says. */
  readonly profile?: string;
}

/** @throws OptionError */
export function parsePreflight(args: readonly string[]): PreflightOptions {
  const { values, flags, positionals } = readArguments(args, {
    templates: 'value',
    profile: 'value',
    json: 'flag',
  });
  const [deployment, extra] = positionals;
  if (deployment === undefined || extra !== undefined) {
    const given = positionals.length === 0 ? 'none' : positionals.join(' ');
    throw new OptionError(
      `One deployment is needed; ${given} is given. Type ${PROGRAM} preflight sas-grid-lustre`,
    );
  }
  // It begins names of stacks, and is an argument of cdk.
  if (!/^[A-Za-z][A-Za-z0-9-]{0,127}$/.test(deployment)) {
    throw new OptionError(
      `'${deployment}' is no name of a deployment: letters, digits and dashes, first a letter.`,
    );
  }
  return {
    deployment,
    format: flags.has('json') ? 'json' : 'text',
    templates: values.templates,
    profile: values.profile,
  };
}
