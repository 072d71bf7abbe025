import { existsSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { OptionError } from '../arguments';
import { callerIn, NoCaller, regionOf } from '../preflight/aws/identity';
import type { DeploymentOptions } from './options';

/** Where a deployment is, and who asks. */
export interface Where {
  readonly region: string;
  readonly account: string;
}

/**
 * Sets the profile, and finds out where to look.
 *
 * @throws OptionError when AWS does not take the credentials
 */
export async function whereIs(options: DeploymentOptions, env: NodeJS.ProcessEnv): Promise<Where> {
  // Which Node.js the SDK wants one day is nothing that whoever operates can mend here.
  process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true';
  // The clients of the SDK look there.
  if (options.profile !== undefined) process.env.AWS_PROFILE = options.profile;
  const region = options.region ?? configuredRegion(options.deployment) ?? (await regionOf(env)).region;
  try {
    return { region, account: (await callerIn(region)).account };
  } catch (error) {
    if (!(error instanceof NoCaller)) throw error;
    throw new OptionError(`AWS cannot be asked in ${region}: ${error.message}. ${error.fix}`);
  }
}

/** The region that the deployment's configuration names, where it is at hand. */
function configuredRegion(deployment: string): string | undefined {
  const file = `config/${deployment}.yaml`;
  if (!existsSync(file)) return undefined;
  try {
    const { region } = (parse(readFileSync(file, 'utf8')) ?? {}) as { region?: unknown };
    return typeof region === 'string' ? region : undefined;
  } catch {
    // A configuration that is being edited does not hide what is deployed.
    return undefined;
  }
}
