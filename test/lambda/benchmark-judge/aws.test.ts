import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { S3Client } from '@aws-sdk/client-s3';
import { SNSClient } from '@aws-sdk/client-sns';
import { DynamoHistory, S3Bucket, SnsTopic } from '../../../lambda/benchmark-judge/aws';
import { environmentOf } from '../../../lambda/benchmark-judge/environment';
import { historyEntryOf } from '../../../lambda/benchmark-judge/history';
import { toItem } from '../../../lambda/shared/attributes';
import { readHistory } from '../../../lambda/shared/benchmark/history-table';
import { sampleHistory, sampleResult } from './report-samples';

const OFFLINE = { region: 'us-east-1', credentials: { accessKeyId: 'x', secretAccessKey: 'x' } };

/** A real client whose calls go nowhere: each is answered by the next answer, an error is thrown. */
function stub<C extends { send: unknown }>(client: C, ...answers: unknown[]) {
  const sent: { name: string; input: Record<string, never> }[] = [];
  const send = async (command: { constructor: { name: string }; input: Record<string, never> }) => {
    sent.push({ name: command.constructor.name, input: command.input });
    const answer = answers.shift() ?? {};
    if (answer instanceof Error) throw answer;
    return answer;
  };
  return Object.assign(client, { send, sent }) as unknown as C & { sent: typeof sent };
}

const awsError = (name: string) => Object.assign(new Error(name), { name });
const item = (entry: object) => toItem(entry as never);

describe('S3', () => {
  const bucketOn = (...answers: unknown[]) => {
    const client = stub(new S3Client(OFFLINE), ...answers);
    return { client, bucket: new S3Bucket(client, 'results') };
  };
  const body = (text: string) => ({ transformToString: async () => text });

  test('gives the beginning of an object, and says whether there is more', async () => {
    const { bucket, client } = bucketOn(
      { Body: body('abc'), ContentLength: 3, ContentRange: 'bytes 0-2/10', LastModified: new Date(0) },
      { Body: body('abc'), ContentLength: 3, ContentRange: 'bytes 0-2/3' },
    );
    expect(await bucket.read('k', 3)).toEqual({
      text: 'abc',
      bytes: 3,
      cutOff: true,
      lastModified: '1970-01-01T00:00:00.000Z',
    });
    expect(await bucket.read('k', 3)).toMatchObject({ cutOff: false });
    expect(client.sent[0]).toEqual({
      name: 'GetObjectCommand',
      input: { Bucket: 'results', Key: 'k', Range: 'bytes=0-2' },
    });
  });

  test.each(['NoSuchKey', 'AccessDenied', 'NotFound'])('that answers %s has no such object', async (name) => {
    expect(await bucketOn(awsError(name)).bucket.read('k', 3)).toBeUndefined();
  });

  test('has no range of an empty object, which is an empty output', async () => {
    expect(await bucketOn(awsError('InvalidRange')).bucket.read('k', 3)).toMatchObject({
      text: '',
      cutOff: false,
    });
  });

  test('throws what is wrong besides', async () => {
    await expect(bucketOn(awsError('SlowDown')).bucket.read('k', 3)).rejects.toThrow('SlowDown');
  });

  test('writes with a content type, and leaves the encryption to the bucket', async () => {
    const { bucket, client } = bucketOn();
    await bucket.write('k', 'text', 'text/html; charset=utf-8');
    expect(client.sent).toEqual([
      {
        name: 'PutObjectCommand',
        input: { Bucket: 'results', Key: 'k', Body: 'text', ContentType: 'text/html; charset=utf-8' },
      },
    ]);
  });
});

describe('DynamoDB', () => {
  const entries = sampleHistory(5);

  test('gives the newest runs before a run, the oldest of them first', async () => {
    const client = stub(new DynamoDBClient(OFFLINE), { Items: [...entries].reverse().map(item) });
    const found = await new DynamoHistory(client, 'table').before('bench', '2026', 50);
    expect(found.map(({ runId }) => runId)).toEqual(entries.map(({ runId }) => runId));
    expect(found[0]).toMatchObject(entries[0]!);
    expect(client.sent[0]!.input).toMatchObject({
      TableName: 'table',
      ScanIndexForward: false,
      Limit: 50,
      KeyConditionExpression: 'benchmark = :benchmark AND runId < :before',
      ExpressionAttributeValues: { ':benchmark': { S: 'bench' }, ':before': { S: '2026' } },
    });
  });

  test('gives them from several pages, no more than wanted', async () => {
    const [a, b, c, d] = entries.map(item).reverse();
    const client = stub(
      new DynamoDBClient(OFFLINE),
      { Items: [a, { benchmark: { S: 'x' } }], LastEvaluatedKey: { runId: { S: '1' } } },
      { Items: [b, c, d], LastEvaluatedKey: { runId: { S: '2' } } },
    );
    const found = await readHistory(client, 'table', 'bench', { limit: 3 });
    expect(found.map(({ runId }) => runId)).toEqual(entries.slice(2).map(({ runId }) => runId));
    expect(client.sent).toHaveLength(2);
    expect(client.sent[1]!.input).toMatchObject({ ExclusiveStartKey: { runId: { S: '1' } } });
    expect(client.sent[0]!.input).toMatchObject({ KeyConditionExpression: 'benchmark = :benchmark' });
  });

  test('passes over items that are no runs, and parts that are no numbers', async () => {
    const spoiled = { ...entries[0]!, MBps: { good: 1, bad: 'x' }, reasons: ['a', 1] };
    const client = stub(new DynamoDBClient(OFFLINE), {
      Items: [item(spoiled), item({ ...entries[1]!, verdict: 'perhaps' }), {}],
    });
    const found = await readHistory(client, 'table', 'bench', { limit: 9 });
    expect(found).toHaveLength(1);
    expect(found[0]).toMatchObject({ MBps: { good: 1 }, reasons: ['a'] });
  });

  test('gives back a run as it was put', async () => {
    const entry = historyEntryOf(sampleResult(), 'r.json', 'r.html');
    const client = stub(new DynamoDBClient(OFFLINE));
    await new DynamoHistory(client, 'table').put(entry);
    const [{ name, input }] = client.sent as [{ name: string; input: { Item: never } }];
    expect(name).toBe('PutItemCommand');
    const reader = stub(new DynamoDBClient(OFFLINE), { Items: [input.Item] });
    expect(await readHistory(reader, 'table', 'bench', { limit: 1 })).toEqual([entry]);
  });
});

test('SNS is told subject and text', async () => {
  const client = stub(new SNSClient(OFFLINE));
  await new SnsTopic(client, 'arn:topic').publish('subject', 'text');
  expect(client.sent[0]!.input).toEqual({ TopicArn: 'arn:topic', Subject: 'subject', Message: 'text' });
});

describe('the environment', () => {
  const env = { TABLE: 't', AWS_REGION: 'eu-west-1', TOPIC_ARN: 'arn', DASHBOARD_URL: 'https://d' };

  test('says table, region, topic and dashboard', () => {
    expect(environmentOf(env)).toEqual({
      table: 't',
      region: 'eu-west-1',
      topicArn: 'arn',
      dashboardUrl: 'https://d',
    });
    expect(environmentOf({ ...env, TOPIC_ARN: '', DASHBOARD_URL: undefined })).toMatchObject({
      topicArn: undefined,
    });
  });

  test('has to have a table', () => expect(() => environmentOf({ ...env, TABLE: '' })).toThrow('TABLE'));
});
