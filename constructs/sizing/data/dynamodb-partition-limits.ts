import type { Source } from '../facts';
import type { TokenBucket } from './ec2-request-limits';

/** Where the limits of a partition come from. Items with the same partition key are in one. */
export const DYNAMODB_PARTITION_SOURCE: Source = {
  title:
    'Best practices for designing and using partition keys effectively in DynamoDB: 3,000 read and 1,000 write ' +
    'units a second',
  reference: 'https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html',
  checked: '2026-11-22',
};

/** What a partition delivers in a second; what was not used of the seconds before is not counted on. */
export const DYNAMODB_PARTITION = {
  /** One for each strongly consistent read of up to 4 KB. */
  readUnits: { capacity: 3000, perSecond: 3000 },
  /** One for each write of up to 1 KB, two in a transaction. */
  writeUnits: { capacity: 1000, perSecond: 1000 },
} as const satisfies { readonly [kind: string]: TokenBucket };
