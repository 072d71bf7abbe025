import type { AssemblyStack } from './assembly';
import { callerIn, regionOf } from './aws/identity';
import type { Told } from './findings';
import type { Place } from './intrinsics';

/** Where the deployment goes, and what is to be said of that. */
export interface Destination {
  /** Without the zones, which are asked for. */
  readonly place: Omit<Place, 'zones'>;
  readonly findings: readonly Told[];
}

/** The domain of each partition's addresses. */
const URL_SUFFIXES: { readonly [partition: string]: string } = { 'aws-cn': 'amazonaws.com.cn' };

/**
 * Finds out where to: as the stacks say, else as the environment does.
 *
 * @throws NoCaller when AWS does not take the credentials
 */
export async function destinationOf(
  stacks: readonly AssemblyStack[],
  env: NodeJS.ProcessEnv,
): Promise<Destination> {
  const named = stacks.find(({ region }) => region !== undefined)?.region;
  const { region, from } =
    named === undefined ? await regionOf(env) : { region: named, from: 'the configuration' };
  const { account, arn } = await callerIn(region);
  const [, partition = 'aws'] = arn.split(':');
  const place = { account, region, partition, urlSuffix: URL_SUFFIXES[partition] ?? 'amazonaws.com' };
  const wanted = stacks.find((stack) => stack.account !== undefined)?.account;
  return { place, findings: [ofAccount(wanted, account, arn), ofRegion(region, from)] };
}

function ofAccount(wanted: string | undefined, account: string, arn: string): Told {
  if (wanted === undefined || wanted === account) {
    return { check: 'credentials', status: 'passed', text: `${arn}, account ${account}` };
  }
  return {
    check: 'credentials',
    status: 'failed',
    text: `the stacks are for account ${wanted}, and the credentials are of ${account} (${arn})`,
    fix: `export AWS_PROFILE=<a profile of account ${wanted}>`,
  };
}

function ofRegion(region: string, from: string): Told {
  if (from) return { check: 'region', status: 'passed', text: `${region}, as ${from} says` };
  return {
    check: 'region',
    status: 'warning',
    text: `${region}, since nothing names a region`,
    fix: 'region: <region> in the configuration, or export AWS_REGION=<region>',
  };
}
