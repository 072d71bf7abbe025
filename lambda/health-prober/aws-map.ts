import { type DynamoDBClient, TransactWriteItemsCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { type Plain, toItem } from '../shared/attributes';
import { isConditionFailure } from '../shared/conditions';
import { PROBE_ITEM, parseTier, slotItem } from '../shared/map';
import { readItems } from '../shared/read-tier';
import type { Claim, Mark, ProbeMapPort, ProbeRecord, Round, TierState } from './ports';

type Item = { [key: string]: Plain };

/** The volume map in DynamoDB, as far as the prober writes it: its own item, and in the rows of slots what it found. */
export class DynamoProbeMap implements ProbeMapPort {
  constructor(
    private readonly client: DynamoDBClient,
    private readonly table: string,
    private readonly tier: string,
  ) {}

  async read(): Promise<TierState> {
    const items = await readItems(this.client, this.table, this.tier);
    const probe: Item = items.find((item) => item.item === PROBE_ITEM) ?? {};
    return {
      rows: parseTier(items),
      round: parseRound(probe),
      marks: parseMarks(probe.marks),
    };
  }

  count(claim: Claim, record: ProbeRecord): Promise<boolean> {
    return this.write(() => this.client.send(new UpdateItemCommand(this.ofRow(claim, record))));
  }

  mark(claim: Claim, record: ProbeRecord, marks: Mark[], last: Mark | undefined): Promise<boolean> {
    const unchanged = last ? '#last = :last' : 'attribute_not_exists(#last)';
    const newest = marks[marks.length - 1]!;
    const ofTier = {
      TableName: this.table,
      Key: this.key(PROBE_ITEM),
      UpdateExpression: 'SET #marks = :marks, #last = :new',
      ConditionExpression: unchanged,
      ExpressionAttributeNames: { '#marks': 'marks', '#last': 'lastMark' },
      ExpressionAttributeValues: toItem({
        ':marks': marks.map((mark) => ({ ...mark })),
        ':new': nameOf(newest),
        ...(last ? { ':last': nameOf(last) } : {}),
      }),
    };
    const command = new TransactWriteItemsCommand({
      TransactItems: [{ Update: this.ofRow(claim, record, '<=') }, { Update: ofTier }],
    });
    return this.write(() => this.client.send(command));
  }

  begin({ round, sentAt, commands }: Round): Promise<boolean> {
    return this.write(() =>
      this.client.send(
        new UpdateItemCommand({
          TableName: this.table,
          Key: this.key(PROBE_ITEM),
          UpdateExpression: 'SET #round = :round, #sentAt = :sentAt, #commands = :commands',
          ConditionExpression: 'attribute_not_exists(#round) OR #round < :round',
          ExpressionAttributeNames: { '#round': 'round', '#sentAt': 'sentAt', '#commands': 'commands' },
          ExpressionAttributeValues: toItem({ ':round': round, ':sentAt': sentAt, ':commands': commands }),
        }),
      ),
    );
  }

  /** The write of what was found of an owner: while it owns the slot, and once for each round. */
  private ofRow({ slot, owner, epoch }: Claim, record: ProbeRecord, compared: '<' | '<=' = '<') {
    return {
      TableName: this.table,
      Key: this.key(slotItem(slot)),
      UpdateExpression: 'SET #probe = :probe',
      ConditionExpression:
        '#owner = :owner AND #epoch = :epoch AND #served = :epoch AND ' +
        `(attribute_not_exists(#probe) OR #probe.#epoch <> :epoch OR #probe.#round ${compared} :round)`,
      ExpressionAttributeNames: {
        '#probe': 'probe',
        '#owner': 'owner',
        '#epoch': 'epoch',
        '#served': 'servedEpoch',
        '#round': 'round',
      },
      ExpressionAttributeValues: toItem({
        ':probe': { ...record },
        ':owner': owner,
        ':epoch': epoch,
        ':round': record.round,
      }),
    };
  }

  private key(item: string) {
    return { tier: { S: this.tier }, item: { S: item } };
  }

  private async write(send: () => Promise<unknown>): Promise<boolean> {
    try {
      await send();
      return true;
    } catch (error) {
      if (isConditionFailure(error)) return false;
      throw error;
    }
  }
}

const nameOf = (mark: Mark): string => `${mark.owner} ${mark.at}`;

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

/** A round that cannot be read is none: all are asked again. */
function parseRound({ round, sentAt, commands }: Item): Round | undefined {
  if (!Number.isInteger(round) || !isText(sentAt)) return undefined;
  return { round: round as number, sentAt, commands: Array.isArray(commands) ? commands.filter(isText) : [] };
}

function parseMarks(value: Plain | undefined): Mark[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((entry) => {
    if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) return [];
    const { slot, owner, at } = entry;
    return isText(slot) && isText(owner) && isText(at) ? [{ slot, owner, at }] : [];
  });
}
