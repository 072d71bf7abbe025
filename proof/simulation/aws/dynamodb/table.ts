import type {
  AttributeValue,
  ConditionCheck,
  DeleteItemCommandInput,
  PutItemCommandInput,
  QueryCommandInput,
  TransactWriteItem,
  TransactWriteItemsCommandInput,
  UpdateItemCommandInput,
} from '@aws-sdk/client-dynamodb';
import { historyKey } from '../../../../constructs/private/recoveries';
import { fromItem, type Plain, toItem } from '../../../../lambda/shared/attributes';
import type { Call } from '../call';
import type { Context } from '../context';
import { onlyKnows, ServiceError, SimulationError } from '../errors';
import type { MapItem } from '../state';
import { type Aliases, checkAliases, holds, type Item, updated } from './evaluate';
import { parseCondition, parseUpdate } from './parser';

/** For how long a token makes a transaction the same one (API reference, TransactWriteItems: "10 minutes"). */
const TOKEN_LASTS_MS = 10 * 60_000;

const EXPRESSIONS = ['ExpressionAttributeNames', 'ExpressionAttributeValues'];

interface Expressions {
  readonly ExpressionAttributeNames?: { [alias: string]: string };
  readonly ExpressionAttributeValues?: { [alias: string]: AttributeValue };
}

const aliasesOf = (input: Expressions): Aliases => ({
  names: input.ExpressionAttributeNames ?? {},
  values: input.ExpressionAttributeValues ?? {},
});

/** A condition that was checked, and what is to be written if those of all hold. */
interface Check {
  readonly key: string;
  readonly allowed: boolean;
  /** Left out: nothing is written. */
  readonly after?: () => Item | undefined;
}

/** A write that was checked and not done yet. */
interface Write extends Check {
  /** Undefined deletes the item. */
  readonly after: () => Item | undefined;
}

/** A replica is behind by so much at most; usually it is by less than a second. */
const REPLICA_BEHIND_MS = 2_000;

/**
 * The volume map's table in DynamoDB: partition key `tier`, sort key `item`; one tier. Writes are atomic, and what
 * reads are consistent about is what was written last (DynamoDB developer guide, "DynamoDB read consistency",
 * "Condition expressions", "Amazon DynamoDB Transactions").
 */
export class SimulatedDynamoDb {
  /** The rows as plain data, by sort key. */
  readonly items = new Map<string, MapItem>();
  private readonly stored = new Map<string, Item>();
  private readonly tokens = new Map<string, { readonly request: string; readonly at: number }>();

  /** What was written over, oldest first. */
  private readonly replaced: {
    readonly at: number;
    readonly key: string;
    readonly item: Item | undefined;
  }[] = [];

  constructor(
    private readonly context: Context,
    readonly tableName: string,
    private readonly tier: string,
  ) {}

  /** A row is deleted by hand. */
  deleteRow(item: string): boolean {
    if (!this.stored.has(item)) return false;
    this.write(item, undefined, 'hand');
    return true;
  }

  /** A row is edited by hand: `change` gets a copy of it, in which members may be set and deleted. */
  editRow(item: string, change: (row: { [attribute: string]: Plain | undefined }) => void): boolean {
    const before = this.stored.get(item);
    if (before === undefined) return false;
    const row = fromItem(before) as { [attribute: string]: Plain | undefined };
    change(row);
    this.write(item, toItem(row), 'hand');
    return true;
  }

  handle(operation: string, input: object, call: Call): object {
    switch (operation) {
      case 'Query':
        return this.query(input as QueryCommandInput);
      case 'UpdateItem':
        return this.updateItem(input as UpdateItemCommandInput, call);
      case 'PutItem':
        return this.putItem(input as PutItemCommandInput, call);
      case 'DeleteItem':
        return this.deleteItem(input as DeleteItemCommandInput, call);
      case 'TransactWriteItems':
        return this.transact(input as TransactWriteItemsCommandInput, call);
      default:
        throw new SimulationError(`DynamoDB's ${operation} is not simulated`);
    }
  }

