import { type Arguments, OptionError, type OptionKinds, readArguments } from '../arguments';
import { PROGRAM } from '../usage';

/** Which deployment, and where: what every verb about a deployment takes. */
export interface DeploymentOptions {
  readonly deployment: string;
  /** The profile of the AWS configuration. Left out: as the environment says. */
  readonly profile?: string;
  /** Left out: as the configuration says, else as the environment does. */
  readonly region?: string;
}

/** The lines of a verb's help about these. */
export const DEPLOYMENT_USAGE = `\
  NAME                the deployment: the name of its file in config/, with which the names of its stacks begin
  --region REGION     where it is (default: as config/NAME.yaml says, else as AWS_REGION or the profile does)
  --profile NAME      the profile of your AWS configuration (default: as AWS_PROFILE says)`;

/**
 * Reads the arguments of a verb about one deployment.
 *
 * @param kinds The options that the verb has besides
 * @throws OptionError
 */
export function parseDeployment(
  verb: string,
  args: readonly string[],
  kinds: OptionKinds = {},
): DeploymentOptions & { readonly given: Arguments } {
  const given = readArguments(args, { profile: 'value', region: 'value', ...kinds });
  const [deployment, extra] = given.positionals;
  if (deployment === undefined || extra !== undefined) {
    const words = given.positionals.join(' ') || 'none';
    throw new OptionError(
      `One deployment is needed; given: ${words}. Type ${PROGRAM} ${verb} sas-grid-lustre`,
    );
  }
  if (!/^[A-Za-z][A-Za-z0-9-]{0,100}$/.test(deployment)) {
    const name = /([A-Za-z][A-Za-z0-9-]*)\.ya?ml$/.exec(deployment)?.[1];
    throw new OptionError(
      `'${deployment}' is no name of a deployment: letters, digits and dashes, first a letter, at most 101.` +
        (name ? ` Did you mean ${name}?` : ''),
    );
  }
  const { profile, region } = given.values;
  if (region !== undefined && !/^[a-z]{2,}(-[a-z]+)+-\d+$/.test(region)) {
    throw new OptionError(`--region is '${region}'; allowed: the name of a region, such as eu-west-1`);
  }
  return { deployment, profile, region, given };
}
