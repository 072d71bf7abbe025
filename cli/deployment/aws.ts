import {
  CloudFormationClient,
  DescribeStacksCommand,
  paginateDescribeStackEvents,
  paginateDescribeStacks,
  paginateListStackResources,
  type Stack,
  type StackEvent,
} from '@aws-sdk/client-cloudformation';
import { ConfiguredRetryStrategy } from '@smithy/core/retry';
import { ATTEMPTS, ask, errorName } from '../preflight/aws/ask';
import { delayMs } from '../preflight/aws/clients';
import { allPages } from '../preflight/aws/ec2';
import type { DeploymentAws, Failure, StackLook } from './port';

/** The tag that every stack of a deployment has. */
export const DEPLOYMENT_TAG = 'cdk-sas-grid:deployment';

/** So many events are looked through for what failed last. */
const MOST_EVENTS = 2000;

const NESTED = 'AWS::CloudFormation::Stack';

/** CloudFormation itself, in a region, with the caller's credentials. */
export function deploymentAws(region: string): DeploymentAws {
  const retryStrategy = new ConfiguredRetryStrategy(ATTEMPTS, delayMs);
  const client = new CloudFormationClient({ region, retryStrategy });
  return {
    stack: (name) => stack(client, name),
    resources: (StackName) =>
      ask('cloudformation:ListStackResources', async () => {
        const found = await allPages(
          paginateListStackResources({ client }, { StackName }),
          ({ StackResourceSummaries = [] }) => StackResourceSummaries,
        );
        return found.map((one) => ({
          logicalId: one.LogicalResourceId!,
          type: one.ResourceType!,
          status: one.ResourceStatus!,
          reason: one.ResourceStatusReason,
          physicalId: one.PhysicalResourceId || undefined,
        }));
      }),
    failures: (id) => failures(client, id),
    deployments: () =>
      ask('cloudformation:DescribeStacks', async () => {
        const found = await allPages(paginateDescribeStacks({ client }, {}), ({ Stacks = [] }) => Stacks);
        const names = found.filter(({ ParentId }) => !ParentId).map(lookOf);
        return [...new Set(names.flatMap(({ tags }) => tags[DEPLOYMENT_TAG] ?? []))].sort();
      }),
  };
}

async function stack(client: CloudFormationClient, StackName: string): Promise<StackLook | undefined> {
  try {
    const { Stacks } = await ask('cloudformation:DescribeStacks', (abortSignal) =>
      client.send(new DescribeStacksCommand({ StackName }), { abortSignal }),
    );
    return Stacks?.[0] && lookOf(Stacks[0]);
  } catch (error) {
    // Which the name is none of: it has been checked.
    if (errorName(error) === 'ValidationError') return undefined;
    throw error;
  }
}

function lookOf(found: Stack): StackLook {
  const since = found.LastUpdatedTime ?? found.CreationTime;
  return {
    name: found.StackName!,
    id: found.StackId ?? found.StackName!,
    status: found.StackStatus!,
    reason: found.StackStatusReason || undefined,
    outputs: Object.fromEntries((found.Outputs ?? []).map((one) => [one.OutputKey!, one.OutputValue ?? ''])),
    tags: Object.fromEntries((found.Tags ?? []).map(({ Key, Value }) => [Key!, Value ?? ''])),
    since: since?.toISOString(),
  };
}

/** The events come newest first: those until the beginning of the last operation. */
async function failures(client: CloudFormationClient, StackName: string): Promise<Failure[]> {
  return await ask('cloudformation:DescribeStackEvents', async () => {
    const found: Failure[] = [];
    let looked = 0;
    for await (const { StackEvents = [] } of paginateDescribeStackEvents({ client }, { StackName })) {
      for (const event of StackEvents) {
        if (isBeginning(event) || ++looked > MOST_EVENTS) return found;
        if (isFailure(event)) found.unshift(failureOf(event));
      }
    }
    return found;
  });
}

const isOwn = ({ ResourceType, PhysicalResourceId, StackId }: StackEvent): boolean =>
  ResourceType === NESTED && PhysicalResourceId === StackId;

/** Of a stack that rolls back the operation that failed is the one before. */
const isBeginning = (event: StackEvent): boolean =>
  isOwn(event) && /^(CREATE|UPDATE|DELETE|IMPORT|REVIEW)_IN_PROGRESS$/.test(event.ResourceStatus ?? '');

const isFailure = (event: StackEvent): boolean =>
  !isOwn(event) &&
  /_FAILED$/.test(event.ResourceStatus ?? '') &&
  // What was only stopped since something else failed.
  !/cancelled/i.test(event.ResourceStatusReason ?? '');

const failureOf = (event: StackEvent): Failure => ({
  logicalId: event.LogicalResourceId ?? '',
  type: event.ResourceType ?? '',
  reason: event.ResourceStatusReason ?? 'CloudFormation gives no reason',
  at: event.Timestamp?.toISOString() ?? '',
  physicalId: event.ResourceType === NESTED ? event.PhysicalResourceId : undefined,
});
