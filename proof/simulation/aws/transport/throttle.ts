import { ec2RequestBucket, type TokenBucket } from '../../../../constructs/sizing/data/ec2-request-limits';

/**
 * The account's token buckets for EC2. Of the other services AWS documents none for what is called here, so that only
 * injected faults throttle them.
 */
export class Throttle {
  private readonly buckets = new Map<string, { readonly size: TokenBucket; tokens: number; at: number }>();
  /** Requests that were refused because a bucket was empty. */
  refused = 0;

  /** Takes a token at this time (milliseconds since 1970); false when there is none. */
  admits(operation: string, input: object, now: number): boolean {
    const { Filters, MaxResults } = input as { Filters?: unknown[]; MaxResults?: number };
    const narrowed = MaxResults !== undefined || (Filters?.length ?? 0) > 0;
    const key = narrowed ? operation : `${operation} all`;
    let bucket = this.buckets.get(key);
    if (bucket === undefined) {
      const size = ec2RequestBucket(operation, narrowed);
      bucket = { size, tokens: size.capacity, at: now };
      this.buckets.set(key, bucket);
    }
    const { capacity, perSecond } = bucket.size;
    bucket.tokens = Math.min(capacity, bucket.tokens + ((now - bucket.at) / 1000) * perSecond);
    bucket.at = now;
    if (bucket.tokens < 1) {
      this.refused += 1;
      return false;
    }
    bucket.tokens -= 1;
    return true;
  }
}
