import { ec2RequestBucket } from '../../../constructs/sizing/data/ec2-request-limits';
import type { Timings } from '../aws/timings';

/** The requests that nothing can do without, by operation. */
export interface NeededRequests {
  readonly [operation: string]: number;
}

/**
 * What the recovery of so many slots needs of EC2. Their volumes carry the tag of formatted ones already; a describe or
 * two are within any bucket.
 */
export function neededRequests(slots: number, volumesPerSlot: number): NeededRequests {
  return { AttachVolume: slots * volumesPerSlot, AttachNetworkInterface: slots };
}

/**
 * How long after the first request of an operation the last one can be sent at the earliest, from a bucket that was
 * full: seconds.
 */
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

/** What EC2, Auto Scaling and the hosts need at least, besides the buckets: seconds. */
export interface OthersSeconds {
  /** From the loss of a server until something of its slot can be attached to the next one. */
  readonly before: number;
  /** From the last request of an attach until its slot is served. */
  readonly after: number;
}

/**
 * From the times that a simulation has, not from what happened in it: so a control plane that is late is not taken for
 * EC2 being slow. The old server has to end and let go of what it held, while its group notices that, launches and lets
 * the launch wait in its hook, and the next one boots.
 */
export function othersSeconds(timings: Timings, volumesPerSlot: number): OthersSeconds {
  const least = (name: keyof Timings): number => timings[name][0];
  const free = least('shutdown') + least('release');
  const launched = least('healthCheck') + least('groupReaction');
  const usable = launched + Math.max(least('boot'), least('groupReaction'));
  const after = least('attach') + volumesPerSlot * least('mount');
  return { before: Math.max(free, usable) / 1000, after: after / 1000 };
}

/**
 * When the group of a lost server launches the next one: it looks at the server's health, and then at what it lacks.
 * Seconds after the loss, least and most.
 */
export function launchSeconds({ healthCheck, groupReaction }: Timings): readonly [number, number] {
  return [(healthCheck[0] + groupReaction[0]) / 1000, (healthCheck[1] + groupReaction[1]) / 1000];
}
