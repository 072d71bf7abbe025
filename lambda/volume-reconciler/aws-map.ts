import type { DynamoDBClient, UpdateItemCommandInput } from '@aws-sdk/client-dynamodb';
import { TransactWriteItemsCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { fromItem, type Plain, toItem } from '../shared/attributes';
import { isConditionFailure } from '../shared/conditions';
import { type FailedLaunches, LEASE_ITEM, ownerItem, slotItem, type TierRows } from '../shared/map';
import { readTier } from '../shared/read-tier';
import { recoveryItem } from '../shared/recoveries';
import type { Recovery } from '../shared/timeline';
import {
  attributes,
  type Change,
  expressionsOf,
  NOTE,
  noteValues,
  OWNED,
  ownedChange,
  ownerValues,
  REASON,
} from './map-changes';
import type { Annotation, Claim, Lease, VolumeMapPort } from './ports';

/** The volume map in DynamoDB. */
export class DynamoVolumeMap implements VolumeMapPort {
  constructor(
    private readonly client: DynamoDBClient,
    private readonly table: string,
    private readonly tier: string,
  ) {}

  read(): Promise<TierRows> {
    return readTier(this.client, this.table, this.tier);
  }

  async takeLease(holder: string, now: number, expires: number): Promise<Lease | undefined> {
    const values = {
      ':holder': holder,
      ':now': seconds(now),
      ':expires': seconds(expires),
      ':latest': seconds(2 * expires - now),
      ':zero': 0,
    };
    try {
      const answer = await this.client.send(
        new UpdateItemCommand({
          TableName: this.table,
          Key: this.key(LEASE_ITEM),
          UpdateExpression:
            'SET holder = :holder, expires = :expires, wakeups = if_not_exists(wakeups, :zero)',
          // Nobody has a lease without an end, for so long, or until what is no time: somebody wrote it by hand, or a
          // clock was wrong.
          ConditionExpression:
            'attribute_not_exists(holder) OR holder = :holder OR NOT (expires >= :now AND expires <= :latest)',
          ExpressionAttributeValues: attributes(values),
          ReturnValues: 'ALL_NEW',
        }),
      );
      const item = fromItem(answer.Attributes ?? {});
      const beatAt = Number(item.beatAt ?? 0);
      const wakeups = typeof item.wakeups === 'number' ? item.wakeups : await this.countAnew(holder);
      // A time that has not come, or is none, would keep launches from being kept alive.
      return { wakeups, beatAt: beatAt <= now ? beatAt : 0 };
    } catch (error) {
      if (isConditionFailure(error)) return undefined;
      throw error;
    }
  }

  /** What is no number cannot be counted up, and nobody could be woken. */
  private async countAnew(holder: string): Promise<number> {
    await this.change(LEASE_ITEM, {
      update: 'SET wakeups = :zero',
      condition: 'holder = :holder',
      values: { ':zero': 0, ':holder': holder },
    });
    return 0;
  }

  wakeHolder(now: number): Promise<boolean> {
    return this.change(LEASE_ITEM, {
      update: 'ADD wakeups :one',
      // A count that is no number is counted anew by the holder (`countAnew`), and cannot be counted up until then.
      condition: 'attribute_exists(holder) AND expires >= :now AND wakeups >= :zero',
      values: { ':one': 1, ':now': seconds(now), ':zero': 0 },
    });
  }

  noteBeat(holder: string, at: number): Promise<boolean> {
    return this.change(LEASE_ITEM, {
      update: 'SET beatAt = :at',
      condition: 'holder = :holder',
      values: { ':at': at, ':holder': holder },
    });
  }

  endLease(holder: string, wakeups?: number): Promise<boolean> {
    const unchanged = wakeups === undefined ? '' : ' AND wakeups = :wakeups';
    return this.change(LEASE_ITEM, {
      update: 'REMOVE holder, expires',
      condition: `holder = :holder${unchanged}`,
      values: { ':holder': holder, ...(wakeups === undefined ? {} : { ':wakeups': wakeups }) },
    });
  }

  claim(
    claim: Claim,
    at: string,
    timeline: { [step: string]: string },
    serverType?: string,
  ): Promise<boolean> {
    const epoch = claim.epoch + 1;
    const row: Change = {
      update:
        'SET #owner = :owner, epoch = :next, claimedAt = :at, #phase = :phase, #timeline = :timeline' +
        (serverType
          ? ', serverType = :type REMOVE #command, #reason'
          : ' REMOVE #command, #reason, serverType'),
      // A late claim finds its epoch again when somebody has lowered it; no epoch that was served is given a second
      // time.
      condition:
        'attribute_not_exists(#owner) AND epoch = :epoch AND servedEpoch <= :epoch AND released = :no',
      values: {
        ':owner': claim.owner,
        ':next': epoch,
        ':at': at,
        ':phase': 'attaching',
        ':timeline': timeline,
        ':epoch': claim.epoch,
        ':no': false,
        ...(serverType ? { ':type': serverType } : {}),
      },
    };
    return this.transact([
      { Update: this.update(slotItem(claim.slot), row) },
      {
        Put: {
          TableName: this.table,
          Item: { ...this.key(ownerItem(claim.owner)), slot: { S: claim.slot }, epoch: { N: String(epoch) } },
          ConditionExpression: 'attribute_not_exists(tier)',
        },
      },
    ]);
  }

  release(
    claim: Claim,
    timeline: { [step: string]: string },
    failed?: FailedLaunches,
    keepsOwnerRow = false,
  ): Promise<boolean> {
    const count = failed ? ', failedLaunches = :failed' : '';
    const row: Change = {
      update:
        `SET #phase = :phase, #timeline = :timeline${count} ` +
        'REMOVE #owner, claimedAt, serverType, #command, #reason',
      condition: OWNED,
      values: {
        ...ownerValues(claim),
        ':phase': 'vacant',
        ':timeline': timeline,
        ...(failed ? { ':failed': { ...failed } } : {}),
      },
    };
    if (keepsOwnerRow) return this.change(slotItem(claim.slot), row);
    return this.transact([
      { Update: this.update(slotItem(claim.slot), row) },
      {
        Delete: {
          TableName: this.table,
          Key: this.key(ownerItem(claim.owner)),
          ConditionExpression: 'attribute_not_exists(tier) OR slot = :slot',
          ExpressionAttributeValues: { ':slot': { S: claim.slot } },
        },
      },
    ]);
  }

  beginCommand(
    claim: Claim,
    command: { sentAt: string; attempts: number; failures: number; repairingAt?: string },
    note: Annotation,
    mayFormat: boolean,
  ): Promise<boolean> {
    const offer = mayFormat ? ', formatOffered = :yes' : '';
    const values = {
      ':command': { ...command, epoch: claim.epoch },
      ...(mayFormat ? { ':yes': true, ':no': false } : {}),
    };
    const told = ownedChange(claim, `SET #command = :command${offer}`, values, note);
    // A slot that an update is taking back is not offered any more, and one that was offered is not taken back. Nor is
    // one that was formatted since it was read: a worker that is late knows nothing of it.
    const blank = mayFormat ? ' AND released = :no AND formatted = :no' : '';
    return this.change(slotItem(claim.slot), {
      ...told,
      condition: `${told.condition} AND servedEpoch <> :epoch${blank}`,
    });
  }

  recordCommand(claim: Claim, sentAt: string, commandId: string): Promise<boolean> {
    return this.change(slotItem(claim.slot), {
      update: 'SET #command.id = :id',
      condition: `${OWNED} AND #command.sentAt = :sentAt`,
      values: { ...ownerValues(claim), ':id': commandId, ':sentAt': sentAt },
    });
  }

  noteUnsent(claim: Claim, sentAt: string): Promise<boolean> {
    return this.change(slotItem(claim.slot), {
      update: 'SET #command.unsent = :yes',
      condition: `${OWNED} AND #command.sentAt = :sentAt`,
      values: { ...ownerValues(claim), ':yes': true, ':sentAt': sentAt },
    });
  }

  markServed(
    claim: Claim,
    commandId: string,
    timeline: { [step: string]: string },
    servings: string[],
  ): Promise<boolean> {
    const note = { phase: 'served', timeline };
    const set = 'SET servedEpoch = :epoch, formatted = :yes, servings = :servings';
    const values = { ':yes': true, ':id': commandId, ':servings': servings };
    const change = ownedChange(claim, set, values, note, ', failedLaunches');
    return this.change(slotItem(claim.slot), {
      ...change,
      condition: `${change.condition} AND #command.id = :id`,
    });
  }

  unserve(claim: Claim, note: Annotation): Promise<boolean> {
    return this.changeOwned(claim, 'SET servedEpoch = :zero', { ':zero': 0 }, note, ', #command');
  }

  annotate(slot: string, owner: string | undefined, epoch: number, note: Annotation): Promise<boolean> {
    if (owner !== undefined) return this.changeOwned({ slot, owner, epoch }, 'SET', {}, note);
    return this.change(slotItem(slot), {
      update: `SET ${NOTE}${note.reason ? REASON : ' REMOVE #reason'}`,
      condition: 'attribute_not_exists(#owner) AND epoch = :epoch',
      values: { ':epoch': epoch, ...noteValues(note) },
    });
  }

  date(claim: Claim, claimedAt: string, note: Annotation): Promise<boolean> {
    return this.changeOwned(claim, 'SET claimedAt = :at', { ':at': claimedAt }, note);
  }

  recordRecovery(claim: Claim, note: Annotation, recovery: Recovery, serverType?: string): Promise<boolean> {
    const { slot, epoch, owner } = claim;
    const row = { slot, epoch, owner, serverType, timeline: note.timeline };
    const item = recoveryItem(this.tier, row, recovery);
    return this.transact([
      { Update: this.update(slotItem(slot), ownedChange(claim, 'SET', {}, note)) },
      { Put: { TableName: this.table, Item: toItem(item) } },
    ]);
  }

  private changeOwned(
    claim: Claim,
    update: string,
    values: { [name: string]: Plain },
    note: Annotation,
    alsoRemove = '',
  ): Promise<boolean> {
    return this.change(slotItem(claim.slot), ownedChange(claim, update, values, note, alsoRemove));
  }

  private async change(item: string, change: Change): Promise<boolean> {
    try {
      await this.client.send(new UpdateItemCommand(this.update(item, change)));
      return true;
    } catch (error) {
      if (isConditionFailure(error)) return false;
      throw error;
    }
  }

  private async transact(items: object[]): Promise<boolean> {
    try {
      await this.client.send(new TransactWriteItemsCommand({ TransactItems: items }));
      return true;
    } catch (error) {
      if (isConditionFailure(error)) return false;
      throw error;
    }
  }

  private update(item: string, change: Change): UpdateItemCommandInput & { UpdateExpression: string } {
    return { TableName: this.table, Key: this.key(item), ...expressionsOf(change) };
  }

  private key(item: string) {
    return { tier: { S: this.tier }, item: { S: item } };
  }
}

const seconds = (milliseconds: number): number => Math.floor(milliseconds / 1000);
