import { GetObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { errorName } from './log';

/** What a JSON object of a bucket says; undefined when there is none. */
export async function readJson<T>(client: S3Client, bucket: string, key: string): Promise<T | undefined> {
  try {
    const { Body } = await client.send(new GetObjectCommand({ Bucket: bucket, Key: key }));
    return JSON.parse((await Body?.transformToString()) ?? 'null') ?? undefined;
  } catch (error) {
    if (errorName(error) === 'NoSuchKey') return undefined;
    throw error;
  }
}
