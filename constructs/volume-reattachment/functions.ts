import { Duration, Stack } from 'aws-cdk-lib';
import * as iam from 'aws-cdk-lib/aws-iam';
import type * as kms from 'aws-cdk-lib/aws-kms';
import type * as lambda from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { bundledFunction } from '../private/bundled-function';
import { useOfEbsKey } from '../private/ebs-key';
import { keyArnInPolicies } from '../private/imported';
import { wildcardFinding } from '../private/nag-text';
import { historyKey } from '../private/recoveries';
import { FINDING_TAG, FORMATTED_TAG, SLOT_TAG, TIER_TAG } from '../private/tags';
import { viaService } from '../private/via-service';
import { acknowledge } from './acknowledge';
import type { VolumeMap } from './volume-map';

/** What the functions of a tier need to know of it. */
export interface TierNames {
  readonly tier: string;
  readonly tierTag: string;
  readonly groupName: string;
  readonly documentName: string;
  readonly volumeMap: VolumeMap;
  readonly key: kms.IKey;
}

/** The Lambda function that takes the next safe steps of a tier with that many spares. */
export function reconcilerFunction(
  scope: Construct,
  names: TierNames,
  spares: number,
  env: { [key: string]: string },
): lambda.Function {
  const reconciler = bundledFunction(scope, 'Reconciler', 'volume-reconciler', names.key, {
    description: `Next safe steps of tier ${names.tier}: volumes, addresses, owners`,
    // Shorter than the lease (120 s) that a pass takes.
    timeout: Duration.seconds(90),
    environment: {
      TIER: names.tier,
      TIER_TAG: names.tierTag,
      TABLE: names.volumeMap.table.tableName,
      GROUP: names.groupName,
      DOCUMENT: names.documentName,
      SPARE_SERVERS: String(spares),
      ...env,
    },
  });
  for (const statement of reconcilerStatements(scope, names)) reconciler.addToRolePolicy(statement);
  const actions = ['dynamodb:Query', 'dynamodb:UpdateItem', 'dynamodb:PutItem', 'dynamodb:DeleteItem'];
  allowTable(scope, reconciler, names, actions, [historyKey(names.tier)]);
  acknowledgeWildcards(reconciler);
  acknowledge(
    reconciler.role!,
    wildcardFinding(scope, snapshotArn(scope)),
    'Only to make snapshots with the tag of the tier: they have no id before.',
  );
  acknowledgeOfTier(scope, reconciler, names, ['volume', 'network-interface', 'instance']);
  return reconciler;
}

