import { type DynamoDBClient, QueryCommand, type QueryCommandOutput } from '@aws-sdk/client-dynamodb';
import { fromItem, type Plain, toAttribute } from './attributes';
import { parseTier, type TierRows } from './map';

/** All rows of a tier, strongly consistent: what a worker has just written is seen. */
export async function readTier(client: DynamoDBClient, table: string, tier: string): Promise<TierRows> {
  return parseTier(await readItems(client, table, tier));
}

/** All items of a tier, as they are. */
export async function readItems(
  client: DynamoDBClient,
  table: string,
  tier: string,
): Promise<{ [key: string]: Plain }[]> {
  const items: { [key: string]: Plain }[] = [];
  let start: QueryCommandOutput['LastEvaluatedKey'];
  do {
    const page: QueryCommandOutput = await client.send(
      new QueryCommand({
        TableName: table,
        ConsistentRead: true,
        KeyConditionExpression: 'tier = :tier',
        ExpressionAttributeValues: { ':tier': toAttribute(tier) },
        ExclusiveStartKey: start,
      }),
    );
    items.push(...(page.Items ?? []).map(fromItem));
    start = page.LastEvaluatedKey;
  } while (start !== undefined);
  return items;
}
