import { Stack } from 'aws-cdk-lib';
import * as iam from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import { useOfEbsKey } from '../private/ebs-key';
import { FINDING_TAG, FORMATTED_TAG, SLOT_TAG, TIER_TAG } from '../private/tags';
import { ec2Arn, groupArn, snapshotArn, type TierNames } from './tier-names';

/** What the reconciler of a tier may do. */
export function reconcilerStatements(scope: Construct, names: TierNames): iam.PolicyStatement[] {
  const tagged = { [`aws:ResourceTag/${TIER_TAG}`]: names.tierTag };
  const resources: TierResources = {
    volumes: ec2Arn(scope, 'volume'),
    interfaces: ec2Arn(scope, 'network-interface'),
    instances: ec2Arn(scope, 'instance'),
    tagged,
  };
  return [
    lookStatement(),
    ...attachStatements(resources),
    new iam.PolicyStatement({
      sid: 'MarkFormatted',
      actions: ['ec2:CreateTags'],
      resources: [resources.volumes],
      conditions: {
        StringEquals: tagged,
        'ForAllValues:StringEquals': { 'aws:TagKeys': [FORMATTED_TAG] },
      },
    }),
    new iam.PolicyStatement({
      sid: 'NameServers',
      actions: ['ec2:CreateTags'],
      resources: [resources.instances],
      conditions: {
        StringEquals: tagged,
        'ForAllValues:StringEquals': { 'aws:TagKeys': ['Name'] },
      },
    }),
    ...snapshotStatements(scope, names),
    // EC2 knows keys for the attribute that is changed, but documents no value for what is to outlive an instance
    // (Service Authorization Reference, ModifyInstanceAttribute). Security groups cannot be changed with this: that
    // asks for a right on the group.
    new iam.PolicyStatement({
      sid: 'KeepWhatServersHave',
      actions: ['ec2:CreateSnapshot', 'ec2:ModifyInstanceAttribute', 'ec2:ModifyNetworkInterfaceAttribute'],
      resources: [resources.volumes, resources.interfaces, resources.instances],
      conditions: { StringEquals: tagged },
    }),
    ...groupStatements(scope, names),
    ...commandStatements(scope, names),
    ...useOfEbsKey(scope, names.key),
  ];
}

/** Resources of EC2 by their kind, and the tag that those of the tier have. */
interface TierResources {
  readonly volumes: string;
  readonly interfaces: string;
  readonly instances: string;
  readonly tagged: { readonly [condition: string]: string };
}

function lookStatement(): iam.PolicyStatement {
  return new iam.PolicyStatement({
    sid: 'Look',
    actions: [
      'autoscaling:DescribeAutoScalingGroups',
      'autoscaling:DescribeScalingActivities',
      'ec2:DescribeInstances',
      'ec2:DescribeNetworkInterfaces',
      'ec2:DescribeSnapshots',
      'ec2:DescribeVolumes',
      'ssm:DescribeInstanceInformation',
      'ssm:GetCommandInvocation',
      'ssm:ListCommandInvocations',
    ],
    resources: ['*'],
  });
}

function attachStatements({ volumes, interfaces, instances, tagged }: TierResources): iam.PolicyStatement[] {
  return [
    new iam.PolicyStatement({
      sid: 'Attach',
      actions: ['ec2:AttachVolume', 'ec2:AttachNetworkInterface'],
      resources: [volumes, interfaces, instances],
      conditions: { StringEquals: tagged },
    }),
    new iam.PolicyStatement({
      sid: 'Detach',
      actions: ['ec2:DetachVolume', 'ec2:DetachNetworkInterface'],
      resources: [volumes, interfaces],
      conditions: { StringEquals: tagged },
    }),
    // EC2 takes the tags off a terminated instance after a while (EC2 user guide, "Terminate your instance"), and may
    // have left volumes on it.
    new iam.PolicyStatement({
      sid: 'DetachFromTheDead',
      actions: ['ec2:DetachVolume', 'ec2:DetachNetworkInterface'],
      resources: [instances],
      conditions: { StringEqualsIfExists: tagged },
    }),
  ];
}

/**
 * Before damage is repaired. EC2 asks for the volume, too (`KeepWhatServersHave`), and the snapshot gets its tags in
 * the same call (Service Authorization Reference, CreateSnapshot). It deletes none.
 */
function snapshotStatements(scope: Construct, names: TierNames): iam.PolicyStatement[] {
  const snapshots = snapshotArn(scope);
  const ofNewTier = { [`aws:RequestTag/${TIER_TAG}`]: names.tierTag };
  return [
    new iam.PolicyStatement({
      sid: 'MakeSnapshots',
      actions: ['ec2:CreateSnapshot'],
      resources: [snapshots],
      conditions: { StringEquals: ofNewTier },
    }),
    new iam.PolicyStatement({
      sid: 'MarkSnapshots',
      actions: ['ec2:CreateTags'],
      resources: [snapshots],
      conditions: {
        StringEquals: { ...ofNewTier, 'ec2:CreateAction': 'CreateSnapshot' },
        'ForAllValues:StringEquals': { 'aws:TagKeys': ['Name', TIER_TAG, SLOT_TAG, FINDING_TAG] },
      },
    }),
  ];
}

function groupStatements(scope: Construct, names: TierNames): iam.PolicyStatement[] {
  return [
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
  ];
}

/** To send the one document, to servers of the tier only. */
function commandStatements(scope: Construct, names: TierNames): iam.PolicyStatement[] {
  const { partition, region, account } = Stack.of(scope);
  const document = `arn:${partition}:ssm:${region}:${account}:document/${names.documentName}`;
  return [
    new iam.PolicyStatement({ sid: 'TellWhat', actions: ['ssm:SendCommand'], resources: [document] }),
    new iam.PolicyStatement({
      sid: 'TellWhom',
      actions: ['ssm:SendCommand'],
      resources: [ec2Arn(scope, 'instance')],
      // Systems Manager's own key (its user guide, "Restricting Run Command access based on tags"), and no global one,
      // for which SendCommand asks for more ("Setting up Run Command").
      conditions: { StringEquals: { [`ssm:resourceTag/${TIER_TAG}`]: names.tierTag } },
    }),
  ];
}