function reconcilerStatements(scope: Construct, names: TierNames): iam.PolicyStatement[] {
  const { partition, region, account } = Stack.of(scope);
  const ec2 = (resource: string) => ec2Arn(scope, resource);
  const ofTier = { StringEquals: { [`aws:ResourceTag/${TIER_TAG}`]: names.tierTag } };
  const ofNewTier = { StringEquals: { [`aws:RequestTag/${TIER_TAG}`]: names.tierTag } };
  const snapshots = snapshotArn(scope);
  const document = `arn:${partition}:ssm:${region}:${account}:document/${names.documentName}`;
  return [
    new iam.PolicyStatement({
      sid: 'Look',
      actions: [
        'autoscaling:DescribeAutoScalingGroups',
        'ec2:DescribeInstances',
        'ec2:DescribeNetworkInterfaces',
        'ec2:DescribeSnapshots',
        'ec2:DescribeVolumes',
        'ssm:DescribeInstanceInformation',
        'ssm:GetCommandInvocation',
        'ssm:ListCommandInvocations',
      ],
      resources: ['*'],
    }),
    new iam.PolicyStatement({
      sid: 'Attach',
      actions: ['ec2:AttachVolume', 'ec2:AttachNetworkInterface'],
      resources: [ec2('volume'), ec2('network-interface'), ec2('instance')],
      conditions: ofTier,
    }),
    new iam.PolicyStatement({
      sid: 'Detach',
      actions: ['ec2:DetachVolume', 'ec2:DetachNetworkInterface'],
      resources: [ec2('volume'), ec2('network-interface')],
      conditions: ofTier,
    }),
    // EC2 takes the tags off a terminated instance after a while (EC2 user guide, "Terminate your instance"), and may
    // have left volumes on it.
    new iam.PolicyStatement({
      sid: 'DetachFromTheDead',
      actions: ['ec2:DetachVolume', 'ec2:DetachNetworkInterface'],
      resources: [ec2('instance')],
      conditions: { StringEqualsIfExists: ofTier.StringEquals },
    }),
    new iam.PolicyStatement({
      sid: 'MarkFormatted',
      actions: ['ec2:CreateTags'],
      resources: [ec2('volume')],
      conditions: { ...ofTier, 'ForAllValues:StringEquals': { 'aws:TagKeys': [FORMATTED_TAG] } },
    }),
    // Before damage is repaired. EC2 asks for the volume, too (below), and the snapshot gets its tags in the same call
    // (Service Authorization Reference, CreateSnapshot). It deletes none.
    new iam.PolicyStatement({
      sid: 'MakeSnapshots',
      actions: ['ec2:CreateSnapshot'],
      resources: [snapshots],
      conditions: ofNewTier,
    }),
    new iam.PolicyStatement({
      sid: 'MarkSnapshots',
      actions: ['ec2:CreateTags'],
      resources: [snapshots],
      conditions: {
        StringEquals: { ...ofNewTier.StringEquals, 'ec2:CreateAction': 'CreateSnapshot' },
        'ForAllValues:StringEquals': { 'aws:TagKeys': ['Name', TIER_TAG, SLOT_TAG, FINDING_TAG] },
      },
    }),
    // EC2 knows keys for the attribute that is changed, but documents no value for what is to outlive an instance
    // (Service Authorization Reference, ModifyInstanceAttribute). Security groups cannot be changed with this: that
    // asks for a right on the group.
    new iam.PolicyStatement({
      sid: 'KeepWhatServersHave',
      actions: ['ec2:CreateSnapshot', 'ec2:ModifyInstanceAttribute', 'ec2:ModifyNetworkInterfaceAttribute'],
      resources: [ec2('volume'), ec2('network-interface'), ec2('instance')],
      conditions: ofTier,
    }),
    new iam.PolicyStatement({
      sid: 'CompleteLaunches',
      actions: ['autoscaling:CompleteLifecycleAction', 'autoscaling:RecordLifecycleActionHeartbeat'],
      resources: [groupArn(scope, names)],
    }),
    // Also without spares a member can be in service before it serves, after an instance refresh that launched more
    // than it terminated.
    new iam.PolicyStatement({
      sid: 'ReplaceWhatCannotServe',
      actions: ['autoscaling:SetInstanceHealth'],
      resources: [groupArn(scope, names)],
    }),
    new iam.PolicyStatement({ sid: 'TellWhat', actions: ['ssm:SendCommand'], resources: [document] }),
    new iam.PolicyStatement({
      sid: 'TellWhom',
      actions: ['ssm:SendCommand'],
      resources: [ec2('instance')],
      // Systems Manager's own key (its user guide, "Restricting Run Command access based on tags"), and no global one,
      // for which SendCommand asks for more ("Setting up Run Command").
      conditions: { StringEquals: { [`ssm:resourceTag/${TIER_TAG}`]: names.tierTag } },
    }),
    ...useOfEbsKey(scope, names.key),
  ];
}

/** The group's ARN, with a wildcard for the id that Auto Scaling generates. */
export function groupArn(scope: Construct, names: TierNames): string {
  const { partition, region, account } = Stack.of(scope);
  return `arn:${partition}:autoscaling:${region}:${account}:autoScalingGroup:*:autoScalingGroupName/${names.groupName}`;
}

