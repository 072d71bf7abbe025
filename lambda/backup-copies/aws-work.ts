import { type DynamoDBClient, GetItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { fromItem, type Plain, toItem } from '../shared/attributes';
import { isConditionFailure } from '../shared/conditions';
import type { Work, WorkPort } from './ports';

const KEY = { id: { S: 'backup-copies' } };

type Change = Omit<ConstructorParameters<typeof UpdateItemCommand>[0], 'TableName' | 'Key'>;

/** An item of the deployment's table. */
export class DynamoWork implements WorkPort {
  constructor(
    private readonly client: DynamoDBClient,
    private readonly table: string,
  ) {}

  async read(): Promise<Work | undefined> {
    const { Item } = await this.client.send(
      new GetItemCommand({ TableName: this.table, Key: KEY, ConsistentRead: true }),
    );
    const { set, claims } = fromItem(Item ?? {});
    if (typeof set !== 'string') return undefined;
    const found = Object.entries((claims ?? {}) as { [id: string]: Plain });
    return { set, claims: Object.fromEntries(found.map(([id, at]) => [id, String(at)])) };
  }

  begin(set: string, before: Work | undefined): Promise<boolean> {
    return this.change({
      UpdateExpression: 'SET #set = :set, #claims = :none',
      ConditionExpression: before ? '#set = :before' : 'attribute_not_exists(#set)',
      ExpressionAttributeNames: { '#set': 'set', '#claims': 'claims' },
      ExpressionAttributeValues: toItem({
        ':set': set,
        ':none': {},
        ...(before && { ':before': before.set }),
      }),
    });
  }

  claim(set: string, snapshotId: string, now: string, before: string | undefined): Promise<boolean> {
    const unchanged = before === undefined ? 'attribute_not_exists(#claims.#id)' : '#claims.#id = :before';
    return this.change({
      UpdateExpression: 'SET #claims.#id = :now',
      ConditionExpression: `#set = :set AND ${unchanged}`,
      ExpressionAttributeNames: { '#set': 'set', '#claims': 'claims', '#id': snapshotId },
      ExpressionAttributeValues: toItem({ ':set': set, ':now': now, ':before': before }),
    });
  }

  async release(set: string, snapshotId: string, claimed: string): Promise<void> {
    await this.change({
      UpdateExpression: 'REMOVE #claims.#id',
      ConditionExpression: '#set = :set AND #claims.#id = :claimed',
      ExpressionAttributeNames: { '#set': 'set', '#claims': 'claims', '#id': snapshotId },
      ExpressionAttributeValues: toItem({ ':set': set, ':claimed': claimed }),
    });
  }

  async watchedSince(now: string): Promise<number> {
    const answer = await this.client.send(
      new UpdateItemCommand({
        TableName: this.table,
        Key: KEY,
        UpdateExpression: 'SET #since = if_not_exists(#since, :now)',
        ExpressionAttributeNames: { '#since': 'since' },
        ExpressionAttributeValues: toItem({ ':now': now }),
        ReturnValues: 'ALL_NEW',
      }),
    );
    return Date.parse(String(fromItem(answer.Attributes ?? {}).since ?? now));
  }

  /** @returns false when another pass was first */
  private async change(change: Change): Promise<boolean> {
    try {
      await this.client.send(new UpdateItemCommand({ TableName: this.table, Key: KEY, ...change }));
      return true;
    } catch (error) {
      if (isConditionFailure(error)) return false;
      throw error;
    }
  }
}
