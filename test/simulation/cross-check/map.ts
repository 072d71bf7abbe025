import { type AttributeValue, TransactWriteItemsCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { readTier } from '../../../lambda/shared/read-tier';
import { DynamoSeeds } from '../../../lambda/volume-map-resource/aws';
import { Superseded } from '../../../lambda/volume-map-resource/ports';
import { DynamoVolumeMap } from '../../../lambda/volume-reconciler/aws-map';
import type { Transcript } from './side';

const TIER = 'oss';
const T = '2026-01-01T00:00:00.000Z';

/** Every write of the map by the real code, when it is allowed and when it is not, and the rows after each. */
export async function rows(transcript: Transcript): Promise<void> {
  const { side } = transcript;
  const { dynamodb } = side.clients;
  const request = (requestId: string, sentAt = 0, deletes = false) =>
    new DynamoSeeds(
      dynamodb,
      side.tableName,
      TIER,
      { stackId: 'stack', requestId, step: 'serve', physicalId: 'oss/one', deletes, sentAt },
      { now: () => 1_767_225_600_000, sleep: async () => {} },
    );
  const seeds = request('one');
  const map = new DynamoVolumeMap(dynamodb, side.tableName, TIER);
  const says = async (label: string, call: () => Promise<unknown>): Promise<void> => {
    const answer = await side.perform(call()).catch((error) => {
      if (error instanceof Superseded) return 'superseded';
      throw error;
    });
    transcript.note(label, JSON.stringify(answer ?? 'nothing'));
    transcript.note('rows', JSON.stringify(await side.perform(readTier(dynamodb, side.tableName, TIER))));
  };
  const row = (slot: string) => ({
    slot,
    networkInterfaceId: `eni-${slot}`,
    address: '10.0.0.1',
    volumes: [{ volumeId: `vol-${slot}`, device: '/dev/sdf' }],
    formatted: false,
    formatOffered: false,
    epoch: 0,
  });
  const claim = { slot: 'oss-00', owner: 'i-1', epoch: 0 };
  const owned = { ...claim, epoch: 1 };
  const note = { phase: 'serving', reason: 'why', timeline: { attached: T } };
  const spec = { ...row('oss-01'), address: '10.0.0.9', adopted: false };

  await says('add without a turn', () => seeds.add(row('oss-00'), 'me'));
  await says('take the turn', () => seeds.takeOver());
  await says('add', () => seeds.add(row('oss-00'), 'me'));
  await says('add again', () => seeds.add(row('oss-00'), 'me'));
  await says('add another', () => seeds.add(row('oss-01'), 'me'));
  await says('describe anew', () => seeds.describeAnew(spec, 0, true, 'me'));
  await says('describe anew at another epoch', () => seeds.describeAnew(spec, 7, true, 'me'));
  await says('add a third', () => seeds.add(row('oss-02'), 'me'));
  await says('retire', () => seeds.retire('oss-02', 'me'));
  await says('retire what holds data', () => seeds.retire('oss-01', 'me'));
  await says('let go by a stranger', () => seeds.letGo('oss-01', 'you'));
  await says('let go', () => seeds.letGo('oss-01', 'me'));
  await says('take back', () => seeds.takeBack('oss-01', 'you'));
  await says('take back what is not there', () => seeds.takeBack('oss-09', 'you'));
  await says('a later request', () => request('two').takeOver());
  await says('what is late', () => seeds.takeBack('oss-01', 'me'));
  await says('an event that comes again', () => seeds.takeOver());
  await says('a rollback', () => request('rollback', 90_000).takeOver());
  await says('what it has undone', () => request('undone', 80_000).takeOver());

  await says('lease', () => map.takeLease('a', 1_000_000, 1_100_000));
  await says('lease of another', () => map.takeLease('b', 1_050_000, 1_150_000));
  await says('wake', () => map.wakeHolder(1_050_000));
  await says('wake too late', () => map.wakeHolder(1_200_000));
  await says('beat', () => map.noteBeat('a', 1_050_000));
  await says('beat of another', () => map.noteBeat('b', 1_050_000));
  await says('end with a wake-up', () => map.endLease('a', 0));
  await says('end', () => map.endLease('a', 1));
  await says('lease again', () => map.takeLease('b', 1_050_000, 1_150_000));
  await says('an expired lease', () => map.takeLease('c', 1_200_000, 1_300_000));
  for (const [name, value] of Object.entries({ expires: { S: 'soon' }, wakeups: { S: 'many' } })) {
    await byHand(transcript, `SET ${name} = :value`, { ':value': value });
    await says(`${name} as text`, () => map.takeLease('d', 1_250_000, 1_350_000));
  }
  await byHand(transcript, 'REMOVE expires');
  await says('a lease without an end', () => map.takeLease('e', 1_250_000, 1_350_000));

  await says('claim', () => map.claim(claim, T, { claimed: T }));
  await says('claim again', () => map.claim(claim, T, { claimed: T }));
  await says('claim a second slot', () => map.claim({ slot: 'oss-01', owner: 'i-1', epoch: 0 }, T, {}));
  await says('record before the intent', () => map.recordCommand(owned, T, 'id'));
  await says('intent', () => map.beginCommand(owned, { sentAt: T, attempts: 1, failures: 0 }, note, true));
  await says('intent at another epoch', () =>
    map.beginCommand(claim, { sentAt: T, attempts: 1, failures: 0 }, note, true),
  );
  await says('unsent', () => map.noteUnsent(owned, T));
  await says('record', () => map.recordCommand(owned, T, 'id'));
  await says('record another intent', () => map.recordCommand(owned, 'another', 'id'));
  await says('served by another command', () => map.markServed(owned, 'another', { served: T }, [T]));
  await says('served', () => map.markServed(owned, 'id', { served: T }, [T]));
  await says('not served', () => map.unserve(owned, { ...note, reason: undefined }));
  await says('served, late', () => map.markServed(owned, 'id', { served: T }, [T]));
  await says('describe', () => map.annotate('oss-00', 'i-1', 1, { ...note, reason: undefined }));
  await says('describe a vacant slot', () => map.annotate('oss-01', undefined, 0, note));
  await says('describe at another epoch', () => map.annotate('oss-01', undefined, 5, note));
  await says('release by another', () => map.release({ ...owned, owner: 'i-2' }, {}));
  await says('release', () => map.release(owned, { vacated: T }));
  await says('release again', () => map.release(owned, { vacated: T }));

  await refused(transcript);
}

/** What a person writes into the row of the lease. */
async function byHand(
  { side }: Transcript,
  UpdateExpression: string,
  values?: Record<string, AttributeValue>,
): Promise<void> {
  await side.perform(
    side.clients.dynamodb.send(
      new UpdateItemCommand({
        TableName: side.tableName,
        Key: { tier: { S: TIER }, item: { S: 'lease' } },
        UpdateExpression,
        ExpressionAttributeValues: values,
      }),
    ),
  );
}

/** Refusals as DynamoDB words them. */
async function refused(transcript: Transcript): Promise<void> {
  const { tableName: TableName, clients } = transcript.side;
  const { dynamodb } = clients;
  const Key = { tier: { S: TIER }, item: { S: 'slot#oss-00' } };
  const update = (label: string, change: object) =>
    transcript.call(label, () =>
      dynamodb.send(new UpdateItemCommand({ TableName, Key, UpdateExpression: 'REMOVE nothing', ...change })),
    );
  await update('nothing', {});
  await update('a condition', { ConditionExpression: 'attribute_not_exists(tier)' });
  await update('an unknown table', { TableName: 'unknown' });
  await update('a path into nothing', {
    UpdateExpression: 'SET nothing.member = :one',
    ExpressionAttributeValues: { ':one': { N: '1' } },
  });
  await update('a value that is missing', { UpdateExpression: 'SET a = :one' });
  await update('nonsense', { UpdateExpression: 'SET SET' });
  const put = (item: string) => ({
    Put: {
      TableName,
      Item: { ...Key, item: { S: item } },
      ConditionExpression: 'attribute_not_exists(tier)',
    },
  });
  const write = (label: string, ClientRequestToken: string | undefined, ...items: string[]) =>
    transcript.call(label, async () => {
      try {
        await dynamodb.send(
          new TransactWriteItemsCommand({ TransactItems: items.map(put), ClientRequestToken }),
        );
      } catch (error) {
        const reasons = (error as { CancellationReasons?: { Code?: string }[] }).CancellationReasons ?? [];
        transcript.note('reasons', reasons.map((reason) => reason.Code).join(', '));
        throw error;
      }
    });
  await write('a transaction', 'token', 'x');
  await write('its repeat', 'token', 'x');
  await write('the same without its token', undefined, 'x');
  await write('one that half fits', undefined, 'y', 'x');
}
