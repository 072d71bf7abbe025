import { type DynamoDBClient, paginateScan, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { fromItem, type Plain, toItem } from '../shared/attributes';
import { isConditionFailure } from '../shared/conditions';
import type { CataloguePort, Plan, PlannedServer, SetState } from './ports';

/** What the keys of its items begin with. */
const PREFIX = 'backup#';

const lineOf = ({ tier, slot, instanceId, epoch, volumes }: PlannedServer): string =>
  `${tier} ${slot} ${instanceId} ${epoch} ${volumes.join(',')}`;

/** Items of the deployment's table, one for each backup that was tried. */
export class DynamoCatalogue implements CataloguePort {
  constructor(
    private readonly client: DynamoDBClient,
    private readonly table: string,
  ) {}

  async begin(
    set: string,
    execution: string,
    protect: boolean,
    what: Plan | readonly string[],
  ): Promise<void> {
    const servers = 'servers' in what ? what.servers.map(lineOf) : [...what];
    await this.update(set, {
      UpdateExpression:
        'SET #state = :taking, #execution = :execution, #protect = :protect, #servers = :servers ' +
        'REMOVE #takes, #reason',
      ExpressionAttributeNames: {
        '#state': 'state',
        '#execution': 'execution',
        '#protect': 'protect',
        '#servers': 'servers',
        '#takes': 'takes',
        '#reason': 'reason',
      },
      ExpressionAttributeValues: toItem({
        ':taking': 'taking',
        ':execution': execution,
        ':protect': protect,
        ':servers': servers,
      }),
    });
  }

  takes(set: string): Promise<boolean> {
    return this.update(set, {
      UpdateExpression: 'SET #takes = :yes',
      ConditionExpression: 'attribute_not_exists(#takes)',
      ExpressionAttributeNames: { '#takes': 'takes' },
      ExpressionAttributeValues: toItem({ ':yes': true }),
    });
  }

  async settle(set: string, state: SetState, reason: string): Promise<void> {
    await this.update(set, {
      UpdateExpression: 'SET #state = :state, #reason = :reason',
      ExpressionAttributeNames: { '#state': 'state', '#reason': 'reason' },
      ExpressionAttributeValues: toItem({ ':state': state, ':reason': reason }),
    });
  }

  async unfinished(): Promise<{ set: string; execution: string }[]> {
    const found: { [name: string]: Plain }[] = [];
    const pages = paginateScan(
      { client: this.client },
      {
        TableName: this.table,
        ConsistentRead: true,
        FilterExpression: 'begins_with(id, :prefix) AND #state = :taking',
        ExpressionAttributeNames: { '#state': 'state' },
        ExpressionAttributeValues: toItem({ ':prefix': PREFIX, ':taking': 'taking' }),
      },
    );
    for await (const { Items } of pages) found.push(...(Items ?? []).map(fromItem));
    return found.map(({ id, execution }) => ({
      set: String(id).slice(PREFIX.length),
      execution: String(execution),
    }));
  }

  async watchedSince(now: string): Promise<number> {
    const answer = await this.client.send(
      new UpdateItemCommand({
        TableName: this.table,
        Key: toItem({ id: 'backup-watch' }),
        UpdateExpression: 'SET #since = if_not_exists(#since, :now)',
        ExpressionAttributeNames: { '#since': 'since' },
        ExpressionAttributeValues: toItem({ ':now': now }),
        ReturnValues: 'ALL_NEW',
      }),
    );
    return Date.parse(String(fromItem(answer.Attributes ?? {}).since ?? now));
  }

  private async update(
    set: string,
    change: Omit<ConstructorParameters<typeof UpdateItemCommand>[0], 'TableName' | 'Key'>,
  ): Promise<boolean> {
    try {
      const Key = toItem({ id: `${PREFIX}${set}` });
      await this.client.send(new UpdateItemCommand({ TableName: this.table, Key, ...change }));
      return true;
    } catch (error) {
      if (isConditionFailure(error)) return false;
      throw error;
    }
  }
}
