import { DynamoDBClient, GetItemCommand, paginateScan } from '@aws-sdk/client-dynamodb';
import { DescribeExecutionCommand, SFNClient, StartExecutionCommand } from '@aws-sdk/client-sfn';
import { ConfiguredRetryStrategy } from '@smithy/core/retry';
import { momentOf } from '../../lambda/shared/backup-set';
import { ATTEMPTS, ask } from '../preflight/aws/ask';
import { delayMs } from '../preflight/aws/clients';
import { allPages } from '../preflight/aws/ec2';
import { type Execution, type Lock, type OperationAws, UNKNOWN } from './port';

/** What the keys of its rows begin with. */
const BACKUP = 'backup#';

/** Step Functions and the deployment's table, in a region, with the caller's credentials. */
export function operationAws(region: string): OperationAws {
  const retryStrategy = new ConfiguredRetryStrategy(ATTEMPTS, delayMs);
  const workflows = new SFNClient({ region, retryStrategy });
  const dynamo = new DynamoDBClient({ region, retryStrategy });
  return {
    start: (stateMachineArn, input) =>
      ask('states:StartExecution', async (abortSignal) => {
        const command = new StartExecutionCommand({ stateMachineArn, input: JSON.stringify(input) });
        return (await workflows.send(command, { abortSignal })).executionArn!;
      }),
    execution: (executionArn) =>
      ask('states:DescribeExecution', async (abortSignal): Promise<Execution> => {
        const command = new DescribeExecutionCommand({ executionArn });
        const { status, output, cause } = await known(workflows.send(command, { abortSignal }));
        return { arn: executionArn, status: status ?? UNKNOWN, message: cause ?? messageIn(output) };
      }),
    lock: (TableName) =>
      ask('dynamodb:GetItem', async (abortSignal): Promise<Lock | undefined> => {
        const command = new GetItemCommand({ TableName, Key: { id: { S: 'lock' } }, ConsistentRead: true });
        const { Item } = await dynamo.send(command, { abortSignal });
        if (!Item) return undefined;
        const text = (name: string): string => Item[name]?.S ?? '';
        return {
          operation: text('operation'),
          execution: text('execution'),
          since: text('since'),
          step: text('step'),
        };
      }),
    backup: (TableName) =>
      ask('dynamodb:Scan', async (): Promise<Lock | undefined> => {
        const query = {
          TableName,
          ConsistentRead: true,
          FilterExpression: 'begins_with(id, :backup) AND #state = :taking',
          ExpressionAttributeNames: { '#state': 'state' },
          ExpressionAttributeValues: { ':backup': { S: BACKUP }, ':taking': { S: 'taking' } },
        };
        const found = await allPages(paginateScan({ client: dynamo }, query), ({ Items = [] }) => Items);
        const ids = found.map(({ id }) => id?.S ?? '').sort();
        const newest = found.find(({ id }) => id?.S === ids.at(-1));
        const execution = newest?.execution?.S;
        if (newest === undefined || execution === undefined) return undefined;
        const set = newest.id?.S?.slice(BACKUP.length) ?? '';
        const since = new Date(momentOf({ set, snapshots: [] })).toISOString();
        return { operation: 'backup', execution, since, step: '' };
      }),
  };
}

/** @returns nothing of an execution that is not there */
async function known<T extends object>(answer: Promise<T>): Promise<Partial<T>> {
  try {
    return await answer;
  } catch (error) {
    if (['ExecutionDoesNotExist', 'InvalidArn'].includes((error as Error).name)) return {};
    throw error;
  }
}

function messageIn(output?: string): string | undefined {
  try {
    const { message } = JSON.parse(output ?? '{}') as { message?: unknown };
    return typeof message === 'string' ? message : undefined;
  } catch {
    return undefined;
  }
}
