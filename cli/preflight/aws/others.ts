import { DescribeAutoScalingGroupsCommand } from '@aws-sdk/client-auto-scaling';
import { DescribeStacksCommand, paginateListStackResources } from '@aws-sdk/client-cloudformation';
import { DescribeLogGroupsCommand } from '@aws-sdk/client-cloudwatch-logs';
import { DescribeTableCommand } from '@aws-sdk/client-dynamodb';
import { GetRoleCommand } from '@aws-sdk/client-iam';
import { DescribeKeyCommand, GetKeyPolicyCommand, paginateListGrants } from '@aws-sdk/client-kms';
import { GetAWSDefaultServiceQuotaCommand, GetServiceQuotaCommand } from '@aws-sdk/client-service-quotas';
import { DescribeDocumentCommand, GetParameterCommand } from '@aws-sdk/client-ssm';
import { ask, errorName, Unchecked } from './ask';
import type { Clients } from './clients';
import { allPages } from './ec2';
import type { Aws, KeyInfo, StackInfo } from './port';

/** What the checks ask of other services than EC2. */
export type Others = Pick<Aws, 'quota' | 'parameter' | 'key' | 'stack' | 'exists'>;

export function othersOf(clients: Clients): Others {
  return {
    quota: (service, code) => quota(clients, service, code),
    parameter: (name) => parameter(clients, name),
    key: (arn) => key(clients, arn),
    stack: (name) => stack(clients, name),
    exists: (type, name) => exists(clients, type, name),
  };
}

/** Undefined instead of one of these errors. */
async function unless<T>(missing: RegExp, found: Promise<T>): Promise<T | undefined> {
  try {
    return await found;
  } catch (error) {
    if (missing.test(errorName(error))) return undefined;
    throw error;
  }
}

async function quota({ quotas }: Clients, ServiceCode: string, QuotaCode: string): Promise<number> {
  const input = { ServiceCode, QuotaCode };
  const applied = await unless(
    /^NoSuchResourceException$/,
    ask('servicequotas:GetServiceQuota', (abortSignal) =>
      quotas.send(new GetServiceQuotaCommand(input), { abortSignal }),
    ),
  );
  const { Quota } =
    applied ??
    (await ask('servicequotas:GetAWSDefaultServiceQuota', (abortSignal) =>
      quotas.send(new GetAWSDefaultServiceQuotaCommand(input), { abortSignal }),
    ));
  if (Quota?.Value === undefined) throw new Unchecked(`Service Quotas tells no value of ${QuotaCode}`);
  return Quota.Value;
}

async function parameter({ ssm }: Clients, Name: string): Promise<string | undefined> {
  const answer = await unless(
    /^ParameterNotFound$/,
    ask('ssm:GetParameter', (abortSignal) => ssm.send(new GetParameterCommand({ Name }), { abortSignal })),
  );
  return answer?.Parameter?.Value;
}

async function key({ kms }: Clients, KeyId: string): Promise<KeyInfo | undefined> {
  const described = await unless(
    /^NotFoundException$/,
    ask('kms:DescribeKey', (abortSignal) => kms.send(new DescribeKeyCommand({ KeyId }), { abortSignal })),
  );
  const { KeyState, KeyManager, KeySpec } = described?.KeyMetadata ?? {};
  if (described === undefined) return undefined;
  const [{ Policy = '{}' }, grants] = await Promise.all([
    ask('kms:GetKeyPolicy', (abortSignal) =>
      kms.send(new GetKeyPolicyCommand({ KeyId, PolicyName: 'default' }), { abortSignal }),
    ),
    ask('kms:ListGrants', () =>
      allPages(paginateListGrants({ client: kms }, { KeyId }), ({ Grants = [] }) => Grants),
    ),
  ]);
  return {
    state: KeyState ?? '',
    managedBy: KeyManager ?? '',
    symmetric: KeySpec === undefined || KeySpec === 'SYMMETRIC_DEFAULT',
    policy: JSON.parse(Policy),
    grants: grants.map(({ GranteePrincipal = '', Operations = [] }) => ({
      grantee: GranteePrincipal,
      operations: Operations,
    })),
  };
}

async function stack({ cloudFormation }: Clients, StackName: string): Promise<StackInfo | undefined> {
  const described = await unless(
    // Which the name is none of: it has been checked.
    /^ValidationError$/,
    ask('cloudformation:DescribeStacks', (abortSignal) =>
      cloudFormation.send(new DescribeStacksCommand({ StackName }), { abortSignal }),
    ),
  );
  const status = described?.Stacks?.[0]?.StackStatus;
  if (status === undefined || status === 'DELETE_COMPLETE') return undefined;
  const resources = await ask('cloudformation:ListStackResources', () =>
    allPages(
      paginateListStackResources({ client: cloudFormation }, { StackName }),
      ({ StackResourceSummaries = [] }) => StackResourceSummaries,
    ),
  );
  return { status, physicalIds: resources.flatMap(({ PhysicalResourceId }) => PhysicalResourceId ?? []) };
}

type Look = (clients: Clients, name: string) => Promise<boolean>;

const LOOK: { readonly [type: string]: Look } = {
  'AWS::AutoScaling::AutoScalingGroup': async ({ autoScaling }, name) => {
    const { AutoScalingGroups = [] } = await ask('autoscaling:DescribeAutoScalingGroups', (abortSignal) =>
      autoScaling.send(new DescribeAutoScalingGroupsCommand({ AutoScalingGroupNames: [name] }), {
        abortSignal,
      }),
    );
    return AutoScalingGroups.length > 0;
  },
  'AWS::DynamoDB::Table': ({ dynamodb }, TableName) =>
    found(
      /^ResourceNotFoundException$/,
      ask('dynamodb:DescribeTable', (abortSignal) =>
        dynamodb.send(new DescribeTableCommand({ TableName }), { abortSignal }),
      ),
    ),
  'AWS::IAM::Role': ({ iam }, RoleName) =>
    found(
      /^NoSuchEntity/,
      ask('iam:GetRole', (abortSignal) => iam.send(new GetRoleCommand({ RoleName }), { abortSignal })),
    ),
  'AWS::Logs::LogGroup': async ({ logs }, name) => {
    const { logGroups = [] } = await ask('logs:DescribeLogGroups', (abortSignal) =>
      logs.send(new DescribeLogGroupsCommand({ logGroupNamePrefix: name }), { abortSignal }),
    );
    return logGroups.some(({ logGroupName }) => logGroupName === name);
  },
  'AWS::SSM::Document': ({ ssm }, Name) =>
    found(
      /^InvalidDocument$/,
      ask('ssm:DescribeDocument', (abortSignal) =>
        ssm.send(new DescribeDocumentCommand({ Name }), { abortSignal }),
      ),
    ),
};

async function found(missing: RegExp, answer: Promise<unknown>): Promise<boolean> {
  return (await unless(missing, answer)) !== undefined;
}

async function exists(clients: Clients, type: string, name: string): Promise<boolean> {
  const look = LOOK[type];
  if (!look) throw new Unchecked(`nothing here looks for names of ${type}`);
  return look(clients, name);
}
