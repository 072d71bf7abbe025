import {
  ConditionalCheckFailedException,
  DeleteItemCommand,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
} from '@aws-sdk/client-dynamodb';
import { DELETE_AFTER, lockPartition, sendPartition } from '../../constructs/private/benchmark-definition';
import { fromItem, toItem } from '../shared/attributes';
import { isConditionFailure } from '../shared/conditions';
import type { LockHolder, TablePort } from './ports';
import type { Sent } from './sent';

/** How long it is kept what was sent. */
const KEPT_SECONDS = 7 * 86_400;

/** The table of the benchmark's history: beside the history it holds the lock and what was sent. */
export class DynamoRuns implements TablePort {
  constructor(
    private readonly client: DynamoDBClient,
    private readonly table: string,
    private readonly benchmark: string,
    private readonly now: () => number,
  ) {}

  async lock(runId: string, untilSeconds: number, nowSeconds: number): Promise<LockHolder | undefined> {
    const item = {
      ...this.lockKey(),
      holder: runId,
      until: untilSeconds,
      [DELETE_AFTER]: untilSeconds + KEPT_SECONDS,
    };
    try {
      await this.client.send(
        new PutItemCommand({
          TableName: this.table,
          Item: toItem(item),
          ConditionExpression: 'attribute_not_exists(holder) OR holder = :me OR #until < :now',
          ExpressionAttributeNames: { '#until': 'until' },
          ExpressionAttributeValues: toItem({ ':me': runId, ':now': nowSeconds }),
          ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
        }),
      );
      return undefined;
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
      const { holder, until } = fromItem(error.Item ?? {});
      return { runId: String(holder ?? 'another'), until: Number(until ?? untilSeconds) };
    }
  }

  async unlock(runId: string): Promise<void> {
    try {
      await this.client.send(
        new DeleteItemCommand({
          TableName: this.table,
          Key: toItem(this.lockKey()),
          ConditionExpression: 'holder = :me',
          ExpressionAttributeValues: toItem({ ':me': runId }),
        }),
      );
    } catch (error) {
      if (!isConditionFailure(error)) throw error;
    }
  }

  async sent(runId: string, stepId: string): Promise<Sent | undefined> {
    const { Item } = await this.client.send(
      new GetItemCommand({
        TableName: this.table,
        Key: toItem(this.sentKey(runId, stepId)),
        ConsistentRead: true,
      }),
    );
    return Item?.sent?.S === undefined ? undefined : JSON.parse(Item.sent.S);
  }

  async saveSent(runId: string, stepId: string, sent: Sent, before: Sent | undefined): Promise<boolean> {
    const item = {
      ...this.sentKey(runId, stepId),
      version: sent.version,
      sent: JSON.stringify(sent),
      [DELETE_AFTER]: Math.floor(this.now() / 1000) + KEPT_SECONDS,
    };
    try {
      await this.client.send(
        new PutItemCommand({
          TableName: this.table,
          Item: toItem(item),
          ...(before === undefined
            ? { ConditionExpression: 'attribute_not_exists(runId)' }
            : {
                ConditionExpression: 'version = :before',
                ExpressionAttributeValues: toItem({ ':before': before.version }),
              }),
        }),
      );
      return true;
    } catch (error) {
      if (isConditionFailure(error)) return false;
      throw error;
    }
  }

  private lockKey(): { benchmark: string; runId: string } {
    return { benchmark: lockPartition(this.benchmark), runId: 'lock' };
  }

  private sentKey(runId: string, stepId: string): { benchmark: string; runId: string } {
    return { benchmark: sendPartition(this.benchmark), runId: `${runId}/${stepId}` };
  }
}
