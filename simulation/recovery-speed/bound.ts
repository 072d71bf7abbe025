import { ec2RequestBucket } from '../../constructs/sizing/data/ec2-request-limits';

/** The requests that nothing can do without, by operation. */
export interface NeededRequests {
  readonly [operation: string]: number;
}

/** What the recovery of so many slots needs of EC2. Their volumes carry the tag of formatted ones already; a describe or two are within any bucket. */
export function neededRequests(slots: number, volumesPerSlot: number): NeededRequests {
  return { AttachVolume: slots * volumesPerSlot, AttachNetworkInterface: slots };
}

/** How long after the first request of an operation the last one can be sent at the earliest, from a bucket that was full: seconds. */
export function secondsFor(operation: string, requests: number): number {
  const { capacity, perSecond } = ec2RequestBucket(operation, false);
  return Math.max(0, requests - capacity) / perSecond;
}

/** The same for several operations at once. Each has a bucket of its own, so that the slowest decides. */
export function bucketSeconds(needed: NeededRequests): number {
  return Object.entries(needed).reduce(
    (most, [operation, requests]) => Math.max(most, secondsFor(operation, requests)),
    0,
  );
}
