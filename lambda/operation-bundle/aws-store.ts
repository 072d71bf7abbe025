import { PutObjectCommand, paginateListObjectsV2, type S3Client } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { readJson } from '../shared/json-object';
import type { StorePort } from './ports';
import { ADDRESS_SECONDS } from './settings';

/** The bucket of bundles. Its client must calculate checksums only where S3 requires them: see `address`. */
export class S3Store implements StorePort {
  constructor(
    private readonly client: S3Client,
    private readonly bucket: string,
  ) {}

  read<T>(key: string): Promise<T | undefined> {
    return readJson(this.client, this.bucket, key);
  }

  async write(key: string, text: string): Promise<void> {
    const ContentType = key.endsWith('.json') ? 'application/json' : 'text/plain; charset=utf-8';
    await this.client.send(new PutObjectCommand({ Bucket: this.bucket, Key: key, Body: text, ContentType }));
  }

  async sizes(prefix: string): Promise<ReadonlyMap<string, number>> {
    const found = new Map<string, number>();
    const pages = paginateListObjectsV2({ client: this.client }, { Bucket: this.bucket, Prefix: prefix });
    for await (const { Contents = [] } of pages)
      for (const { Key = '', Size = 0 } of Contents) found.set(Key, Size);
    return found;
  }

  /** With a checksum of the empty body in it, which the SDK adds by default, S3 would refuse every other body. */
  address(key: string): Promise<string> {
    const command = new PutObjectCommand({ Bucket: this.bucket, Key: key });
    return getSignedUrl(this.client, command, { expiresIn: ADDRESS_SECONDS });
  }
}
