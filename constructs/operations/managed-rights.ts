import { Stack } from 'aws-cdk-lib';
import * as iam from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type * as lambda from 'aws-cdk-lib/aws-lambda';
import { keyArnInPolicies } from '../private/imported';
import { nagText } from '../private/nag-text';
import { BACKUP_TAGS, DEPLOYMENT_TAG } from '../private/tags';
import { viaService } from '../private/via-service';
import { acknowledge } from '../volume-reattachment/acknowledge';

/** What AWS runs and backs up itself. */
export interface ManagedStorage {
  /** File systems of FSx. */
  readonly ids: readonly string[];
  /** Encrypts them, and their backups. */
  readonly encryptionKey: IKey;
}

/** Whose backups a function has FSx make. */
export interface ManagedRights {
  readonly deployment: string;
  readonly managed: ManagedStorage;
  readonly stacks: readonly string[];
  /** Whether retention deletes older sets. */
  readonly deletes: boolean;
}

/**
 * What backups by FSx need: of these file systems, and with the tag of the deployment. FSx asks for the right to tag
 * when a backup is made with tags, and has no condition for the call that makes it (Service Authorization Reference,
 * `fsx:CreateBackup`, read 2026-11-28): so that it may tag with the names of a set's tags only.
 */
export function allowManagedBackups(
  steps: lambda.Function,
  { deployment, managed, stacks, deletes }: ManagedRights,
): void {
  const { partition, region, account } = Stack.of(steps);
  const arn = (service: string, what: string) => `arn:${partition}:${service}:${region}:${account}:${what}`;
  const add = (sid: string, actions: string[], resources: string[], conditions?: iam.Conditions) =>
    steps.addToRolePolicy(new iam.PolicyStatement({ sid, actions, resources, conditions }));
  const backups = arn('fsx', 'backup/*');
  const stackArns = stacks.map((name) => arn('cloudformation', `stack/${name}/*`));
  const ofNew = { [`aws:RequestTag/${DEPLOYMENT_TAG}`]: deployment };
  const ofOwn = { [`aws:ResourceTag/${DEPLOYMENT_TAG}`]: deployment };
  const inASet = { [`aws:ResourceTag/${BACKUP_TAGS.set}`]: 'false' };
  const { set, state, size, kind, protect } = BACKUP_TAGS;
  add('SeeBackups', ['fsx:DescribeBackups'], ['*']);
  add('SeeDeployments', ['cloudformation:DescribeStacks'], stackArns);
  const sources = managed.ids.map((id) => arn('fsx', `file-system/${id}`));
  add('BackUp', ['fsx:CreateBackup'], sources);
  add('MakeBackups', ['fsx:CreateBackup'], [backups], { StringEquals: ofNew });
  add('LabelBackups', ['fsx:TagResource'], [backups], {
    StringEquals: { ...ofNew, [`aws:RequestTag/${state}`]: 'taking' },
    'ForAllValues:StringEquals': { 'aws:TagKeys': [DEPLOYMENT_TAG, set, state, size, kind, protect, 'Name'] },
  });
  add('JudgeBackups', ['fsx:TagResource'], [backups], {
    StringEquals: ofOwn,
    Null: inASet,
    'ForAllValues:StringEquals': { 'aws:TagKeys': [state] },
  });
  if (deletes) {
    add('DeleteOlderSets', ['fsx:DeleteBackup'], [backups], {
      StringEquals: ofOwn,
      Null: { ...inASet, [`aws:ResourceTag/${protect}`]: 'true' },
    });
  }
  allowKey(steps, managed.encryptionKey);
  for (const [resources, reason] of [
    [
      ['*'],
      'fsx:DescribeBackups knows no resources, and no filter by tags (AWS Service Authorization Reference).',
    ],
    [stackArns, 'The id of a stack follows its name, and is not known before.'],
    [[backups], 'Limited by the tag of the deployment, which a new backup has from the call that makes it.'],
  ] as const) {
    for (const each of resources)
      acknowledge(steps.role!, `AwsSolutions-IAM5[Resource::${nagText(steps, each)}]`, reason);
  }
}

/**
 * No source says what FSx asks whoever makes a backup for. AWS Backup's own role may describe keys, and let services
 * use them (AWSBackupServiceRolePolicyForBackup, read 2026-11-28): so may this one, of the one key.
 */
function allowKey(steps: lambda.Function, key: IKey): void {
  const viaFsx = viaService(steps, 'fsx');
  const resources = [keyArnInPolicies(steps, key)];
  steps.addToRolePolicy(
    new iam.PolicyStatement({
      sid: 'SeeTheKey',
      actions: ['kms:DescribeKey'],
      resources,
      conditions: viaFsx,
    }),
  );
  steps.addToRolePolicy(
    new iam.PolicyStatement({
      sid: 'LetFsxUseTheKey',
      actions: ['kms:CreateGrant'],
      resources,
      conditions: { Bool: { 'kms:GrantIsForAWSResource': 'true' }, ...viaFsx },
    }),
  );
}
