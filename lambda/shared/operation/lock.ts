import {
  DeleteItemCommand,
  type DynamoDBClient,
  GetItemCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { DescribeExecutionCommand, type SFNClient } from '@aws-sdk/client-sfn';
import { fromItem, type Plain, toItem } from '../attributes';
import { isConditionFailure } from '../conditions';
import { errorName } from '../log';

/** What one step remembers for the next: texts and lists of texts by name. */
export interface Progress {
  readonly [name: string]: string | string[];
}

/** The operation that is under way. */
export interface Held {
  readonly operation: string;
  /** ARN of the execution that it is. */
  readonly execution: string;
  /** ISO 8601. */
  readonly since: string;
  readonly progress: Progress;
  /** Its execution runs no more, and a step of it may: until that has ended, nobody else takes a step. */
  readonly ending?: boolean;
}

/** As the item has it: with the time when the last step began. */
interface Read extends Held {
  readonly at: string;
}

/** The lock of a deployment. */
export interface LockPort {
  /**
   * Takes it for an execution, unless another one that still runs has it.
   *
   * @returns who has it then
   */
  take(operation: string, execution: string, now: string): Promise<Held>;
  /** Notes how far it is, for people and for the next step. */
  note(execution: string, message: string, progress: Progress): Promise<void>;
  free(execution: string): Promise<void>;
}

/**
 * How long a step of an execution that was stopped may go on: longer than the functions' time-out, with room for clocks
 * that differ (constructs/operations, `STEP_TIMEOUT`).
 */
export const STEP_MS = 130_000;

/** Key of the item. */
export const LOCK_ITEM = 'lock';

const KEY = { id: { S: LOCK_ITEM } };

/** An item of the deployment's table, which an execution has as long as it runs. */
export class OperationLock implements LockPort {
  constructor(
    private readonly table: string,
    private readonly dynamo: DynamoDBClient,
    private readonly workflows: SFNClient,
  ) {}

  async take(operation: string, execution: string, now: string): Promise<Held> {
    const held = await this.read();
    if (held?.execution === execution) return this.goOn(held, now);
    // An execution that was stopped, or died, has left it.
    if (held && (await this.isRunning(held.execution))) return held;
    if (held && !(Date.parse(now) - Date.parse(held.at) > STEP_MS)) return { ...held, ending: true };
    const unchanged = held ? 'execution = :held' : 'attribute_not_exists(id)';
    const values = {
      ':operation': operation,
      ':execution': execution,
      ':now': now,
      ':none': {},
      ':step': 'it begins',
    };
    const taken = await this.change({
      UpdateExpression:
        'SET operation = :operation, execution = :execution, since = :now, #at = :now, progress = :none, #step = :step',
      ConditionExpression: unchanged,
      ExpressionAttributeNames: { '#step': 'step', '#at': 'at' },
      ExpressionAttributeValues: toItem(held ? { ...values, ':held': held.execution } : values),
    });
    if (taken) return { operation, execution, since: now, progress: {} };
    const winner = await this.read();
    if (winner) return winner;
    throw new Error('the lock was freed while it was taken; try again');
  }

  /** The next step begins, unless another execution has taken the lock since it was read. */
  private async goOn(held: Read, now: string): Promise<Held> {
    const goesOn = await this.change({
      UpdateExpression: 'SET #at = :now',
      ConditionExpression: 'execution = :execution',
      ExpressionAttributeNames: { '#at': 'at' },
      ExpressionAttributeValues: toItem({ ':now': now, ':execution': held.execution }),
    });
    if (goesOn) return held;
    throw new Error('the lock was taken by another execution; try again');
  }

  async note(execution: string, message: string, progress: Progress): Promise<void> {
    await this.change({
      UpdateExpression: 'SET #step = :step, progress = :progress',
      ConditionExpression: 'execution = :execution',
      ExpressionAttributeNames: { '#step': 'step' },
      ExpressionAttributeValues: toItem({
        ':step': message,
        ':progress': { ...progress },
        ':execution': execution,
      }),
    });
  }

  async free(execution: string): Promise<void> {
    try {
      await this.dynamo.send(
        new DeleteItemCommand({
          TableName: this.table,
          Key: KEY,
          ConditionExpression: 'execution = :execution',
          ExpressionAttributeValues: toItem({ ':execution': execution }),
        }),
      );
    } catch (error) {
      if (!isConditionFailure(error)) throw error;
    }
  }

  private async read(): Promise<Read | undefined> {
    const answer = await this.dynamo.send(
      new GetItemCommand({ TableName: this.table, Key: KEY, ConsistentRead: true }),
    );
    if (!answer.Item) return undefined;
    const { operation, execution, since, at, progress } = fromItem(answer.Item);
    return {
      operation: String(operation),
      execution: String(execution),
      since: String(since),
      at: String(at),
      progress: progressOf(progress),
    };
  }

  private async isRunning(execution: string): Promise<boolean> {
    try {
      const answer = await this.workflows.send(new DescribeExecutionCommand({ executionArn: execution }));
      return answer.status === 'RUNNING' || answer.status === 'PENDING_REDRIVE';
    } catch (error) {
      // Step Functions forgets executions 90 days after their end; one that it never knew holds nothing.
      if (['ExecutionDoesNotExist', 'InvalidArn'].includes(errorName(error))) return false;
      throw error;
    }
  }

  private async change(
    update: Omit<ConstructorParameters<typeof UpdateItemCommand>[0], 'TableName' | 'Key'>,
  ): Promise<boolean> {
    try {
      await this.dynamo.send(new UpdateItemCommand({ TableName: this.table, Key: KEY, ...update }));
      return true;
    } catch (error) {
      if (isConditionFailure(error)) return false;
      throw error;
    }
  }
}

function progressOf(value: Plain | undefined): Progress {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return {};
  const isText = (each: Plain | undefined): each is string => typeof each === 'string';
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, each]): [string, string | string[]][] => {
      if (isText(each)) return [[name, each]];
      return Array.isArray(each) ? [[name, each.filter(isText)]] : [];
    }),
  );
}