  private query(input: QueryCommandInput): object {
    onlyKnows('Query', input, [
      'TableName',
      'ConsistentRead',
      'KeyConditionExpression',
      'ExclusiveStartKey',
      'Limit',
      ...EXPRESSIONS,
    ]);
    this.requireTable(input.TableName);
    const key = parseCondition(input.KeyConditionExpression ?? '');
    const aliases = aliasesOf(input);
    checkAliases(aliases, key);
    const start = input.ExclusiveStartKey?.item?.S;
    const found: Item[] = [];
    const consistent = input.ConsistentRead === true;
    const stored = consistent ? this.stored : this.behind();
    const names = consistent ? this.sortedNames() : [...stored.keys()].sort();
    for (const name of names) {
      const item = stored.get(name)!;
      if ((start === undefined || name > start) && holds(key.tree, item, aliases)) found.push(item);
    }
    const Items = input.Limit === undefined ? found : found.slice(0, input.Limit);
    const last = Items.length < found.length ? Items[Items.length - 1] : undefined;
    return { Items, LastEvaluatedKey: last && { tier: last.tier, item: last.item } };
  }

  private sortedNames(): readonly string[] {
    this.names ??= [...this.stored.keys()].sort();
    return this.names;
  }

  /** The sort keys in their order; undefined when an item has come or gone since. */
  private names: readonly string[] | undefined;

  /**
   * The items as a replica has them that is behind (DynamoDB developer guide, "DynamoDB read consistency": an
   * eventually consistent read might not reflect a recently completed write).
   */
  private behind(): ReadonlyMap<string, Item> {
    const since = this.context.scheduler.now() - REPLICA_BEHIND_MS;
    const items = new Map(this.stored);
    for (let index = this.replaced.length - 1; index >= 0; index--) {
      const { at, key, item } = this.replaced[index]!;
      if (at < since) break;
      if (item === undefined) items.delete(key);
      else items.set(key, item);
    }
    return items;
  }

  private updateItem(input: UpdateItemCommandInput, call: Call): object {
    const write = this.checkUpdate(input, ['ReturnValues']);
    if (!write.allowed) throw conditionFailed();
    const after = this.write(write.key, write.after(), call);
    if (input.ReturnValues === undefined || input.ReturnValues === 'NONE') return {};
    if (input.ReturnValues !== 'ALL_NEW')
      throw new SimulationError(`ReturnValues ${input.ReturnValues} is not simulated`);
    return { Attributes: after };
  }

  private deleteItem(input: DeleteItemCommandInput, call: Call): object {
    onlyKnows('DeleteItem', input, ['TableName', 'Key', 'ConditionExpression', ...EXPRESSIONS]);
    this.requireTable(input.TableName);
    const key = this.keyOf(input.Key);
    if (!this.isAllowed(key, input)) throw conditionFailed();
    if (this.stored.has(key)) this.write(key, undefined, call);
    return {};
  }

  private putItem(input: PutItemCommandInput, call: Call): object {
    const write = this.checkPut(input);
    if (!write.allowed) throw conditionFailed();
    this.write(write.key, write.after(), call);
    return {};
  }

  private transact(input: TransactWriteItemsCommandInput, call: Call): object {
    onlyKnows('TransactWriteItems', input, ['TransactItems', 'ClientRequestToken']);
    const { ClientRequestToken: token, TransactItems: items = [] } = input;
    const now = this.context.scheduler.now();
    const request = JSON.stringify(items);
    const before = token === undefined ? undefined : this.tokens.get(token);
    if (before !== undefined && now - before.at < TOKEN_LASTS_MS) {
      if (before.request === request) return {};
      throw new ServiceError(
        'IdempotentParameterMismatchException',
        'The parameters differ from those of before',
      );
    }
    const writes = items.map((item) => this.checkTransactItem(item));
    if (new Set(writes.map((write) => write.key)).size < writes.length) {
      throw new ServiceError(
        'ValidationException',
        'Transaction request cannot include multiple operations on one item',
      );
    }
    if (writes.some((write) => !write.allowed)) {
      const CancellationReasons = writes.map(({ allowed }) =>
        allowed
          ? { Code: 'None' }
          : { Code: 'ConditionalCheckFailed', Message: 'The conditional request failed' },
      );
      const codes = CancellationReasons.map((reason) => reason.Code).join(', ');
      const message = `Transaction cancelled, please refer cancellation reasons for specific reasons [${codes}]`;
      throw new ServiceError('TransactionCanceledException', message, 400, { CancellationReasons });
    }
    const all = writes.flatMap(({ key, after }) => (after === undefined ? [] : [[key, after()] as const]));
    for (const [key, after] of all) this.write(key, after, call);
    if (token !== undefined) this.tokens.set(token, { request, at: now });
    return {};
  }

