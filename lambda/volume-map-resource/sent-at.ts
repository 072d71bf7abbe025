/** The time of a signature, for example 20220729T203732Z. */
const SIGNED = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/;

/**
 * When CloudFormation made a request: it signs the address for the answer then, and such a signature has a time, in
 * whole seconds.
 *
 * @returns milliseconds since 1970; undefined when the address has no such signature
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html
 */
export function sentAt(responseUrl: string): number | undefined {
  if (!URL.canParse(responseUrl)) return undefined;
  const signed = SIGNED.exec(new URL(responseUrl).searchParams.get('X-Amz-Date') ?? '');
  if (!signed) return undefined;
  const [year, month, ...rest] = signed.slice(1).map(Number);
  return Date.UTC(year!, month! - 1, ...rest);
}
