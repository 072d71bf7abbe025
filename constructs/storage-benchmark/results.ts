import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import * as dynamodb from 'aws-cdk-lib/aws-dynamodb';
import type * as kms from 'aws-cdk-lib/aws-kms';
import * as s3 from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { DELETE_AFTER } from '../private/benchmark-definition';
import { keepRemovalPolicies as keepResource } from '../private/last-word';
import { acknowledge } from '../volume-reattachment/acknowledge';

/**
 * Where the results are: a bucket for what was measured, and a table for the history. Both are kept when the stack is
 * deleted.
 */
export class Results extends Construct {
  readonly bucket: s3.Bucket;
  readonly table: dynamodb.Table;

  constructor(scope: Construct, id: string, key: kms.IKey, keep: Duration) {
    super(scope, id);
    this.bucket = new s3.Bucket(this, 'Bucket', {
      encryption: s3.BucketEncryption.KMS,
      encryptionKey: key,
      // One request to the key for many objects.
      bucketKeyEnabled: true,
      blockPublicAccess: s3.BlockPublicAccess.BLOCK_ALL,
      objectOwnership: s3.ObjectOwnership.BUCKET_OWNER_ENFORCED,
      enforceSSL: true,
      lifecycleRules: [
        { prefix: 'runs/', expiration: keep, abortIncompleteMultipartUploadAfter: Duration.days(1) },
      ],
      removalPolicy: RemovalPolicy.RETAIN,
    });
    acknowledge(
      this.bucket,
      'AwsSolutions-S1',
      'Only the hosts and functions of the benchmark write to it, and only results: who did is in CloudTrail, ' +
        'if data events are on.',
    );
    this.table = new dynamodb.Table(this, 'Table', {
      partitionKey: { name: 'benchmark', type: dynamodb.AttributeType.STRING },
      sortKey: { name: 'runId', type: dynamodb.AttributeType.STRING },
      billingMode: dynamodb.BillingMode.PAY_PER_REQUEST,
      encryption: dynamodb.TableEncryption.CUSTOMER_MANAGED,
      encryptionKey: key,
      // Of the lock and of what was sent; runs have no such attribute.
      timeToLiveAttribute: DELETE_AFTER,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      removalPolicy: RemovalPolicy.RETAIN,
    });
    for (const each of [this.bucket, this.table]) keepResource(each.node.defaultChild!);
  }
}
