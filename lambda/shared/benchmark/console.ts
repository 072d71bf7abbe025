/** Where the AWS Management Console of a region is; undefined where it is not known, in isolated regions for example. */
function consoleHost(region: string): string | undefined {
  if (!/^[a-z]{2}(-[a-z]+)+-\d+$/.test(region) || /-iso/.test(region)) return undefined;
  if (region.startsWith('cn-')) return 'console.amazonaws.cn';
  if (region.startsWith('us-gov-')) return `${region}.console.amazonaws-us-gov.com`;
  if (region.startsWith('eusc-')) return undefined;
  return `${region}.console.aws.amazon.com`;
}

/**
 * The page of an object in the console of S3. It asks who opens it to sign in, unlike a presigned address, which anybody can open who gets
 * to see it, and which expires.
 */
export function objectPage(region: string, bucket: string, key: string): string | undefined {
  const host = consoleHost(region);
  if (host === undefined) return undefined;
  const query = new URLSearchParams({ region, prefix: key });
  return `https://${host}/s3/object/${encodeURIComponent(bucket)}?${query}`;
}
