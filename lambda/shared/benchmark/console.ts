import { consoleHost } from '../../../constructs/private/console';

/**
 * The page of an object in the console of S3. It asks who opens it to sign in, unlike a presigned address, which
 * anybody can open who gets to see it, and which expires.
 */
export function objectPage(region: string, bucket: string, key: string): string | undefined {
  const host = consoleHost(region);
  if (host === undefined) return undefined;
  const query = new URLSearchParams({ region, prefix: key });
  return `https://${host}/s3/object/${encodeURIComponent(bucket)}?${query}`;
}
