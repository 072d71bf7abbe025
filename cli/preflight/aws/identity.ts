import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { loadConfig, NODE_REGION_CONFIG_FILE_OPTIONS, NODE_REGION_CONFIG_OPTIONS } from '@smithy/core/config';
import { CDK_REGION } from '../../../constructs/facts/quotas';
import { ATTEMPTS, ask, errorName, isUnchecked } from './ask';

/** Who asks, and where. */
export interface Caller {
  readonly account: string;
  readonly arn: string;
}

/** Why nobody can be asked, and what mends it. */
export class NoCaller extends Error {
  public override readonly name = 'NoCaller';

  constructor(
    message: string,
    readonly fix: string,
  ) {
    super(message);
  }
}

/** The region that the CDK would take for a stack that names none, and where it is from. */
export async function regionOf(env: NodeJS.ProcessEnv): Promise<{ region: string; from: string }> {
  for (const name of ['AWS_REGION', 'AMAZON_REGION', 'AWS_DEFAULT_REGION', 'AMAZON_DEFAULT_REGION']) {
    const region = env[name];
    if (region) return { region, from: name };
  }
  try {
    const region = await loadConfig(NODE_REGION_CONFIG_OPTIONS, NODE_REGION_CONFIG_FILE_OPTIONS)();
    return { region, from: 'the profile' };
  } catch {
    return { region: CDK_REGION.value, from: '' };
  }
}

const LOG_IN = 'aws sso login, or aws configure; then look with aws sts get-caller-identity';

const WHY: readonly (readonly [RegExp, string, string])[] = [
  [/^CredentialsProviderError$/, 'there are no credentials', LOG_IN],
  [/^(ExpiredToken(Exception)?|RequestExpired)$/, 'the credentials have expired', LOG_IN],
  [
    /^(InvalidClientTokenId|UnrecognizedClientException|SignatureDoesNotMatch|AuthFailure)$/,
    'AWS does not take the credentials in this region',
    'aws sts get-caller-identity; where the region is off for the account: aws account enable-region --region-name ',
  ],
];

/**
 * Who the credentials belong to.
 *
 * @throws NoCaller when there are none, or AWS does not take them
 */
export async function callerIn(region: string): Promise<Caller> {
  const client = new STSClient({ region, maxAttempts: ATTEMPTS });
  try {
    const { Account, Arn } = await ask('sts:GetCallerIdentity', (abortSignal) =>
      client.send(new GetCallerIdentityCommand({}), { abortSignal }),
    );
    return { account: Account ?? '', arn: Arn ?? '' };
  } catch (error) {
    const known = WHY.find(([name]) => name.test(errorName(error)));
    if (known) throw new NoCaller(known[1], known[2].endsWith(' ') ? known[2] + region : known[2]);
    if (isUnchecked(error))
      throw new NoCaller(error.message, 'aws sts get-caller-identity says whether AWS is reached');
    throw new NoCaller((error as Error).message, LOG_IN);
  }
}
