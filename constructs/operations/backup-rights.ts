import { Stack } from 'aws-cdk-lib';
import * as iam from 'aws-cdk-lib/aws-iam';
import type * as lambda from 'aws-cdk-lib/aws-lambda';
import type * as ssm from 'aws-cdk-lib/aws-ssm';
import type { Io2BlockExpressGfs2 } from '../io2-block-express-gfs2';
import { CLUSTER_TAG } from '../io2-block-express-gfs2/cluster-tag';
import { useOfEbsKey } from '../private/ebs-key';
import { keyArnInPolicies } from '../private/imported';
import { nagText } from '../private/nag-text';
import { BACKUP_TAGS, DEPLOYMENT_TAG, POSITION_TAG, TIER_TAG } from '../private/tags';
import { viaService } from '../private/via-service';
import type { VolumeReattachment } from '../volume-reattachment';
import { acknowledge } from '../volume-reattachment/acknowledge';

/** Whose backups a function makes. */
export interface BackupRights {
  readonly deployment: string;
  readonly tiers: readonly VolumeReattachment[];
  /** What has the nodes that share the volumes, in place of tiers. */
  readonly cluster?: Io2BlockExpressGfs2;
  readonly stacks: readonly string[];
  readonly document: ssm.CfnDocument;
  /** Whether retention deletes older sets. */
  readonly deletes: boolean;
}

/** What a backup needs: snapshots of this deployment's volumes, and of those only. It may change no volume. */
export function allowBackups(steps: lambda.Function, rights: BackupRights): void {
  const { partition, region, account } = Stack.of(steps);
  const arn = (service: string, what: string) => `arn:${partition}:${service}:${region}:${account}:${what}`;
  const add = (sid: string, actions: string[], resources: string[], conditions?: iam.Conditions) =>
    steps.addToRolePolicy(new iam.PolicyStatement({ sid, actions, resources, conditions }));
  const instances = arn('ec2', 'instance/*');
  const ofDeployment = { [`ssm:resourceTag/${DEPLOYMENT_TAG}`]: rights.deployment };
  add(
    'Look',
    [
      'ec2:DescribeInstances',
      'ec2:DescribeSnapshots',
      'ssm:DescribeInstanceInformation',
      'ssm:ListCommandInvocations',
    ],
    ['*'],
  );
  const stackArns = rights.stacks.map((name) => arn('cloudformation', `stack/${name}/*`));
  add('SeeDeployments', ['cloudformation:DescribeStacks'], stackArns);
  add('AskWhat', ['ssm:SendCommand'], [arn('ssm', `document/${rights.document.ref}`)]);
  add('AskWhom', ['ssm:SendCommand'], [instances], { StringEquals: ofDeployment });
  for (const [resources, reason] of [
    [
      ['*'],
      'Describe actions of EC2, ssm:DescribeInstanceInformation and ssm:ListCommandInvocations know no resources ' +
        '(AWS Service Authorization Reference).',
    ],
    [stackArns, 'The id of a stack follows its name, and is not known before.'],
    [[instances], 'Limited by tags to the hosts of this deployment, whose ids change.'],
  ] as const) {
    for (const each of resources)
      acknowledge(steps.role!, `AwsSolutions-IAM5[Resource::${nagText(steps, each)}]`, reason);
  }
  const [first] = rights.tiers;
  if (first) allowMap(steps, first, rights.tiers);
  const key = first?.volumeMap.encryptionKey ?? rights.cluster?.encryptionKey;
  if (key === undefined) return;
  allowSnapshots(steps, rights, instances, arn('ec2', 'volume/*'));
  for (const statement of useOfEbsKey(steps, key)) steps.addToRolePolicy(statement);
}

/** Reads the rows of the tiers. */
function allowMap(
  steps: lambda.Function,
  { volumeMap }: VolumeReattachment,
  tiers: readonly VolumeReattachment[],
): void {
  steps.addToRolePolicy(
    new iam.PolicyStatement({
      sid: 'ReadTheMap',
      actions: ['dynamodb:Query'],
      resources: [volumeMap.table.tableArn],
      conditions: {
        'ForAllValues:StringEquals': { 'dynamodb:LeadingKeys': tiers.map(({ tier }) => tier) },
      },
    }),
  );
  steps.addToRolePolicy(
    new iam.PolicyStatement({
      sid: 'UseTheKeyForTheMap',
      actions: ['kms:Decrypt', 'kms:DescribeKey'],
      resources: [keyArnInPolicies(steps, volumeMap.encryptionKey)],
      conditions: viaService(steps, 'dynamodb'),
    }),
  );
}

/**
 * By tags: of whose volumes they are, and whose they are. A new snapshot has its tags from the call that makes it
 * (Service Authorization Reference, CreateSnapshots).
 */
function allowSnapshots(
  steps: lambda.Function,
  { deployment, tiers, cluster, deletes }: BackupRights,
  instances: string,
  volumes: string,
): void {
  const { partition, region } = Stack.of(steps);
  const snapshots = `arn:${partition}:ec2:${region}::snapshot/*`;
  const add = (sid: string, actions: string[], resources: string[], conditions: iam.Conditions) =>
    steps.addToRolePolicy(new iam.PolicyStatement({ sid, actions, resources, conditions }));
  const ofNew = { [`aws:RequestTag/${DEPLOYMENT_TAG}`]: deployment };
  const ofOwn = { [`aws:ResourceTag/${DEPLOYMENT_TAG}`]: deployment };
  const inASet = { [`aws:ResourceTag/${BACKUP_TAGS.set}`]: 'false' };
  const ofTiers = cluster
    ? { [`aws:ResourceTag/${CLUSTER_TAG}`]: cluster._clusterTagIn(steps) }
    : { [`aws:ResourceTag/${TIER_TAG}`]: tiers.map((tier) => tier._tierTagIn(steps)) };
  // One call is about one server. No source says whether its root disk, which is left out, is asked for as well; it has
  // no tag. What has that of another tier is refused.
  add('MakeSnapshotsOf', ['ec2:CreateSnapshots'], [instances], { StringEquals: ofTiers });
  add('MakeSnapshotsOfVolumes', ['ec2:CreateSnapshots'], [volumes], { StringEqualsIfExists: ofTiers });
  add('MakeSnapshots', ['ec2:CreateSnapshots'], [snapshots], { StringEquals: ofNew });
  add('LabelSnapshots', ['ec2:CreateTags'], [snapshots], {
    StringEquals: { ...ofNew, 'ec2:CreateAction': 'CreateSnapshots' },
  });
  add('JudgeSnapshots', ['ec2:CreateTags'], [snapshots], {
    StringEquals: ofOwn,
    Null: inASet,
    'ForAllValues:StringEquals': { 'aws:TagKeys': [POSITION_TAG, BACKUP_TAGS.state] },
  });
  if (deletes) {
    add('DeleteOlderSets', ['ec2:DeleteSnapshot'], [snapshots], {
      StringEquals: ofOwn,
      Null: { ...inASet, [`aws:ResourceTag/${BACKUP_TAGS.protect}`]: 'true' },
    });
  }
  for (const [resource, reason] of [
    [volumes, 'Of servers of the tiers only: the same call needs the right on the server.'],
    [
      snapshots,
      'Limited by the tag of the deployment, which a new snapshot has from the call that makes it.',
    ],
  ] as const)
    acknowledge(steps.role!, `AwsSolutions-IAM5[Resource::${nagText(steps, resource)}]`, reason);
}
