import { DYNAMODB_PARTITION } from '../../../constructs/sizing/data/dynamodb-partition-limits';
import type { TokenBucket } from '../../../constructs/sizing/data/ec2-request-limits';
import { type Call, type CallFault, type Faults, NO_FAULTS } from '../aws/call';
import type { World } from '../aws/world';

/** A bucket of tokens that fills itself with time. */
export class Bucket {
  private tokens: number;
  private at = Number.NEGATIVE_INFINITY;

  constructor(private readonly size: TokenBucket) {
    this.tokens = size.capacity;
  }

  /** Takes tokens at this time (milliseconds since 1970); false, and none are taken, when there are not enough. */
  takes(count: number, now: number): boolean {
    const { capacity, perSecond } = this.size;
    const since = Math.max(0, now - this.at) / 1000;
    this.tokens = Math.min(capacity, this.tokens + since * perSecond);
    this.at = now;
    if (this.tokens < count) return false;
    this.tokens -= count;
    return true;
  }
}

const KIB = 1024;

/**
 * What AWS documents besides EC2's buckets, which the simulated EC2 enforces itself: DynamoDB's units for one
 * partition, in which all rows of a tier are. Of Auto Scaling it says that there is one bucket for all operations, and
 * of Systems Manager that requests are throttled, but no sizes.
 */
export class DocumentedLimits implements Faults {
  /** Requests that were refused. */
  refused = 0;
  readonly staleness = NO_FAULTS.staleness;
  readonly onEvent = NO_FAULTS.onEvent;
  private readonly reads = new Bucket(DYNAMODB_PARTITION.readUnits);
  private readonly writes = new Bucket(DYNAMODB_PARTITION.writeUnits);
  private world: World | undefined;

  watch(world: World): void {
    this.world = world;
  }

  onCall({ service, operation, input, at }: Call): CallFault | undefined {
    if (service !== 'dynamodb' || this.world === undefined) return undefined;
    const taken =
      operation === 'Query'
        ? this.reads.takes(this.readUnits(), at)
        : this.writes.takes(this.writeUnits(operation, input), at);
    if (taken) return undefined;
    this.refused += 1;
    return { kind: 'throttle' };
  }

  /** A query reads all rows of the tier, and counts them together. */
  private readUnits(): number {
    let bytes = 0;
    for (const row of this.world!.map.items.values()) bytes += JSON.stringify(row).length;
    return Math.ceil(bytes / (4 * KIB));
  }

  /** A write counts the whole item, whatever it changes of it. */
  private writeUnits(operation: string, input: object): number {
    const units = (item: string): number =>
      Math.max(1, Math.ceil(JSON.stringify(this.world!.map.items.get(item) ?? {}).length / KIB));
    const { Key, TransactItems } = input as {
      Key?: { item?: { S?: string } };
      TransactItems?: { [kind: string]: { Key?: { item?: { S?: string } } } }[];
    };
    if (operation !== 'TransactWriteItems') return units(Key?.item?.S ?? '');
    const items = (TransactItems ?? []).flatMap((each) => Object.values(each));
    return items.reduce((sum, each) => sum + 2 * units(each.Key?.item?.S ?? ''), 0);
  }
}
