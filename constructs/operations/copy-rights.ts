import { Stack } from 'aws-cdk-lib';
import * as iam from 'aws-cdk-lib/aws-iam';
import type * as kms from 'aws-cdk-lib/aws-kms';
import type * as lambda from 'aws-cdk-lib/aws-lambda';
import { keyArnInPolicies } from '../private/imported';
import { nagText } from '../private/nag-text';
import { BACKUP_TAGS, DEPLOYMENT_TAG } from '../private/tags';
import { acknowledge } from '../volume-reattachment/acknowledge';

/** Where each complete set of snapshots is copied to. */
export interface BackupDestination {
  /** A region; another one, unless there is a role of another account. */
  readonly region: string;
  /** A role of another account, in whose name the copies are made there (docs/operations/copies.md). */
  readonly roleArn?: string;
  /** The ARN of the key that encrypts the copies; without it that region's default one for EBS. */
  readonly kmsKeyArn?: string;
  /** From how many hours on the newest set of copies is too old. */
  readonly alarmAfterHours?: number;
}

/** Whose backups a function copies, and where to. */
export interface CopyRights {
  readonly deployment: string;
  readonly destination: BackupDestination;
  readonly encryptionKey: kms.IKey;
}

/**
 * What copying needs: to see snapshots, to copy those of this deployment, and to delete its copies. It may delete no
 * other snapshot, and none in the region that sets are made in.
 */
export function allowCopies(copies: lambda.Function, rights: CopyRights): void {
  const { partition, region, account } = Stack.of(copies);
  const { deployment, destination, encryptionKey } = rights;
  const add = (sid: string, actions: string[], resources: string[], conditions?: iam.Conditions) =>
    copies.addToRolePolicy(new iam.PolicyStatement({ sid, actions, resources, conditions }));
  const here = `arn:${partition}:ec2:${region}::snapshot/*`;
  const there = `arn:${partition}:ec2:${destination.region}::snapshot/*`;
  add('Look', ['ec2:DescribeSnapshots'], ['*']);
  const reasons = [['*', 'ec2:DescribeSnapshots knows no resources (AWS Service Authorization Reference).']];
  const byTags = 'Limited by the tag of the deployment: which snapshots there will be is not known before.';
  if (destination.roleArn) {
    add('CopyThere', ['sts:AssumeRole'], [destination.roleArn]);
    add('Share', ['ec2:ModifySnapshotAttribute'], [here], {
      StringEquals: {
        [`aws:ResourceTag/${DEPLOYMENT_TAG}`]: deployment,
        'ec2:Add/userId': destination.roleArn.split(':')[4],
      },
    });
    reasons.push([here, byTags]);
  } else {
    const source = `${account}/${region}`;
    for (const { sid, actions, resources, conditions } of copyStatements(deployment, here, there, source))
      add(sid, actions, resources, conditions);
    const keys = [
      keyArnInPolicies(copies, encryptionKey),
      ...(destination.kmsKeyArn ? [destination.kmsKeyArn] : []),
    ];
    for (const { sid, actions, resources, conditions } of keyStatements(keys, [region, destination.region]))
      add(sid, actions, resources, conditions);
    reasons.push([here, byTags], [there, byTags]);
    for (const action of ['kms:GenerateDataKey*', 'kms:ReEncrypt*'])
      acknowledge(
        copies.role!,
        `AwsSolutions-IAM5[Action::${action}]`,
        'What EBS needs of a key to copy (EBS User Guide, "Share the KMS key"), through EC2 only.',
      );
  }
  for (const [resource, reason] of reasons)
    acknowledge(copies.role!, `AwsSolutions-IAM5[Resource::${nagText(copies, resource!)}]`, reason!);
}

/** A statement of a policy. */
export interface Statement {
  readonly sid: string;
  readonly actions: string[];
  readonly resources: string[];
  readonly conditions: { [operator: string]: { [key: string]: string | string[] } };
}

/**
 * To make copies, and to delete them: those that come from this account and region, not those of another deployment of
 * the same name. Of the snapshot that is copied the reference of 2026 has no tags in some
 * versions; where EC2 tells them, they have to be this deployment's.
 */
export function copyStatements(deployment: string, here: string, there: string, source: string): Statement[] {
  const ofNew = {
    [`aws:RequestTag/${DEPLOYMENT_TAG}`]: deployment,
    [`aws:RequestTag/${BACKUP_TAGS.copyFrom}`]: source,
  };
  const isNewCopy = { [`aws:RequestTag/${BACKUP_TAGS.copyOf}`]: 'false' };
  const copy = ['ec2:CopySnapshot'];
  return [
    {
      sid: 'CopyFrom',
      actions: copy,
      resources: [here],
      conditions: { StringEqualsIfExists: { [`aws:ResourceTag/${DEPLOYMENT_TAG}`]: deployment } },
    },
    {
      sid: 'CopyTo',
      actions: copy,
      resources: [there],
      conditions: { StringEquals: ofNew, Null: isNewCopy },
    },
    {
      sid: 'LabelCopies',
      actions: ['ec2:CreateTags'],
      resources: [there],
      conditions: { StringEquals: { ...ofNew, 'ec2:CreateAction': 'CopySnapshot' }, Null: isNewCopy },
    },
    {
      sid: 'DeleteCopies',
      actions: ['ec2:DeleteSnapshot'],
      resources: [there],
      conditions: {
        StringEquals: {
          [`aws:ResourceTag/${DEPLOYMENT_TAG}`]: deployment,
          [`aws:ResourceTag/${BACKUP_TAGS.copyFrom}`]: source,
        },
        Null: { [`aws:ResourceTag/${BACKUP_TAGS.copyOf}`]: 'false' },
      },
    },
  ];
}

/**
 * What EBS does with the keys of a snapshot and of its copy in the name of whoever copies (EBS User Guide, "Share the
 * KMS key used to encrypt a shared Amazon EBS snapshot", read 2026-11-28). No source says from which of both regions.
 */
export function keyStatements(keys: string[], regions: string[]): Statement[] {
  const viaEc2 = { StringLike: { 'kms:ViaService': regions.map((each) => `ec2.${each}.amazonaws.com*`) } };
  return [
    {
      sid: 'UseTheKeys',
      actions: ['kms:Decrypt', 'kms:DescribeKey', 'kms:GenerateDataKey*', 'kms:ReEncrypt*'],
      resources: keys,
      conditions: viaEc2,
    },
    {
      sid: 'LetEbsUseTheKeys',
      actions: ['kms:CreateGrant'],
      resources: keys,
      conditions: { ...viaEc2, Bool: { 'kms:GrantIsForAWSResource': 'true' } },
    },
  ];
}
