import { type DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { GetObjectCommand, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { PublishCommand, type SNSClient } from '@aws-sdk/client-sns';
import { type Plain, toItem } from '../shared/attributes';
import { readHistory } from '../shared/benchmark/history-table';
import type { HistoryEntry } from '../shared/benchmark/result';
import { errorName } from '../shared/log';
import type { BucketPort, HistoryPort, StoredText, TopicPort } from './ports';

/** The bucket of the results in S3. */
export class S3Bucket implements BucketPort {
  constructor(
    private readonly client: S3Client,
    private readonly bucket: string,
  ) {}

  async read(key: string, most: number): Promise<StoredText | undefined> {
    try {
      const range = `bytes=0-${most - 1}`;
      const answer = await this.client.send(
        new GetObjectCommand({ Bucket: this.bucket, Key: key, Range: range }),
      );
      const text = (await answer.Body?.transformToString('utf-8')) ?? '';
      const bytes = answer.ContentLength ?? Buffer.byteLength(text);
      const all = Number(answer.ContentRange?.split('/')[1] ?? bytes);
      return { text, bytes, cutOff: all > bytes, lastModified: answer.LastModified?.toISOString() };
    } catch (error) {
      if (isMissing(error)) return undefined;
      // No range of an empty object can be given.
      if (errorName(error) === 'InvalidRange') return { text: '', bytes: 0, cutOff: false };
      throw error;
    }
  }

  async write(key: string, text: string, contentType: string): Promise<void> {
    await this.client.send(
      new PutObjectCommand({ Bucket: this.bucket, Key: key, Body: text, ContentType: contentType }),
    );
  }
}

/** Without the right to list a bucket, a missing object reads as access denied (Amazon S3 API Reference, GetObject). */
const isMissing = (error: unknown) => ['NoSuchKey', 'NotFound', 'AccessDenied'].includes(errorName(error));

/** The table of the runs in DynamoDB. */
export class DynamoHistory implements HistoryPort {
  constructor(
    private readonly client: DynamoDBClient,
    private readonly table: string,
  ) {}

  before(benchmark: string, runId: string, limit: number): Promise<HistoryEntry[]> {
    return readHistory(this.client, this.table, benchmark, { limit, before: runId });
  }

  async put(entry: HistoryEntry): Promise<void> {
    const item = toItem(entry as unknown as { [key: string]: Plain | undefined });
    await this.client.send(new PutItemCommand({ TableName: this.table, Item: item }));
  }
}

/** A topic of SNS. */
export class SnsTopic implements TopicPort {
  constructor(
    private readonly client: SNSClient,
    private readonly topicArn: string,
  ) {}

  async publish(subject: string, message: string): Promise<void> {
    await this.client.send(
      new PublishCommand({ TopicArn: this.topicArn, Subject: subject, Message: message }),
    );
  }
}