  private checkTransactItem(item: TransactWriteItem): Check {
    onlyKnows('TransactWriteItems', item, ['Update', 'Put', 'Delete', 'ConditionCheck']);
    if (item.ConditionCheck !== undefined) return this.checkAlone(item.ConditionCheck);
    if (item.Update !== undefined) return this.checkUpdate(item.Update, []);
    if (item.Put !== undefined) return this.checkPut(item.Put);
    if (item.Delete === undefined)
      throw new ServiceError('ValidationException', 'An item of the transaction is empty');
    onlyKnows('Delete', item.Delete, ['TableName', 'Key', 'ConditionExpression', ...EXPRESSIONS]);
    this.requireTable(item.Delete.TableName);
    const key = this.keyOf(item.Delete.Key);
    return { key, allowed: this.isAllowed(key, item.Delete), after: () => undefined };
  }

  private checkAlone(input: ConditionCheck): Check {
    onlyKnows('ConditionCheck', input, ['TableName', 'Key', 'ConditionExpression', ...EXPRESSIONS]);
    this.requireTable(input.TableName);
    const key = this.keyOf(input.Key);
    return { key, allowed: this.isAllowed(key, input) };
  }

  private checkUpdate(input: UpdateItemCommandInput, more: readonly string[]): Write {
    const known = ['TableName', 'Key', 'UpdateExpression', 'ConditionExpression', ...EXPRESSIONS, ...more];
    onlyKnows('UpdateItem', input, known);
    this.requireTable(input.TableName);
    const key = this.keyOf(input.Key);
    const change = parseUpdate(input.UpdateExpression ?? '');
    const aliases = aliasesOf(input);
    const before = this.stored.get(key) ?? { tier: { S: this.tier }, item: { S: key } };
    const allowed = this.isAllowed(key, input, input.UpdateExpression);
    return { key, allowed, after: () => updated(change.tree, before, aliases) };
  }

  private checkPut(input: PutItemCommandInput): Write {
    onlyKnows('PutItem', input, ['TableName', 'Item', 'ConditionExpression', ...EXPRESSIONS]);
    this.requireTable(input.TableName);
    const item = input.Item ?? {};
    const key = this.keyOf(item);
    return { key, allowed: this.isAllowed(key, input), after: () => ({ ...item }) };
  }

  private isAllowed(
    key: string,
    input: Expressions & { ConditionExpression?: string },
    update?: string,
  ): boolean {
    const condition =
      input.ConditionExpression === undefined ? undefined : parseCondition(input.ConditionExpression);
    const aliases = aliasesOf(input);
    checkAliases(aliases, condition, update === undefined ? undefined : parseUpdate(update));
    return condition === undefined || holds(condition.tree, this.stored.get(key) ?? {}, aliases);
  }

  private keyOf(item: Item | undefined): string {
    const tier = item?.tier?.S;
    const key = item?.item?.S;
    if (tier === undefined || key === undefined) {
      throw new ServiceError('ValidationException', 'The provided key element does not match the schema');
    }
    // What is kept of recoveries is only ever put there: its key holds the partition.
    if (tier === historyKey(this.tier)) return `${tier}/${key}`;
    if (tier !== this.tier) throw new SimulationError(`the tier ${tier} is not simulated, only ${this.tier}`);
    return key;
  }

  private requireTable(name: string | undefined): void {
    if (name !== this.tableName)
      throw new ServiceError('ResourceNotFoundException', 'Requested resource not found');
  }

  private write(key: string, item: Item | undefined, by: Call | 'hand'): Item | undefined {
    const before = this.items.get(key);
    this.replaced.push({ at: this.context.scheduler.now(), key, item: this.stored.get(key) });
    const after = item === undefined ? undefined : fromItem(item);
    if (item === undefined || after === undefined) {
      this.stored.delete(key);
      this.items.delete(key);
      this.names = undefined;
    } else {
      if (before === undefined) this.names = undefined;
      this.stored.set(key, item);
      this.items.set(key, after);
    }
    this.context.observer.onMapWrite?.(key, before, after, by);
    return item;
  }
}

const conditionFailed = (): ServiceError =>
  new ServiceError('ConditionalCheckFailedException', 'The conditional request failed');
