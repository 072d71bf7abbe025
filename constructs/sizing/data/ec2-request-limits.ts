import type { Source } from '../facts';

/** A bucket of tokens: each request takes one, and so many come back each second until it is full. */
export interface TokenBucket {
  readonly capacity: number;
  readonly perSecond: number;
}

/** Where the buckets come from. An account's own are in Service Quotas, and may be raised. */
export const EC2_REQUEST_LIMITS_SOURCE: Source = {
  title: 'Request throttling for the Amazon EC2 API: request token bucket sizes and refill rates',
  reference: 'https://docs.aws.amazon.com/ec2/latest/devguide/ec2-api-throttling.html',
  checked: '2026-11-21',
};

/** Describes with a filter or a page size; each operation has a bucket of its own. */
const NON_MUTATING: TokenBucket = { capacity: 100, perSecond: 20 };

/** Describes of these without a filter and a page size. */
const UNFILTERED: TokenBucket = { capacity: 50, perSecond: 10 };
const UNFILTERED_OPERATIONS = [
  'DescribeInstances',
  'DescribeInstanceStatus',
  'DescribeNetworkInterfaces',
  'DescribeSecurityGroups',
  'DescribeSnapshots',
  'DescribeSpotInstanceRequests',
  'DescribeVolumes',
];

/** Whatever changes something and has no bucket of its own in the tables, attaching and detaching for example. */
const MUTATING: TokenBucket = { capacity: 50, perSecond: 5 };

/** Operations with their own sizes, of those that a tier of servers needs. */
const OWN: { readonly [operation: string]: TokenBucket } = {
  CreateNetworkInterface: { capacity: 100, perSecond: 5 },
  CreateTags: { capacity: 100, perSecond: 10 },
  CreateVolume: { capacity: 100, perSecond: 5 },
  DeleteNetworkInterface: { capacity: 100, perSecond: 5 },
  DeleteTags: { capacity: 100, perSecond: 10 },
  DeleteVolume: { capacity: 100, perSecond: 5 },
};

/** Tokens for what a request is about: one for each instance. */
export const EC2_RESOURCE_BUCKETS = {
  RunInstances: { capacity: 1000, perSecond: 2 },
  StartInstances: { capacity: 1000, perSecond: 2 },
  StopInstances: { capacity: 1000, perSecond: 20 },
  TerminateInstances: { capacity: 1000, perSecond: 20 },
} as const satisfies { readonly [operation: string]: TokenBucket };

/**
 * The bucket from which a request of this operation takes its token.
 *
 * @param narrowed whether the request has a filter or a page size
 */
export function ec2RequestBucket(
  operation: string,
  narrowed: boolean,
): TokenBucket & { readonly name: string } {
  const own = OWN[operation];
  if (own !== undefined) return { ...own, name: operation };
  if (!/^(Describe|List|Search|Get)/.test(operation)) return { ...MUTATING, name: operation };
  if (!narrowed && UNFILTERED_OPERATIONS.includes(operation))
    return { ...UNFILTERED, name: `${operation} unfiltered` };
  return { ...NON_MUTATING, name: operation };
}