/** Resources of one kind in EC2. */
function ec2Arn(scope: Construct, resource: string): string {
  const { partition, region, account } = Stack.of(scope);
  return `arn:${partition}:ec2:${region}:${account}:${resource}/*`;
}

/** Snapshots, whose ARN has no account. */
function snapshotArn(scope: Construct): string {
  const { partition, region } = Stack.of(scope);
  return `arn:${partition}:ec2:${region}::snapshot/*`;
}

/**
 * The Lambda function behind the custom resource that seeds and releases the map.
 *
 * @param patience how long CloudFormation waits for rows to be seeded
 * @param looksAtSnapshots whether it compares the moments that adopted volumes hold
 */
export function seedFunction(
  scope: Construct,
  names: TierNames,
  patience: Duration,
  looksAtSnapshots: boolean,
): lambda.Function {
  const seed = bundledFunction(scope, 'Seed', 'volume-map-resource', names.key, {
    description: `Seeds and releases the volume map of tier ${names.tier}, answers CloudFormation`,
    timeout: Duration.minutes(5),
  });
  // Lambda keeps an event for six hours when the account has no room for it. By then CloudFormation has undone what it
  // is about.
  seed.configureAsyncInvoke({ maxEventAge: patience });
  seed.addToRolePolicy(
    new iam.PolicyStatement({
      sid: 'Look',
      actions: ['ec2:DescribeVolumes', ...(looksAtSnapshots ? ['ec2:DescribeSnapshots'] : [])],
      resources: ['*'],
    }),
  );
  const actions = [
    'dynamodb:Query',
    'dynamodb:UpdateItem',
    'dynamodb:PutItem',
    'dynamodb:ConditionCheckItem',
  ];
  allowTable(scope, seed, names, actions);
  acknowledgeWildcards(seed);
  return seed;
}

/** Access to the tier's own items in the volume map. */
export function allowTable(
  scope: Construct,
  fn: lambda.Function,
  names: TierNames,
  actions: string[],
  otherKeys: string[] = [],
): void {
  const { table, encryptionKey } = names.volumeMap;
  fn.addToRolePolicy(
    new iam.PolicyStatement({
      sid: 'OwnItems',
      actions,
      resources: [table.tableArn],
      conditions: { 'ForAllValues:StringEquals': { 'dynamodb:LeadingKeys': [names.tier, ...otherKeys] } },
    }),
  );
  fn.addToRolePolicy(
    new iam.PolicyStatement({
      sid: 'UseTheKeyForTheMap',
      actions: [
        'kms:Decrypt',
        'kms:DescribeKey',
        'kms:Encrypt',
        'kms:GenerateDataKey',
        'kms:GenerateDataKeyWithoutPlaintext',
        'kms:ReEncryptFrom',
        'kms:ReEncryptTo',
      ],
      resources: [keyArnInPolicies(fn, encryptionKey)],
      conditions: viaService(scope, 'dynamodb'),
    }),
  );
}

function acknowledgeWildcards(fn: lambda.Function): void {
  acknowledge(
    fn.role!,
    'AwsSolutions-IAM5[Resource::*]',
    'Describe actions of EC2 and Auto Scaling, ssm:DescribeInstanceInformation and the results of commands know no ' +
      'resources (AWS Service Authorization Reference).',
  );
}

/** Accepts the wildcards of what belongs to one tier: its group, and resources of EC2. */
export function acknowledgeOfTier(
  scope: Construct,
  fn: lambda.Function,
  names: TierNames,
  resources: string[],
): void {
  acknowledge(
    fn.role!,
    wildcardFinding(scope, groupArn(scope, names)),
    'Wildcard only for the generated id in the ARN; the name of the group follows it.',
  );
  for (const resource of resources) {
    acknowledge(
      fn.role!,
      wildcardFinding(scope, ec2Arn(scope, resource)),
      'Limited by the tag of the tier to its own volumes, interfaces and instances, whose ids change with every repair.',
    );
  }
}
