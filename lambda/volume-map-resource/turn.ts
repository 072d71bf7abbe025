import {
  type DynamoDBClient,
  type TransactWriteItem,
  TransactWriteItemsCommand,
  type Update,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { type Plain, toAttribute, toItem } from '../shared/attributes';
import { errorName } from '../shared/log';
import { readItems } from '../shared/read-tier';
import type { Timer } from '../shared/timer';
import { type SeedRequest, type Step, Superseded } from './ports';

/** The tier's item that names the request of CloudFormation whose turn it is. */
const SEED_ITEM = 'seed';

/**
 * How many earlier requests are remembered. Lambda tries an event again for six hours at most (developer guide,
 * asynchronous invocation).
 */
const REMEMBERED = 50;

/** How often a write is tried, with pauses of half a minute in all: others write a tier's rows all the time. */
const ATTEMPTS = 20;
const LONGEST_PAUSE_MS = 2_000;

/**
 * Why a transaction is cancelled that may succeed a little later. The SDK does not repeat it (API reference,
 * TransactWriteItems).
 */
const PASSING: readonly (string | undefined)[] = [
  'TransactionConflict',
  'ThrottlingError',
  'ProvisionedThroughputExceeded',
];

/**
 * The answer to a single write of an item that a transaction under way has, if only in a condition. The SDK does not
 * repeat it either.
 */
const CONFLICT = 'TransactionConflictException';

export const itemKey = (tier: string, item: string) => ({ tier: { S: tier }, item: { S: item } });

/** No request comes from so far ahead: a person wrote that. */
const AHEAD_MS = 5 * 60_000;

const resourceOf = (step: Step): string => `${step}Resource`;

interface Holder {
  /** A text, if nobody wrote something else. */
  readonly requestId?: Plain;
  readonly stackId?: string;
  /** The resource of the request's own kind as a request last named it. */
  readonly resource?: string;
  readonly sentAt?: number;
  readonly deletes: boolean;
  readonly earlier: readonly string[];
}

/**
 * Whose turn it is to write the rows of a tier, among requests of CloudFormation. One that is late (a Lambda function
 * that hung, an event that was delivered again) must not write into what a later one, a rollback for example, has made:
 * it would leave rows of slots whose interfaces are gone. Which one is later is said by when CloudFormation made them,
 * however long either was on its way.
 */
export class Turn {
  private readonly sentAt: number;

  /** Made when the function begins with the request: that time stands for when it was made, if it is not known. */
  constructor(
    private readonly client: DynamoDBClient,
    private readonly table: string,
    private readonly tier: string,
    private readonly own: SeedRequest,
    private readonly timer: Timer,
  ) {
    this.sentAt = own.sentAt ?? timer.now();
  }

  /** @returns whether it is this request's turn; false when a later one has had it */
  async take(): Promise<boolean> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const holder = await this.holder();
      if (holder.requestId === this.own.requestId) return true;
      if (holder.earlier.includes(this.own.requestId)) return false;
      if (holder.sentAt !== undefined && holder.sentAt > this.sentAt) return false;
      if (await this.replace(holder)) return true;
    }
    throw new Error(`the requests of CloudFormation to tier ${this.tier} disturb each other; deploy again`);
  }

  /**
   * As `take`, for a deletion: leaves the turn of another stack alone, and goes on also after a later deletion.
   *
   * @returns false, and takes nothing, when the own stack has created the resource anew since, or has begun to.
   * CloudFormation deletes one whose creation had failed after the next deployment has created another, and Lambda
   * delivers a deletion again
   */
  async takeFromOwn(): Promise<boolean> {
    const { requestId, stackId, resource } = await this.holder();
    const isOwn = resource?.startsWith(`${this.own.stackId} `) === true;
    if (isOwn && this.resource !== undefined && resource !== this.resource) return false;
    if (requestId !== undefined && stackId !== this.own.stackId) return true;
    return (await this.take()) || (await this.holder()).deletes;
  }

  private get resource(): string | undefined {
    const { stackId, physicalId } = this.own;
    return physicalId && `${stackId} ${physicalId}`;
  }

  /**
   * Writes, if it is still this request's turn.
   *
   * @returns whether the condition of the write held
   * @throws Superseded when a later request has the turn
   */
  async write(item: TransactWriteItem): Promise<boolean> {
    const turn: TransactWriteItem = {
      ConditionCheck: {
        TableName: this.table,
        Key: itemKey(this.tier, SEED_ITEM),
        ConditionExpression: 'requestId = :request',
        ExpressionAttributeValues: { ':request': toAttribute(this.own.requestId) },
      },
    };
    const send = () => this.client.send(new TransactWriteItemsCommand({ TransactItems: [turn, item] }));
    return this.patiently(send, (error) => {
      const [ofTurn, ofItem] = codesOf(error);
      if (ofTurn === 'ConditionalCheckFailed') throw new Superseded();
      return ofItem === 'ConditionalCheckFailed';
    });
  }

  /** As `write`, whoever has the turn. */
  async writeAnyway(update: Update): Promise<boolean> {
    const isRefusal = (error: unknown) => errorName(error) === 'ConditionalCheckFailedException';
    return this.patiently(() => this.client.send(new UpdateItemCommand(update)), isRefusal);
  }

  /** Sends anew after a pause what others were in the way of; whether the condition held. */
  private async patiently(
    send: () => Promise<unknown>,
    isRefusal: (error: unknown) => boolean,
  ): Promise<boolean> {
    for (let attempt = 1; ; attempt++) {
      try {
        await send();
        return true;
      } catch (error) {
        if (isRefusal(error)) return false;
        const passes = errorName(error) === CONFLICT || codesOf(error).some((code) => PASSING.includes(code));
        if (!passes || attempt >= ATTEMPTS) throw error;
        await this.timer.sleep(Math.min(25 * 2 ** attempt, LONGEST_PAUSE_MS));
      }
    }
  }

  private async holder(): Promise<Holder> {
    const items = await readItems(this.client, this.table, this.tier);
    const found = items.find(({ item }) => item === SEED_ITEM) ?? {};
    const { requestId, stackId, sentAt, deletes, earlier, [resourceOf(this.own.step)]: resource } = found;
    const isText = (value: unknown): value is string => typeof value === 'string';
    const latest = this.timer.now() + AHEAD_MS;
    return {
      requestId,
      stackId: isText(stackId) ? stackId : undefined,
      resource: isText(resource) ? resource : undefined,
      sentAt: typeof sentAt === 'number' && sentAt <= latest ? sentAt : undefined,
      deletes: deletes === true,
      earlier: Array.isArray(earlier) ? earlier.filter(isText) : [],
    };
  }

  private async replace({ requestId, earlier }: Holder): Promise<boolean> {
    const before = requestId === undefined ? [] : [...earlier, String(requestId)].slice(-REMEMBERED);
    const { resource } = this;
    return this.writeAnyway({
      TableName: this.table,
      Key: itemKey(this.tier, SEED_ITEM),
      UpdateExpression:
        'SET requestId = :own, stackId = :stack, sentAt = :sent, deletes = :deletes, ' +
        `earlier = :earlier${resource ? ', #resource = :resource' : ''}`,
      ConditionExpression:
        requestId === undefined ? 'attribute_not_exists(requestId)' : 'requestId = :before',
      ...(resource ? { ExpressionAttributeNames: { '#resource': resourceOf(this.own.step) } } : {}),
      ExpressionAttributeValues: toItem({
        ':own': this.own.requestId,
        ':resource': resource,
        ':stack': this.own.stackId,
        ':sent': this.sentAt,
        ':deletes': this.own.deletes,
        ':earlier': before,
        ':before': requestId,
      }),
    });
  }
}

function codesOf(error: unknown): (string | undefined)[] {
  if (errorName(error) !== 'TransactionCanceledException') return [];
  return ((error as { CancellationReasons?: { Code?: string }[] }).CancellationReasons ?? []).map(
    ({ Code }) => Code,
  );
}
