import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Duration, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import * as events from 'aws-cdk-lib/aws-events';
import { SnsTopic } from 'aws-cdk-lib/aws-events-targets';
import * as iam from 'aws-cdk-lib/aws-iam';
import type * as kms from 'aws-cdk-lib/aws-kms';
import * as s3 from 'aws-cdk-lib/aws-s3';
import type * as sns from 'aws-cdk-lib/aws-sns';
import * as ssm from 'aws-cdk-lib/aws-ssm';
import { Construct } from 'constructs';
import { keyArnInPolicies, tellForeignOwner } from '../private/imported';
import { inlinePolicy } from '../private/inline-policy';
import { keepRemovalPolicies } from '../private/last-word';
import { wildcardFinding } from '../private/nag-text';
import { hostFiles } from '../private/package-root';
import { requireRetainedKey } from '../private/retained-key';
import { takeName } from '../private/shared-names';
import { invalid } from '../private/validation';
import { AWS_CLI } from '../sizing';
import { allowArchiveMetric, archiveAlarm } from './archive-alarm';
import { archiveRule } from './checks';
import type { NfsArchive } from './props';

// The longest that Systems Manager lets a command run. What is left the next run copies. After two hours the agent
// reports a failure, and lets it go on (isAssociationTimedOut in aws/amazon-ssm-agent).
const LONGEST_RUN_SECONDS = '172800';

const OBJECT_USE = ['s3:PutObject', 's3:GetObject', 's3:AbortMultipartUpload', 's3:ListMultipartUploadParts'];

/** What is archived, and by whom. */
export interface NfsArchiverProps extends NfsArchive {
  readonly hostName: string;
  readonly exportPath: string;
  readonly autoScalingGroupName: string;
  readonly role: iam.IRole;
  readonly encryptionKey: kms.IKey;
  readonly alarmTopic?: sns.ITopic;
}

/**
 * Copies of the export in S3. A State Manager association runs the host's archive program on whichever server the group
 * has: it needs no room in user data, reaches servers that are running already, and says in Systems Manager how the
 * last run ended. (DataSync reads NFS through an agent on an instance of its own only.)
 */
export class NfsArchiver extends Construct {
  readonly bucket: s3.IBucket;

  constructor(scope: Construct, id: string, props: NfsArchiverProps) {
    super(scope, id);
    const { hours, keepDays } = archiveRule(this, props);
    const prefix = props.prefix ?? props.hostName;
    this.bucket = props.bucket ?? this.newBucket(props.encryptionKey, keepDays);
    this.requireOwnPrefix(prefix);
    const document = this.document('Document', props, prefix, {
      description: `Copies ${props.exportPath} to S3`,
    });
    this.document('RestoreDocument', props, prefix, {
      description: `Brings all of an archived file system back to ${props.exportPath}, which has to be empty`,
      parameters: {
        FileSystem: {
          type: 'String',
          description: 'The file system that was archived: the UUID in the name of its list, index-<UUID>.gz',
          allowedPattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$',
        },
      },
      more: ' restore {{ FileSystem }}',
    });
    const association = new ssm.CfnAssociation(this, 'Schedule', {
      name: document.ref,
      documentVersion: '$LATEST',
      associationName: `${Stack.of(this).stackName}-nfs-archive-${this.node.addr.slice(-8)}`,
      targets: [{ key: 'tag:aws:autoscaling:groupName', values: [props.autoScalingGroupName] }],
      scheduleExpression: hours === 1 ? 'rate(1 hour)' : `rate(${hours} hours)`,
      complianceSeverity: 'HIGH',
    });
    association.node.addDependency(
      this.allowAccess(props, prefix),
      this.allowAssociation(props.role, document),
    );
    const archive = `${this.bucket.bucketName}/${prefix}`;
    archiveAlarm(this, { archive, everyHours: hours, alarmTopic: props.alarmTopic });
    if (props.alarmTopic) this.tell(props.alarmTopic, association);
  }

  /** Runs the archive program, which needs no room in user data so. */
  private document(
    id: string,
    { exportPath }: NfsArchiverProps,
    prefix: string,
    { more = '', ...content }: { description: string; parameters?: object; more?: string },
  ): ssm.CfnDocument {
    const text = (...path: string[]) =>
      readFileSync(join(hostFiles(), ...path), 'utf8')
        .trimEnd()
        .split('\n');
    const what = `${exportPath} ${this.bucket.bucketName} ${prefix} ${Stack.of(this).region}`;
    return new ssm.CfnDocument(this, id, {
      documentType: 'Command',
      documentFormat: 'JSON',
      updateMethod: 'NewVersion',
      content: {
        schemaVersion: '2.2',
        ...content,
        mainSteps: [
          {
            action: 'aws:runShellScript',
            name: 'archive',
            inputs: {
              timeoutSeconds: LONGEST_RUN_SECONDS,
              runCommand: [
                // biome-ignore lint/suspicious/noTemplateCurlyInString: the shell's, not ours
                'export SAS_GRID_LIB="${SAS_GRID_ROOT:-}/opt/cdk-sas-grid/lib" SAS_GRID_ARCHIVER=/dev/fd/4',
                // By file descriptors of their own: what the program runs must not read the rest of it as input.
                `exec bash /dev/fd/3 ${what} ${AWS_CLI.version}${more} 3<<'PROGRAM' 4<<'ARCHIVER'`,
                ...text('bin', 'sas-grid-nfs-archive'),
                'PROGRAM',
                ...text('documents', 'nfs-archive.py'),
                'ARCHIVER',
              ],
            },
          },
        ],
      },
    });
  }

