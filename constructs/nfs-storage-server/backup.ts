import { Stack, Validations } from 'aws-cdk-lib';
import * as dlm from 'aws-cdk-lib/aws-dlm';
import * as iam from 'aws-cdk-lib/aws-iam';
import type * as kms from 'aws-cdk-lib/aws-kms';
import type * as sns from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { useOfEbsKey } from '../private/ebs-key';
import { wildcardFinding } from '../private/nag-text';
import { TIER_TAG } from '../private/tags';
import { backupRule } from './checks';
import { SnapshotAge } from './snapshot-age';
import type { NfsBackup } from './storage';

// On every snapshot: the right to delete rests on it.
const BACKUP_TAG = 'cdk-sas-grid:backup-of';

/** What the backup is of. */
export interface NfsBackupPlanProps extends NfsBackup {
  /** The value of the tag `cdk-sas-grid:tier` of the server and its volumes. */
  readonly tierTag: string;
  readonly volumeIds: string[];
  /** Encrypts the volumes. */
  readonly key: kms.IKey;
  readonly alarmTopic?: sns.ITopic;
}

/**
 * Snapshots by Data Lifecycle Manager. They target the server and not its volumes: those of one server are taken at one
 * instant, and a pool that is striped over several volumes is worth nothing from snapshots of different instants.
 * Retention goes by age: by count it would end with each server that is replaced (Amazon EBS User Guide, "How Amazon
 * Data Lifecycle Manager works").
 */
export class NfsBackupPlan extends Construct {
  constructor(scope: Construct, id: string, props: NfsBackupPlanProps) {
    super(scope, id);
    const { hours, startTime, days } = backupRule(this, props);
    const role = this.snapshotRole(props);
    const policy = new dlm.CfnLifecyclePolicy(this, 'Policy', {
      // Only letters, digits, blanks, '_' and '-' are allowed here.
      description: 'Volumes of the NFS server at one instant',
      executionRoleArn: role.roleArn,
      state: 'ENABLED',
      policyDetails: {
        policyType: 'EBS_SNAPSHOT_MANAGEMENT',
        resourceTypes: ['INSTANCE'],
        targetTags: [{ key: TIER_TAG, value: props.tierTag }],
        parameters: { excludeBootVolume: true },
        schedules: [
          {
            name: 'snapshots',
            copyTags: true,
            tagsToAdd: [{ key: BACKUP_TAG, value: props.tierTag }],
            createRule: { interval: hours, intervalUnit: 'HOURS', times: [startTime] },
            retainRule: { interval: days, intervalUnit: 'DAYS' },
          },
        ],
      },
    });
    policy.node.addDependency(role);
    new SnapshotAge(this, 'Age', {
      tierTag: props.tierTag,
      volumeIds: props.volumeIds,
      snapshotTag: BACKUP_TAG,
      everyHours: hours,
      key: props.key,
      alarmTopic: props.alarmTopic,
    });
  }

  /** Snapshots of what carries the tag, and deletion of such snapshots; nothing else. */
  private snapshotRole({ tierTag, key }: NfsBackupPlanProps): iam.Role {
    const stack = Stack.of(this);
    const arn = (resource: string, account = stack.account) =>
      stack.formatArn({ service: 'ec2', account, resource, resourceName: '*' });
    const snapshots = arn('snapshot', '');
    const role = new iam.Role(this, 'Role', {
      description: 'Data Lifecycle Manager: snapshots of the NFS server',
      assumedBy: new iam.ServicePrincipal('dlm.amazonaws.com', {
        conditions: { StringEquals: { 'aws:SourceAccount': stack.account } },
      }),
    });
    role.addToPolicy(
      new iam.PolicyStatement({
        actions: ['ec2:DescribeInstances', 'ec2:DescribeVolumes', 'ec2:DescribeSnapshots'],
        resources: ['*'],
      }),
    );
    role.addToPolicy(
      new iam.PolicyStatement({
        actions: ['ec2:CreateSnapshots'],
        resources: [arn('instance'), arn('volume')],
        conditions: { StringEquals: { [`aws:ResourceTag/${TIER_TAG}`]: tierTag } },
      }),
    );
    role.addToPolicy(
      new iam.PolicyStatement({ actions: ['ec2:CreateSnapshots', 'ec2:CreateTags'], resources: [snapshots] }),
    );
    role.addToPolicy(
      new iam.PolicyStatement({
        actions: ['ec2:DeleteSnapshot'],
        resources: [snapshots],
        conditions: { StringEquals: { [`aws:ResourceTag/${BACKUP_TAG}`]: tierTag } },
      }),
    );
    for (const statement of useOfEbsKey(this, key)) role.addToPolicy(statement);
    for (const [resource, reason] of [
      ['*', 'Describe calls of EC2 know no resources (AWS Service Authorization Reference).'],
      [arn('instance'), 'Limited by the tag of the server.'],
      [arn('volume'), 'Limited by the tag of the volumes.'],
      [snapshots, 'A new snapshot has no id and no tag yet; deleting is limited by the tag.'],
    ] as const) {
      const id = wildcardFinding(this, resource);
      Validations.of(role).acknowledge({ id, reason });
    }
    return role;
  }
}
