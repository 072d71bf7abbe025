import { type CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { type DynamoDBClient, paginateScan } from '@aws-sdk/client-dynamodb';
import { historyKey } from '../../constructs/private/recoveries';
import { fromItem, type Plain } from '../../lambda/shared/attributes';
import { parseTier } from '../../lambda/shared/map';
import { parseRecovery } from '../../lambda/shared/recoveries';
import { MOMENTS, type Moment, type Phase } from '../../lambda/shared/timeline';

/** A recovery that has ended. */
export interface RecoveryTime {
  readonly tier: string;
  readonly slot: string;
  readonly epoch: number;
  /** The server that took over. */
  readonly owner: string;
  readonly serverType?: string;
  readonly bySpare: boolean;
  /** It is of another type than its tier, for want of capacity. */
  readonly byFallback: boolean;
  /** ISO 8601. */
  readonly startedAt: string;
  readonly completedAt: string;
  readonly seconds: number;
  readonly phases: Pick<Phase, 'name' | 'seconds'>[];
}

/** A recovery that goes on. */
export interface UnderWay {
  readonly tier: string;
  readonly slot: string;
  /** The last moment that was reached, and when. */
  readonly reached: Moment;
  readonly at: string;
  readonly reason?: string;
}

/** What the volume map says about recoveries. */
export interface Times {
  readonly table: string;
  /** The last ones, oldest first. */
  readonly recoveries: RecoveryTime[];
  readonly underWay: UnderWay[];
}

/** The map could not be read; the message says what to do about it. */
export class ReadError extends Error {}

/**
 * The table of a deployment of the reference application.
 * @throws ReadError
 */
export async function tableOf(client: CloudFormationClient, deployment: string): Promise<string> {
  const stack = `${deployment}-storage`;
  const answer = await client
    .send(new DescribeStacksCommand({ StackName: stack }))
    .catch((error) => refused(error, `the stack ${stack}`));
  const outputs = answer.Stacks?.[0]?.Outputs ?? [];
  const table = outputs.find(({ OutputKey }) => OutputKey === 'VolumeMapTable')?.OutputValue;
  if (table !== undefined) return table;
  throw new ReadError(
    `The stack ${stack} has no output VolumeMapTable: this deployment has no tier whose servers are replaced ` +
      'with their volumes. Name the table of another one with --table.',
  );
}

/**
 * Reads all recoveries of a table.
 * @throws ReadError
 */
export async function readTimes(
  client: DynamoDBClient,
  table: string,
  filter: { readonly tier?: string; readonly last: number },
): Promise<Times> {
  const tiers = new Map<string, { [key: string]: Plain }[]>();
  try {
    for await (const page of paginateScan({ client }, { TableName: table })) {
      for (const item of (page.Items ?? []).map(fromItem)) {
        const tier = String(item.tier);
        tiers.set(tier, [...(tiers.get(tier) ?? []), item]);
      }
    }
  } catch (error) {
    return refused(error, `the table ${table}`);
  }
  const known = [...tiers.keys()].filter((tier) => !tier.includes('#')).sort();
  if (known.length === 0) {
    throw new ReadError(
      `The table ${table} has no slots: it is not a volume map, or nothing was deployed with it. ` +
        "The output VolumeMapTable of the storage's stack names the right one.",
    );
  }
  const wanted = filter.tier;
  if (wanted !== undefined && !known.includes(wanted)) {
    throw new ReadError(`The table ${table} has no tier '${wanted}'; it has ${known.join(', ')}.`);
  }
  const read = known.filter((tier) => wanted === undefined || tier === wanted);
  const recoveries = read
    .flatMap((tier) => ended(tier, tiers.get(historyKey(tier)) ?? []))
    .sort((a, b) => a.completedAt.localeCompare(b.completedAt))
    .slice(-filter.last);
  return { table, recoveries, underWay: read.flatMap((tier) => goingOn(tier, tiers.get(tier)!)) };
}

function ended(tier: string, items: { [key: string]: Plain }[]): RecoveryTime[] {
  return items.flatMap((item) => {
    const found = parseRecovery(item);
    if (found === undefined) return [];
    return [
      {
        tier,
        slot: found.slot,
        epoch: found.epoch,
        owner: found.owner,
        serverType: found.serverType,
        bySpare: found.bySpare,
        byFallback: found.byFallback,
        startedAt: new Date(found.startedAt).toISOString(),
        completedAt: new Date(found.completedAt).toISOString(),
        seconds: found.seconds,
        phases: found.phases.map(({ name, seconds }) => ({ name, seconds })),
      },
    ];
  });
}

function goingOn(tier: string, items: { [key: string]: Plain }[]): UnderWay[] {
  return parseTier(items).slots.flatMap(({ slot, timeline, reason }) => {
    const begun = timeline.detected !== undefined || timeline.vacated !== undefined;
    if (!begun || timeline.completed !== undefined) return [];
    const reached = MOMENTS.filter((moment) => timeline[moment] !== undefined).sort((a, b) =>
      timeline[a]!.localeCompare(timeline[b]!),
    );
    const last = reached[reached.length - 1]!;
    return [{ tier, slot, reached: last, at: timeline[last]!, reason }];
  });
}

function refused(error: unknown, what: string): never {
  const { name, message } = error as Error;
  const advice: { [name: string]: string } = {
    ResourceNotFoundException:
      "Is it in another Region (--region)? The output VolumeMapTable of the storage's stack names it.",
    ValidationError: 'Is it in another Region (--region), or the deployment named differently?',
    CredentialsProviderError: 'Sign in, for example with aws sso login, or name a profile with AWS_PROFILE.',
    AccessDeniedException: 'It takes dynamodb:Scan on the table and kms:Decrypt on its key.',
    AccessDenied: 'It takes cloudformation:DescribeStacks; or name the table with --table.',
    ExpiredTokenException: 'The credentials have expired: sign in again.',
    UnrecognizedClientException: 'The credentials are not valid in this Region: sign in again.',
  };
  const region = /region is missing/i.test(message)
    ? 'Name the Region with --region or AWS_REGION.'
    : undefined;
  const code = (error as { code?: string }).code ?? '';
  const network = /^(ECONN|ENOTFOUND|ETIMEDOUT|EAI_AGAIN)/.test(code)
    ? 'There is no way to AWS from here: check the network, the proxy and AWS_ENDPOINT_URL.'
    : undefined;
  const help = region ?? network ?? advice[name];
  if (help === undefined) throw error;
  throw new ReadError(
    `${what[0]!.toUpperCase()}${what.slice(1)} could not be read: ${message || code}\n${help}`,
  );
}
