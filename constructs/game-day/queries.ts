/**
 * The questions that a game day asks the volume map. Each one counts rows, so that a step of Automation can compare the
 * answer.
 */

/** Names that DynamoDB reserves, or that could be reserved. Only those in use may be given. */
const NAMES: { [alias: string]: string } = {
  '#item': 'item',
  '#owner': 'owner',
  '#timeline': 'timeline',
  '#completed': 'completed',
};

/** One slot is served and its last repair is over; `settled` in the reconciler's terms. */
const SETTLED = 'attribute_exists(#owner) AND servedEpoch = epoch AND attribute_exists(#timeline.#completed)';

/** Input of aws:executeAwsApi and its relatives. */
export type ApiInput = { readonly [name: string]: unknown };

/** How many slots of a tier are served. */
export function servedSlots(table: string, tier: string): ApiInput {
  return count(table, 'tier = :tier AND begins_with(#item, :slots)', `${SETTLED} AND released = :no`, {
    ':tier': { S: tier },
    ':slots': { S: 'slot#' },
    ':no': { BOOL: false },
  });
}

/** 1 when the slot is served by another server than before, with a higher epoch. */
export function servedAgain(table: string): ApiInput {
  return count(
    table,
    'tier = :tier AND #item = :item',
    `${SETTLED} AND epoch > :epoch AND #owner <> :server`,
    {
      ':tier': { S: '{{ Tier }}' },
      ':item': { S: 'slot#{{ Slot }}' },
      ':epoch': { N: '{{ readBefore.Epoch }}' },
      ':server': { S: '{{ readBefore.Server }}' },
    },
  );
}

/** The slot's row. */
export function slotRow(table: string): ApiInput {
  return {
    Service: 'dynamodb',
    Api: 'GetItem',
    TableName: table,
    ConsistentRead: true,
    Key: { tier: { S: '{{ Tier }}' }, item: { S: 'slot#{{ Slot }}' } },
  };
}

function count(table: string, key: string, filter: string, values: object): ApiInput {
  const used = Object.entries(NAMES).filter(([alias]) => new RegExp(`${alias}\\b`).test(`${key} ${filter}`));
  return {
    Service: 'dynamodb',
    Api: 'Query',
    TableName: table,
    ConsistentRead: true,
    Select: 'COUNT',
    KeyConditionExpression: key,
    FilterExpression: filter,
    ExpressionAttributeNames: Object.fromEntries(used),
    ExpressionAttributeValues: values,
    PropertySelector: '$.Count',
  };
}
