import { Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import type * as iam from 'aws-cdk-lib/aws-iam';
import type * as lambda from 'aws-cdk-lib/aws-lambda';
import * as logs from 'aws-cdk-lib/aws-logs';
import * as s3 from 'aws-cdk-lib/aws-s3';
import * as sfn from 'aws-cdk-lib/aws-stepfunctions';
import { Construct } from 'constructs';
import { bundledFunction } from '../private/bundled-function';
import { acknowledge } from '../volume-reattachment/acknowledge';
import type { IVolumeReattachment } from '../volume-reattachment/interface';
import { allowBundles, BUNDLES_FOLDER, DEPLOYMENT_TAG } from './bundle-rights';
import { bundleDefinition } from './bundle-workflow';
import { hostPartDocument, journalDocument } from './documents';

/** What the names of a deployment's stacks end with, in the order in which they are deployed. */
const STACKS = ['network', 'images', 'storage', 'grid', 'benchmark', 'operations'] as const;

/** Properties of `OperationBundle`. */
export interface OperationBundleProps {
  /** The deployment: its stacks are named by it, and its hosts have it as the value of a tag. */
  readonly deploymentName: string;

  /**
   * The tiers whose rows are collected.
   *
   * @default - none: AWS runs the storage, or hosts have the volumes themselves
   */
  readonly tiers?: IVolumeReattachment[];

  /**
   * How long a bundle is kept, in whole days.
   *
   * @default Duration.days(14)
   */
  readonly keepFor?: Duration;
}

/**
 * Support bundles: a workflow that collects journals, Lustre's debug buffer, configuration, rows, logs, events of
 * stacks and alarms of a deployment in a bucket, without secrets, with a list of what is there and what is not.
 *
 * Hosts send their part to addresses that are signed for one object each: their roles get no new right
 * (docs/adr/0040-signed-addresses.md).
 */
export class OperationBundle extends Construct {
  /** Start an execution of it for a bundle. */
  readonly stateMachine: sfn.StateMachine;

  /** Where bundles are: `bundles/<name of the execution>/`. */
  readonly bucket: s3.Bucket;

  /** The document that shows the journal of one host. */
  readonly journalDocumentName: string;

  constructor(scope: Construct, id: string, props: OperationBundleProps) {
    super(scope, id);
    this.bucket = this.makeBucket(props.keepFor ?? Duration.days(14));
    const document = hostPartDocument(this);
    this.journalDocumentName = journalDocument(this).ref;
    const maps = [...new Set((props.tiers ?? []).map(({ volumeMap }) => volumeMap))];
    const collector = bundledFunction(this, 'Function', 'operation-bundle', undefined, {
      description: `Support bundles of ${props.deploymentName}`,
      // Longer than it goes on with further parts, by the longest part (lambda/operation-bundle/settings.ts).
      timeout: Duration.minutes(6),
      memorySize: 1769,
      environment: {
        DEPLOYMENT: props.deploymentName,
        STACKS: STACKS.map((part) => `${props.deploymentName}-${part}`).join(','),
        TABLES: maps.map(({ table }) => table.tableName).join(','),
        BUCKET: this.bucket.bucketName,
        DOCUMENT: document.ref,
        TAG: DEPLOYMENT_TAG,
      },
    });
    allowBundles(collector, {
      deploymentName: props.deploymentName,
      stacks: STACKS.map((part) => `${props.deploymentName}-${part}`),
      document: document.ref,
      bucket: this.bucket,
      maps,
    });
    this.stateMachine = this.makeWorkflow(collector);
  }

  /** Lets somebody start bundles, follow them and get them. */
  grantStart(grantee: iam.IGrantable): iam.Grant {
    this.stateMachine.grantRead(grantee);
    this.bucket.grantRead(grantee, `${BUNDLES_FOLDER}*`);
    return this.stateMachine.grantStartExecution(grantee);
  }

  private makeBucket(keepFor: Duration): s3.Bucket {
    const bucket = new s3.Bucket(this, 'Bucket', {
      encryption: s3.BucketEncryption.S3_MANAGED,
      blockPublicAccess: s3.BlockPublicAccess.BLOCK_ALL,
      objectOwnership: s3.ObjectOwnership.BUCKET_OWNER_ENFORCED,
      enforceSSL: true,
      lifecycleRules: [{ expiration: keepFor, abortIncompleteMultipartUploadAfter: Duration.days(1) }],
      // One that is not empty cannot be deleted, and would keep its stack. It empties itself.
      removalPolicy: RemovalPolicy.RETAIN,
    });
    acknowledge(
      bucket,
      'AwsSolutions-S1',
      'Only the function writes to it, and hosts with addresses that it signs: who did is in CloudTrail, if data ' +
        'events are on.',
    );
    return bucket;
  }

  private makeWorkflow(collector: lambda.Function): sfn.StateMachine {
    const stateMachine = new sfn.StateMachine(this, 'StateMachine', {
      definitionBody: sfn.DefinitionBody.fromChainable(bundleDefinition(this, collector)),
      stateMachineType: sfn.StateMachineType.STANDARD,
      timeout: Duration.hours(2),
      tracingEnabled: true,
      logs: {
        // Step Functions writes other names into the account's one policy for log delivery, which ends at 5,120
        // characters (AWS Step Functions Developer Guide, "Avoiding Amazon CloudWatch Logs resource policy size
        // restrictions").
        destination: new logs.LogGroup(this, 'WorkflowLogs', {
          logGroupName: `/aws/vendedlogs/states/${Stack.of(this).stackName}-${this.node.addr.slice(-8)}`,
          retention: logs.RetentionDays.ONE_YEAR,
          // With a name of its own it would be in the way of the stack's next deployment.
          removalPolicy: RemovalPolicy.DESTROY,
        }),
        level: sfn.LogLevel.ALL,
        includeExecutionData: false,
      },
    });
    acknowledge(
      stateMachine,
      'AwsSolutions-IAM5[Resource::*]',
      'Log delivery of Step Functions and X-Ray know no resources (Step Functions Developer Guide, "Logging" ' +
        'and "X-Ray").',
    );
    const logicalId = Stack.of(this).getLogicalId(collector.node.defaultChild as lambda.CfnFunction);
    acknowledge(
      stateMachine,
      `AwsSolutions-IAM5[Resource::<${logicalId}.Arn>:*]`,
      'Any version of this one function.',
    );
    return stateMachine;
  }
}
