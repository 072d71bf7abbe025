import type { Output } from './output';
import type { AssemblyStack } from './preflight/assembly';
import { awsOf } from './preflight/aws';
import { NoCaller } from './preflight/aws/identity';
import type { Aws } from './preflight/aws/port';
import { runChecks } from './preflight/checks/run';
import { needsOf } from './preflight/needs';
import type { PreflightOptions } from './preflight/options';
import { type Destination, destinationOf } from './preflight/place';
import { priceOf } from './preflight/price';
import { EXIT_CODES, printReport, type Report, reportJson, verdictOf } from './preflight/report';
import { stacksOf } from './preflight/synthesize';
import { Terminal } from './terminal';

/** Looks whether a deployment can be deployed. @returns the exit code */
export async function runPreflight(options: PreflightOptions, { out, env }: Output): Promise<number> {
  // Which Node.js the SDK wants one day is nothing that whoever deploys can mend here.
  process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true';
  // The clients of the SDK, and cdk, look there.
  if (options.profile !== undefined) process.env.AWS_PROFILE = options.profile;
  const stacks = stacksOf(options.deployment, options.templates, { ...process.env, ...env });
  const report = await reportOf(options.deployment, stacks, env);
  if (options.format === 'json') out.write(reportJson(report));
  else printReport(new Terminal(out, env), report);
  return EXIT_CODES[verdictOf(report)];
}

async function reportOf(
  deployment: string,
  stacks: readonly AssemblyStack[],
  env: NodeJS.ProcessEnv,
): Promise<Report> {
  try {
    const destination = await destinationOf(stacks, env);
    return await checked(deployment, stacks, destination, awsOf(destination.place.region));
  } catch (error) {
    if (!(error instanceof NoCaller)) throw error;
    const { message: text, fix } = error;
    return { deployment, findings: [{ check: 'credentials', status: 'failed', text, fix }] };
  }
}

/** Everything that there is to be asked once it is known who asks, and where. */
export async function checked(
  deployment: string,
  stacks: readonly AssemblyStack[],
  { place, findings }: Destination,
  aws: Aws,
): Promise<Report> {
  const { account, region } = place;
  // What goes to another account is not to be held against this one.
  if (findings.some(({ status }) => status === 'failed')) return { deployment, account, region, findings };
  // Where zones cannot be asked for, those that no template names stay unknown, and are told.
  const zones = await aws.zones().catch(() => []);
  const needs = needsOf(stacks, { ...place, zones });
  const told = await runChecks({ deployment, needs, aws, configuration: `config/${deployment}.yaml` });
  return { deployment, account, region, findings: [...findings, ...told], price: priceOf(needs) };
}
