import type { Readable } from 'node:stream';
import { DynamoDBClient, paginateScan } from '@aws-sdk/client-dynamodb';
import { EC2Client, paginateDescribeInstances } from '@aws-sdk/client-ec2';
import { GetObjectCommand, paginateListObjectsV2, S3Client } from '@aws-sdk/client-s3';
import {
  DescribeExecutionCommand,
  GetExecutionHistoryCommand,
  ListExecutionsCommand,
  SFNClient,
  StartExecutionCommand,
} from '@aws-sdk/client-sfn';
import { ConfiguredRetryStrategy } from '@smithy/core/retry';
import type { Host } from '../../lambda/shared/host';
import { OptionError } from '../arguments';
import { DEPLOYMENT_TAG } from '../deployment/aws';
import { ATTEMPTS, ask, errorName } from '../preflight/aws/ask';
import { delayMs } from '../preflight/aws/clients';
import { allPages } from '../preflight/aws/ec2';
import type { HostsAws } from './hosts';
import type { BucketAws, ExecutionLook, WorkflowAws } from './port';

/** How clients of these verbs call. */
export const clientOptions = (region: string) => ({
  region,
  retryStrategy: new ConfiguredRetryStrategy(ATTEMPTS, delayMs),
});

const SLOT = 'slot#';

export function hostsAws(region: string): HostsAws {
  const ec2 = new EC2Client(clientOptions(region));
  const dynamodb = new DynamoDBClient(clientOptions(region));
  return {
    hosts: (deployment) =>
      ask('ec2:DescribeInstances', async () => {
        const Filters = [
          { Name: `tag:${DEPLOYMENT_TAG}`, Values: [deployment] },
          { Name: 'instance-state-name', Values: ['pending', 'running', 'stopping', 'stopped'] },
        ];
        const found = await allPages(
          paginateDescribeInstances({ client: ec2 }, { Filters }),
          ({ Reservations = [] }) => Reservations.flatMap(({ Instances = [] }) => Instances),
        );
        return found.map(
          ({ InstanceId, State, Tags = [] }): Host => ({
            instanceId: InstanceId!,
            state: State?.Name ?? 'unknown',
            name: Tags.find(({ Key }) => Key === 'Name')?.Value,
          }),
        );
      }),
    owners: (TableName) =>
      ask('dynamodb:Scan', async () => {
        const items = await allPages(
          paginateScan({ client: dynamodb }, { TableName }),
          ({ Items = [] }) => Items,
        );
        return new Map(
          items.flatMap(({ item, owner }) =>
            item?.S?.startsWith(SLOT) && owner?.S ? [[item.S.slice(SLOT.length), owner.S] as const] : [],
          ),
        );
      }),
  };
}

export function workflowAws(region: string): WorkflowAws {
  const client = new SFNClient(clientOptions(region));
  return {
    start: (stateMachineArn, name, input) =>
      ask('states:StartExecution', async (abortSignal) => {
        const command = new StartExecutionCommand({ stateMachineArn, name, input: JSON.stringify(input) });
        return (await client.send(command, { abortSignal })).executionArn!;
      }),
    execution: (executionArn) =>
      ask('states:DescribeExecution', async (abortSignal): Promise<ExecutionLook> => {
        const command = new DescribeExecutionCommand({ executionArn });
        const { status, error, cause } = await client.send(command, { abortSignal }).catch(unknownExecution);
        const why = [error, cause].filter(Boolean).join(': ');
        return { arn: executionArn, status: status ?? 'UNKNOWN', why: why || undefined };
      }),
    running: (stateMachineArn) =>
      ask('states:ListExecutions', async (abortSignal) => {
        const command = new ListExecutionsCommand({
          stateMachineArn,
          statusFilter: 'RUNNING',
          maxResults: 1,
        });
        return (await client.send(command, { abortSignal })).executions?.[0]?.executionArn;
      }),
    at: (executionArn) =>
      ask('states:GetExecutionHistory', async (abortSignal) => {
        const command = new GetExecutionHistoryCommand({ executionArn, reverseOrder: true, maxResults: 50 });
        const { events = [] } = await client.send(command, { abortSignal });
        const details = events.find((event) => event.stateEnteredEventDetails)?.stateEnteredEventDetails;
        return details && { state: details.name ?? '', data: parsed(details.input) };
      }),
  };
}

function unknownExecution(error: unknown): never {
  if (errorName(error) !== 'ExecutionDoesNotExist') throw error;
  throw new OptionError(
    `There is no such execution: ${(error as Error).message}. Look at the list of executions in the console of Step ` +
      'Functions; it keeps them for 90 days.',
  );
}

function parsed(text?: string): unknown {
  try {
    return JSON.parse(text ?? 'null');
  } catch {
    // Of long data the history has the beginning only.
    return undefined;
  }
}

export function bucketAws(region: string): BucketAws {
  const client = new S3Client({
    ...clientOptions(region),
    forcePathStyle: process.env.AWS_ENDPOINT_URL !== undefined,
  });
  return {
    list: (Bucket, Prefix) =>
      ask('s3:ListBucket', async () => {
        const found = await allPages(
          paginateListObjectsV2({ client }, { Bucket, Prefix }),
          ({ Contents = [] }) => Contents,
        );
        return found.map(({ Key, Size = 0 }) => ({ key: Key!, bytes: Size }));
      }),
    get: (Bucket, Key) =>
      ask('s3:GetObject', async () => {
        const { Body } = await client.send(new GetObjectCommand({ Bucket, Key }));
        return Body as Readable;
      }),
  };
}