  /** Two servers would overwrite each other's files. */
  private requireOwnPrefix(prefix: string): void {
    const other = takeName(this, ['archive', this.bucket.bucketName], prefix);
    if (!other) return;
    const allowed = `a prefix that ${other} does not write to in the bucket`;
    throw invalid(
      this,
      'archive.prefix',
      prefix,
      allowed,
      'Give each server its own hostName or archive.prefix.',
    );
  }

  private newBucket(encryptionKey: kms.IKey, keepDays: number): s3.Bucket {
    const common = {
      blockPublicAccess: s3.BlockPublicAccess.BLOCK_ALL,
      enforceSSL: true,
      removalPolicy: RemovalPolicy.RETAIN,
    };
    const accessLogs = new s3.Bucket(this, 'AccessLogs', {
      ...common,
      encryption: s3.BucketEncryption.S3_MANAGED,
      lifecycleRules: [{ expiration: Duration.days(365) }],
    });
    Validations.of(accessLogs).acknowledge({
      id: 'AwsSolutions-S1',
      reason: 'It is itself the bucket of access logs; logging its own access would grow it for ever.',
    });
    const bucket = new s3.Bucket(this, 'Bucket', {
      ...common,
      versioned: true,
      encryption: s3.BucketEncryption.KMS,
      encryptionKey,
      bucketKeyEnabled: true,
      serverAccessLogsBucket: accessLogs,
      lifecycleRules: [
        {
          abortIncompleteMultipartUploadAfter: Duration.days(7),
          noncurrentVersionExpiration: Duration.days(keepDays),
        },
      ],
    });
    keepRemovalPolicies(bucket.node.defaultChild!);
    requireRetainedKey(encryptionKey, `the archive ${this.node.path}`, [bucket]);
    return bucket;
  }

  /**
   * Reading is for bringing files back. There is no right to delete: a server that was broken into cannot empty the
   * archive.
   */
  private allowAccess({ role, encryptionKey }: NfsArchiverProps, prefix: string): iam.Policy {
    const ofBucket = this.bucket.encryptionKey;
    const key = ofBucket
      ? keyArnInPolicies(this, ofBucket, 'archive.bucket.encryptionKey')
      : keyArnInPolicies(this, encryptionKey);
    const objects = this.bucket.arnForObjects(`${prefix}/*`);
    const inBucket = [this.bucket.bucketArn, objects];
    tellForeignOwner(this, 'bucket', this.bucket, {
      actions: ['s3:ListBucket', ...OBJECT_USE],
      resources: inBucket,
    });
    const policy = inlinePolicy(this, 'Access', role, [
      new iam.PolicyStatement({
        actions: ['s3:ListBucket'],
        resources: [this.bucket.bucketArn],
        conditions: { StringLike: { 's3:prefix': [prefix, `${prefix}/*`] } },
      }),
      new iam.PolicyStatement({
        actions: OBJECT_USE,
        resources: [objects],
      }),
      // For objects only: the key encrypts more than the archive.
      new iam.PolicyStatement({
        actions: ['kms:GenerateDataKey', 'kms:Decrypt'],
        resources: [key],
        conditions: { StringLike: { 'kms:ViaService': 's3.*' } },
      }),
      allowArchiveMetric(),
    ]);
    Validations.of(policy).acknowledge({
      id: wildcardFinding(this, objects),
      reason:
        'The objects below the prefix of the archive: their names are those of the files of the export.',
    });
    Validations.of(policy).acknowledge({
      id: 'AwsSolutions-IAM5[Resource::*]',
      reason: 'PutMetricData knows no resources; a condition limits it to the namespace of this library.',
    });
    return policy;
  }

  /**
   * What the agent needs to be told of an association, which comes to it otherwise than commands do: without, it never
   * runs, and nothing fails either. (Its calls: ProcessAssociation in aws/amazon-ssm-agent, agent/association.)
   */
  private allowAssociation(role: iam.IRole, document: ssm.CfnDocument): iam.Policy {
    const resource = { service: 'ssm', resource: 'document', resourceName: document.ref };
    const policy = inlinePolicy(this, 'Association', role, [
      new iam.PolicyStatement({
        actions: ['ssm:GetDocument'],
        resources: [Stack.of(this).formatArn(resource)],
      }),
      new iam.PolicyStatement({
        actions: [
          'ssm:ListInstanceAssociations',
          'ssm:PutComplianceItems',
          'ssm:UpdateInstanceAssociationStatus',
        ],
        resources: ['*'],
      }),
    ]);
    Validations.of(policy).acknowledge({
      id: 'AwsSolutions-IAM5[Resource::*]',
      reason: 'The ids of the instances for which the agent asks and reports are not known at deployment.',
    });
    return policy;
  }

  private tell(topic: sns.ITopic, association: ssm.CfnAssociation): void {
    new events.Rule(this, 'Failed', {
      description: 'The NFS archive could not be written',
      eventPattern: {
        source: ['aws.ssm'],
        detailType: ['EC2 State Manager Association State Change'],
        detail: { 'association-id': [association.attrAssociationId], status: ['Failed'] },
      },
      targets: [new SnsTopic(topic)],
    });
  }
}
