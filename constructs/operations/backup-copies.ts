import { Duration, Stack } from 'aws-cdk-lib';
import * as events from 'aws-cdk-lib/aws-events';
import * as targets from 'aws-cdk-lib/aws-events-targets';
import * as iam from 'aws-cdk-lib/aws-iam';
import type * as kms from 'aws-cdk-lib/aws-kms';
import type * as lambda from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { bundledFunction } from '../private/bundled-function';
import { invalid, isConcrete } from '../private/validation';
import { alarmOfAge } from './age-alarm';
import { allowCopies, type BackupDestination } from './copy-rights';
import { type Operations, STEP_TIMEOUT } from './operations';

/** Properties of `BackupCopies`. */
export interface BackupCopiesProps {
  readonly operations: Operations;
  readonly destination: BackupDestination;
  /** The key of the volumes, and so of the snapshots. */
  readonly encryptionKey: kms.IKey;
  /** How many sets of copies stay. */
  readonly keep: number;
  /** From how many hours on the newest set of snapshots is too old; copies may take a day longer. */
  readonly backupAlarmAfterHours: number;
}

/** EBS copies for hours; what waits for room is begun soon after there is some. */
const EVERY = Duration.minutes(15);

const DAY_HOURS = 24;

/**
 * Copies complete sets to another region or account, and deletes copies there as retention does here. A function of its
 * own: its role may make no snapshot and no backup, and that of backups reaches no other region.
 */
export class BackupCopies extends Construct {
  constructor(scope: Construct, id: string, props: BackupCopiesProps) {
    super(scope, id);
    this.check(props);
    const { operations, destination, keep } = props;
    const { deployment } = operations.props;
    const { region, roleArn, kmsKeyArn } = destination;
    const copies = bundledFunction(this, 'Copies', 'backup-copies', undefined, {
      description: `Copies backups of ${deployment} to ${region}`,
      timeout: STEP_TIMEOUT,
      memorySize: 256,
      environment: {
        OPERATIONS_TABLE: operations.table.tableName,
        DEPLOYMENT: Stack.of(this).toJsonString({
          deployment,
          region: Stack.of(this).region,
          account: Stack.of(this).account,
          destination: { region, ...(roleArn && { roleArn }), ...(kmsKeyArn && { keyArn: kmsKeyArn }) },
          keep,
        }),
      },
    });
    copies.addToRolePolicy(
      new iam.PolicyStatement({
        sid: 'OwnItem',
        actions: ['dynamodb:GetItem', 'dynamodb:UpdateItem'],
        resources: [operations.table.tableArn],
        // The only one that it reads and writes: lambda/backup-copies/aws-work.ts.
        conditions: { 'ForAllValues:StringEquals': { 'dynamodb:LeadingKeys': ['backup-copies'] } },
      }),
    );
    allowCopies(copies, { deployment, destination, encryptionKey: props.encryptionKey });
    this.letAccountUseKey(props);
    this.watch(props, copies);
  }

  private check({ destination, keep }: BackupCopiesProps): void {
    const { region, roleArn, kmsKeyArn } = destination;
    const here = Stack.of(this).region;
    if (!roleArn && isConcrete(here) && here === region) {
      throw invalid(
        this,
        'copyTo.region',
        region,
        `another one than the deployment's, ${here}, unless roleArn names a role of another account`,
        'Choose another region: two copies of a set in one region and account would be no set.',
      );
    }
    if (kmsKeyArn && isConcrete(kmsKeyArn) && kmsKeyArn.split(':')[3] !== region) {
      const allowed = `the ARN of a key of ${region}`;
      throw invalid(this, 'copyTo.kmsKeyArn', kmsKeyArn, allowed, 'EBS encrypts a copy where it is.');
    }
    if (keep < 2) {
      throw invalid(
        this,
        'keep',
        keep,
        '2 or more with copyTo',
        'With one set only it would be deleted while it is still copied, as soon as the next one is made.',
      );
    }
  }

  /** The other account's role uses the key by this policy and its own; a key that is imported is its owner's. */
  private letAccountUseKey({ destination: { roleArn }, encryptionKey }: BackupCopiesProps): void {
    if (!roleArn) return;
    const account = roleArn.split(':')[4]!;
    const only = { StringEquals: { 'aws:PrincipalArn': roleArn } };
    // Of the account, since a policy that names a role that is not there yet is refused.
    const principals = [new iam.AccountPrincipal(account)];
    encryptionKey.addToResourcePolicy(
      new iam.PolicyStatement({
        sid: 'CopiesOfSnapshots',
        principals,
        actions: ['kms:Decrypt', 'kms:DescribeKey', 'kms:GenerateDataKey*', 'kms:ReEncrypt*'],
        resources: ['*'],
        conditions: only,
      }),
    );
    encryptionKey.addToResourcePolicy(
      new iam.PolicyStatement({
        sid: 'CopiesOfSnapshotsByEbs',
        principals,
        actions: ['kms:CreateGrant'],
        resources: ['*'],
        conditions: { ...only, Bool: { 'kms:GrantIsForAWSResource': 'true' } },
      }),
    );
  }

  private watch({ operations, destination, ...props }: BackupCopiesProps, copies: lambda.Function): void {
    const { deployment } = operations.props;
    const { region, alarmAfterHours: hours = props.backupAlarmAfterHours + DAY_HOURS } = destination;
    const rounds = new events.Rule(this, 'Interval', {
      description: `Copies of backups of ${deployment} to ${region}`,
      schedule: events.Schedule.rate(EVERY),
      targets: [new targets.LambdaFunction(copies, { maxEventAge: EVERY })],
    });
    alarmOfAge(this, 'BackupCopyTooOld', operations.props, {
      alarmDescription:
        `Deployment ${deployment}: the newest set of copies in ${region} that can be restored is older than ` +
        `${hours} hours, or nobody has looked for 3. What could not be copied: the log of the function of this stack ` +
        'that copies backups',
      metricName: 'BackupCopyAgeSeconds',
      hours,
      measured: rounds,
    });
  }
}
