import { RemovalPolicy } from 'aws-cdk-lib';
import * as dynamodb from 'aws-cdk-lib/aws-dynamodb';
import type * as kms from 'aws-cdk-lib/aws-kms';
import { Construct, type IConstruct } from 'constructs';
import { checkArguments } from '../private/inputs/check';
import { keepRemovalPolicies } from '../private/last-word';
import { TIME_TO_LIVE } from '../private/recoveries';
import { keptKey, requireRetainedKey } from '../private/retained-key';
import { invalid } from '../private/validation';

/** Properties of `VolumeMap`. */
export interface VolumeMapProps {
  /**
   * The key that encrypts the table, and by default everything of the tiers that use it. A key that the app makes has
   * to stay as the table does: synthesis refuses it unless its removal policy is `RETAIN`, the CDK's default for keys.
   * One that is imported is its owner's to keep: without it nobody can ever read the table, or the volumes, again.
   *
   * @default - a new key with yearly rotation, kept when the stack is deleted
   */
  readonly encryptionKey?: kms.IKey;
}

/**
 * The table that says which server owns which slot and which volumes a slot has (design after SAS/Intel paper 001: "a
 * small DynamoDB table maps volumes to OSS"). Shared by the tiers of one file system; kept when the stack is deleted,
 * since the kept volumes need it.
 */
export class VolumeMap extends Construct {
  /** The table. Partition key `tier`, sort key `item`. */
  readonly table: dynamodb.Table;

  /** The key that encrypts the table. */
  readonly encryptionKey: kms.IKey;

  private readonly tiers = new Set<string>();

  constructor(scope: Construct, id: string, props: VolumeMapProps = {}) {
    ({ props } = checkArguments('VolumeMap', { scope, id, props }));
    super(scope, id);
    this.encryptionKey =
      props.encryptionKey ?? keptKey(this, 'Key', `Volumes, volume map and logs of ${this.node.path}`);
    this.table = new dynamodb.Table(this, 'Table', {
      partitionKey: { name: 'tier', type: dynamodb.AttributeType.STRING },
      sortKey: { name: 'item', type: dynamodb.AttributeType.STRING },
      billingMode: dynamodb.BillingMode.PAY_PER_REQUEST,
      encryption: dynamodb.TableEncryption.CUSTOMER_MANAGED,
      encryptionKey: this.encryptionKey,
      // Of the recoveries only; rows of slots and owners have no such attribute.
      timeToLiveAttribute: TIME_TO_LIVE,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      deletionProtection: true,
      removalPolicy: RemovalPolicy.RETAIN,
    });
    keepRemovalPolicies(this.table);
    requireRetainedKey(this.encryptionKey, `the volume map ${this.node.path}`, [this.table]);
  }

  /**
   * Takes a tier in. Its name is its key in the table, so that no two may share one.
   *
   * @internal
   */
  _addTier(tier: string, scope: IConstruct): void {
    if (this.tiers.has(tier)) {
      const known = [...this.tiers].join(', ');
      throw invalid(
        scope,
        'tier',
        tier,
        `a name other than ${known}`,
        'Use another name, or a volume map of its own.',
      );
    }
    this.tiers.add(tier);
  }
}
